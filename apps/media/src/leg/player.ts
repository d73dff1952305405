/**
 * Produces what a leg hears as one outgoing RTP stream. A single voice is relayed packet by packet without decoding; a
 * single tone or clip is sent at the shared clock; several sources are mixed at that clock. DTMF interrupts them. The
 * `RtpSequencer` keeps the numbering and timing continuous across all changes, and a voice that enters or leaves the
 * mix is faded so that there is no click.
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

/** The format sent on the leg: codec, its payload type, and that of telephone events. */
export interface PlayerFormat {
  law: Law;
  payloadType: number;
  dtmfPayloadType: number | null;
  /** Payload types of the codecs that the listener accepts without transcoding; null: transcoded to `law`. */
  passThrough: Readonly<Record<Law, number | null>>;
}

/** A pause of this length in a relayed voice is filled with silence. */
const FILL_AFTER_MS = 60;
/** Before the first packet of a stream's first voice: enough for a NAT and for a carrier that waits for audio, with little work. */
const SILENCE_BEFORE_VOICE_MS = 200;

export interface PlayerOptions {
  ticker: Ticker;
  clips: ClipCache;
  sequencer: RtpSequencer;
  /** Null while nothing may be sent. */
  format: () => PlayerFormat | null;
  /** The packet and its payload are valid only during the call. */
  send: (packet: RtpPacket) => void;
  /**
   * Whether silence is sent when there is nothing to hear. Carriers end calls on which nothing is sent; browsers do not
   * need it.
   */
  sendsSilence: boolean;
  /** Called when a source of kind `audio` has ended or cannot be played (`leg:played` of the protocol). */
  onPlayed: (playId: string, played: boolean) => void;
}

interface QueuedDigit {
  packets: (DtmfPacket | null)[];
  done: () => void;
}

export class Player {
  readonly #options: PlayerOptions;
  #running = false;
  /** Whether this player is called at every tick. */
  #ticking = false;
  /** Whether anything but the silence before the first voice has been sent. */
  #streaming = false;
  #silenceBeforeVoice: NodeJS.Timeout | null = null;
  #voices: readonly VoiceSource[] = [];
  #tones: readonly ToneGenerator[] = [];
  #playbacks: readonly Playback[] = [];
  /** How many of `#playbacks` are audible. */
  #audible = 0;
  /** The only voice, relayed without decoding. */
  #relayed: { voice: VoiceSource; stopListening: () => void } | null = null;
  /** The voices in the mix. */
  #inputs: VoiceInput[] = [];
  /** The input of a voice that has left the mix. Its first relayed packet is faded in from the mix. */
  #fadeOut: VoiceInput | null = null;
  #digits: QueuedDigit[] = [];
  /** Whether digits wait for the next `play`. */
  #defersDigits = false;
  #tickNow = 0;
  /** Reused for every frame. */
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

  /** Plays the mix of these sources from now on. A source that was already playing continues where it is. */
  play(sources: readonly PlayerSource[]): void {
    this.#running = true;
    const voices = sources.flatMap((source) => (source.kind === 'voice' ? [source.voice] : []));
    this.#voices = [...new Set(voices)];
    this.#tones = this.#tonesOf(sources);
    this.#playbacks = this.#playbacksOf(sources);
    this.#defersDigits = false;
    this.#selectMode();
    this.#setClock();
  }

  /** Whether exactly one voice is heard, and relayed. */
  get isRelaying(): boolean {
    return this.#relayed !== null;
  }

  /** Digits are sent after the next `play`, so that none is in progress when `stop` is called. */
  deferDigits(): void {
    this.#defersDigits = true;
    this.#setClock();
  }

  /** Stops sending until the next `play`. No end of a clip is reported. */
  stop(): void {
    this.#voices = [];
    this.#tones = [];
    for (const playback of this.#playbacks) playback.abandon();
    this.#playbacks = [];
    this.#selectMode();
    this.#setFadeOut(null);
    this.#running = false;
    this.#streaming = true; // another sender continues the stream
    this.#setClock();
  }

  /** Stops sending for good. Digits not yet sent are dropped. */
  close(): void {
    this.stop();
    for (const key of this.#digits.splice(0)) key.done();
  }

  /** Sends DTMF digits one after the other, interrupting what is playing; resolves when the last one has been sent. */
  sendDigits(digits: string): Promise<void> {
    const packets: (DtmfPacket | null)[] = [];
    for (const digit of digits) {
      const pauseMs = digit === ',' ? DIGIT_PAUSE_MS : DIGIT_GAP_MS;
      packets.push(...(digitPackets(digit) ?? []));
      packets.push(...Array.from({ length: pauseMs / FRAME_MS }, () => null));
    }
    return new Promise((resolve) => {
      this.#digits.push({ packets, done: resolve });
      this.#setClock();
    });
  }

  /** Something is to be sent or checked every 20 ms. A process that has no such player is not woken. */
  get #needsTicks(): boolean {
    if (this.#nextDigit || this.#fadeOut) return true;
    if (this.#inputs.length + this.#tones.length + this.#playbacks.length > 0) return true;
    return this.#options.sendsSilence && (!this.#relayed || this.#streaming);
  }

  #setClock(): void {
    const { ticker, sendsSilence } = this.#options;
    const ticking = this.#running && this.#needsTicks;
    if (ticking !== this.#ticking) {
      this.#ticking = ticking;
      if (ticking) ticker.add(this.#tick);
      else ticker.remove(this.#tick);
    }
    const waiting = this.#running && sendsSilence && !ticking;
    if (waiting === (this.#silenceBeforeVoice !== null)) return;
    if (this.#silenceBeforeVoice) clearInterval(this.#silenceBeforeVoice);
    this.#silenceBeforeVoice = waiting ? setInterval(this.#keepOpen, SILENCE_BEFORE_VOICE_MS) : null;
    if (waiting) this.#keepOpen();
  }

  #keepOpen = (): void => {
    const format = this.#options.format();
    if (format) this.#generate(format, performance.now(), SILENT[format.law]);
  };

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

  /** Relays a single voice or mixes several sources. Called whenever the audible sources change. */
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
    // Listening to the new voice before releasing the others keeps a shared tap open.
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
    if (format) this.#sendFrame(format, nowMs, tick);
    this.#setClock();
  };

  #sendFrame(format: PlayerFormat, nowMs: number, tick: number): void {
    this.#streaming = true;
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
  }

  /** Clips that have finished loading or playing change what is relayed or mixed. */
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

  get #nextDigit(): QueuedDigit | null {
    return this.#defersDigits ? null : (this.#digits[0] ?? null);
  }

  /** Returns true if this tick was used for a digit. */
  #digitTick(format: PlayerFormat, nowMs: number): boolean {
    const key = this.#nextDigit;
    if (!key) return false;
    const packet = key.packets[0];
    const { sequencer } = this.#options;
    if (packet && format.dtmfPayloadType !== null) {
      const numbers = packet.marker ? sequencer.generated(nowMs) : sequencer.sameTime(nowMs);
      // The first packet of a digit waits until the stream is back in time.
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
    if (!format || this.#nextDigit) return;
    const numbers = this.#options.sequencer.relayed(packet, nowMs);
    if (!numbers) return;
    if (!this.#streaming) {
      this.#streaming = true;
      this.#setClock();
    }
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
