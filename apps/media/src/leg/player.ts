/**
 * What a leg hears of us, as one outgoing RTP stream. One voice alone is relayed packet by packet as it comes, undecoded; a tone or a clip
 * alone goes out by the shared clock; several sources are mixed by that clock. Keys go in between. PacketNumbers and time go on over
 * every change (`RtpSequencer`), and a voice that passThrough from one to the other does not click.
 */
import type { Clip } from '@clarion/protocol/media';
import type { ClipCache } from '../mix/clip-cache.ts';
import { Playback } from '../mix/playback.ts';
import { fadeInto, mixInto } from '../mix/mixer.ts';
import { VoiceInput } from '../mix/voice-input.ts';
import type { RtpSequencer, PacketNumbers } from '../rtp/sequencer.ts';
import { digitPackets, DIGIT_GAP_MS, DIGIT_PAUSE_MS, type DtmfPacket } from '../rtp/dtmf.ts';
import { FRAME_MS, FRAME_SAMPLES, SILENT, transcode, type Law } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';
import type { Ticker } from '../rtp/ticker.ts';
import { ToneGenerator, type ToneName } from '../rtp/tone.ts';
import type { VoiceSource, VoicePacket } from './voice-source.ts';

export type PlayerSource =
  | { kind: 'voice'; voice: VoiceSource }
  | { kind: 'tone'; tone: ToneName }
  | { kind: 'audio'; clips: readonly Clip[]; loop: boolean; playId: string };

/** What goes out on the leg: the law we send in, its payload type there, and that of keys. */
export interface PlayerFormat {
  law: Law;
  payloadType: number;
  dtmfPayloadType: number | null;
  /** Payload types of the laws the listener takes as they come; null: transcoded to `law`. */
  passThrough: Readonly<Record<Law, number | null>>;
}

/** A relayed voice that pauses this long is filled with silence. */
const FILL_AFTER_MS = 60;

export interface PlayerOptions {
  ticker: Ticker;
  clips: ClipCache;
  sequencer: RtpSequencer;
  /** Null while nothing may be sent. */
  format: () => PlayerFormat | null;
  /** The packet and its payload are valid during the call only. */
  send: (packet: RtpPacket) => void;
  /** Whether silence is sent where nothing is heard: carriers end calls that fall silent, browsers do not mind. */
  sendsSilence: boolean;
  /** A source of kind audio has come to its end, or cannot be played (protocol `leg:played`). */
  onPlayed: (playId: string, played: boolean) => void;
}

interface QueuedDigit {
  packets: (DtmfPacket | null)[];
  done: () => void;
}

export class Player {
  readonly #options: PlayerOptions;
  #running = false;
  #voices: readonly VoiceSource[] = [];
  #tones: readonly ToneGenerator[] = [];
  #playbacks: readonly Playback[] = [];
  /** Of `#playbacks`, those that sound. */
  #audible = 0;
  /** The one voice that is relayed as it comes. */
  #relayed: { voice: VoiceSource; stopListening: () => void } | null = null;
  /** The voices that are mixed. */
  #inputs: VoiceInput[] = [];
  /** What was mixed and is relayed from its next packet on: that packet is faded into from where the mix was. */
  #fadeOut: VoiceInput | null = null;
  #digits: QueuedDigit[] = [];
  #tickNow = 0;
  /** Filled anew for every frame. */
  readonly #frames: Int16Array[] = [];
  readonly #payload = Buffer.alloc(FRAME_SAMPLES);
  readonly #packet: RtpPacket = {
    payloadType: 0,
    marker: false,
    sequenceNumber: 0,
    timestamp: 0,
    ssrc: 0,
    payload: this.#payload,
  };

  constructor(options: PlayerOptions) {
    this.#options = options;
  }

  /** Plays the sum of these from now on; a source that was there before goes on where it is. */
  play(sources: readonly PlayerSource[]): void {
    if (!this.#running) {
      this.#running = true;
      this.#options.ticker.add(this.#tick);
    }
    const voices = sources.flatMap((source) => (source.kind === 'voice' ? [source.voice] : []));
    this.#voices = [...new Set(voices)];
    this.#tones = this.#tonesOf(sources);
    this.#playbacks = this.#playbacksOf(sources);
    this.#selectMode();
  }

  /** One voice alone is heard, as it comes. */
  get isRelaying(): boolean {
    return this.#relayed !== null;
  }

  /** Sends nothing any more; keys not yet sent are given up, and no end of a clip is told. */
  stop(): void {
    this.#voices = [];
    this.#tones = [];
    for (const playback of this.#playbacks) playback.abandon();
    this.#playbacks = [];
    this.#selectMode();
    this.#setFadeOut(null);
    if (this.#running) this.#options.ticker.remove(this.#tick);
    this.#running = false;
    for (const key of this.#digits.splice(0)) key.done();
  }

  /** Sends keys one after the other while whatever plays pauses; resolves when the last one has been sent. */
  sendDigits(digits: string): Promise<void> {
    const packets: (DtmfPacket | null)[] = [];
    for (const digit of digits) {
      const pauseMs = digit === ',' ? DIGIT_PAUSE_MS : DIGIT_GAP_MS;
      packets.push(...(digitPackets(digit) ?? []));
      packets.push(...Array.from({ length: pauseMs / FRAME_MS }, () => null));
    }
    return new Promise((resolve) => this.#digits.push({ packets, done: resolve }));
  }

  #tonesOf(sources: readonly PlayerSource[]): ToneGenerator[] {
    const names = sources.flatMap((source) => (source.kind === 'tone' ? [source.tone] : []));
    return [...new Set(names)].map(
      (name) => this.#tones.find((known) => known.name === name) ?? new ToneGenerator(name),
    );
  }

  #playbacksOf(sources: readonly PlayerSource[]): Playback[] {
    const before = this.#playbacks;
    const playbacks: Playback[] = [];
    for (const source of sources) {
      if (source.kind !== 'audio' || playbacks.some(({ playId }) => playId === source.playId)) continue;
      playbacks.push(before.find(({ playId }) => playId === source.playId) ?? this.#start(source));
    }
    for (const playback of before) if (!playbacks.includes(playback)) playback.abandon();
    return playbacks;
  }

  #start({ clips, loop, playId }: PlayerSource & { kind: 'audio' }): Playback {
    const { clips: library, onPlayed } = this.#options;
    const audio = Promise.all(clips.map((clip) => library.load(clip)));
    return new Playback(playId, loop, audio, (played) => onPlayed(playId, played));
  }

  /** Relays one voice that is alone, mixes several sources; called whenever what audio has changed. */
  #selectMode(): void {
    this.#audible = 0;
    for (const playback of this.#playbacks) if (playback.isAudible) this.#audible += 1;
    const [voice] = this.#voices;
    const alone = this.#voices.length === 1 && this.#tones.length === 0 && this.#audible === 0;
    if (alone && voice) this.#relayAlone(voice);
    else this.#mixVoices();
  }

  #relayAlone(voice: VoiceSource): void {
    if (this.#relayed?.voice === voice) return;
    // Listening before the others are given up keeps a tap open that both want.
    const before = this.#relayed;
    this.#relayed = { voice, stopListening: voice.listen(this.#relay) };
    before?.stopListening();
    const mixed = this.#inputs.find((input) => input.voice === voice) ?? null;
    for (const input of this.#inputs) if (input !== mixed) input.close();
    this.#inputs = [];
    this.#setFadeOut(mixed);
  }

  #mixVoices(): void {
    const before = this.#inputs;
    this.#inputs = this.#voices.map(
      (voice) => before.find((input) => input.voice === voice) ?? VoiceInput.open(voice),
    );
    for (const input of before) if (!this.#inputs.includes(input)) input.close();
    this.#relayed?.stopListening();
    this.#relayed = null;
    this.#setFadeOut(null);
  }

  #setFadeOut(input: VoiceInput | null): void {
    this.#fadeOut?.close();
    this.#fadeOut = input;
  }

  #tick = (nowMs: number, tick: number): void => {
    this.#tickNow = tick;
    const format = this.#options.format();
    if (!format) return;
    const pressing = this.#digitTick(format, nowMs);
    if (this.#audible > 0 || this.#playbacks.length > 0) this.#checkPlaybacks();
    if (pressing) return;
    const { sequencer, sendsSilence } = this.#options;
    if (this.#relayed) {
      if (!sendsSilence) return;
      const { sentAtMs } = sequencer;
      if (sentAtMs !== null && nowMs - sentAtMs < FILL_AFTER_MS) return;
      this.#generate(format, nowMs, SILENT[format.law]);
      return;
    }
    const sources = this.#inputs.length + this.#tones.length + this.#audible;
    if (sources > 1 || this.#inputs.length > 0) this.#mix(format, nowMs, tick);
    else if (sources === 1) this.#generate(format, nowMs, this.#onlyFrame(format.law));
    else if (sendsSilence) this.#generate(format, nowMs, SILENT[format.law]);
  };

  /** ClipCache that have been loaded, or have come to their end, change what is relayed and what is mixed. */
  #checkPlaybacks(): void {
    let audible = 0;
    for (const playback of this.#playbacks) if (playback.isAudible) audible += 1;
    if (audible !== this.#audible) this.#selectMode();
  }

  /** The next frame of the one tone or clip. */
  #onlyFrame(law: Law): Buffer {
    const [tone] = this.#tones;
    if (tone) return tone.frame(law);
    for (const playback of this.#playbacks) {
      const frame = playback.isAudible ? playback.frame(law) : null;
      if (frame) return frame;
    }
    return SILENT[law];
  }

  #mix(format: PlayerFormat, nowMs: number, tick: number): void {
    const frames = this.#frames;
    let count = 0;
    for (const input of this.#inputs) frames[count++] = input.frame(tick);
    for (const tone of this.#tones) frames[count++] = tone.pcm(format.law);
    for (const playback of this.#playbacks) {
      const pcm = playback.isAudible ? playback.pcm() : null;
      if (pcm) frames[count++] = pcm;
    }
    mixInto(frames, count, format.law, this.#payload);
    this.#generate(format, nowMs, this.#payload);
  }

  /** True when this tick belonged to a key. */
  #digitTick(format: PlayerFormat, nowMs: number): boolean {
    const key = this.#digits[0];
    if (!key) return false;
    const packet = key.packets[0];
    const { sequencer } = this.#options;
    if (packet && format.dtmfPayloadType !== null) {
      const numbers = packet.marker ? sequencer.generated(nowMs) : sequencer.sameTime(nowMs);
      // The first packet of a key waits until the stream is in time.
      if (!numbers) return true;
      this.#out(numbers, packet.marker, format.dtmfPayloadType, packet.payload);
    } else if (packet === null) {
      this.#generate(format, nowMs, SILENT[format.law]);
    }
    key.packets.shift();
    if (key.packets.length === 0) {
      this.#digits.shift();
      key.done();
    }
    return true;
  }

  #relay = (packet: VoicePacket, nowMs: number): void => {
    const format = this.#options.format();
    if (!format || this.#digits.length > 0) return;
    const numbers = this.#options.sequencer.relayed(packet, nowMs);
    if (!numbers) return;
    const fadeOut = this.#fadeOut;
    if (fadeOut && packet.payload.length === FRAME_SAMPLES) {
      fadeInto(fadeOut.frame(this.#tickNow + 1), packet.payload, packet.law, format.law, this.#payload);
      this.#out(numbers, numbers.marker, format.payloadType, this.#payload);
      this.#setFadeOut(null);
      return;
    }
    const payloadType = format.passThrough[packet.law];
    if (payloadType === null) {
      const payload = transcode(packet.payload, packet.law, format.law);
      this.#out(numbers, numbers.marker, format.payloadType, payload);
    } else {
      this.#out(numbers, numbers.marker, payloadType, packet.payload);
    }
  };

  #generate(format: PlayerFormat, nowMs: number, payload: Buffer): void {
    const numbers = this.#options.sequencer.generated(nowMs);
    if (numbers) this.#out(numbers, numbers.marker, format.payloadType, payload);
  }

  #out(numbers: PacketNumbers, marker: boolean, payloadType: number, payload: Buffer): void {
    const packet = this.#packet;
    packet.payloadType = payloadType;
    packet.marker = marker;
    packet.sequenceNumber = numbers.sequenceNumber;
    packet.timestamp = numbers.timestamp;
    packet.ssrc = this.#options.sequencer.ssrc;
    packet.payload = payload;
    this.#options.send(packet);
  }
}
