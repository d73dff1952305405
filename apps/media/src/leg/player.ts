/**
 * What a held leg hears, as one outgoing RTP stream: a voice relayed packet by packet as it comes, a tone or silence by the
 * shared clock, keys in between. Several voices at once are not mixed yet: the first one named is heard.
 */
import type { Clip } from '@clarion/protocol/media';
import type { Clips } from '../mix/clips.ts';
import { Playback } from '../mix/playback.ts';
import type { Continuity, Numbers } from '../rtp/continuity.ts';
import { digitPackets, DIGIT_GAP_MS, DIGIT_PAUSE_MS, type DtmfPacket } from '../rtp/dtmf.ts';
import { FRAME_MS, FRAME_SAMPLES, SILENCE, transcode, type Law } from '../rtp/g711.ts';
import type { RtpPacket } from '../rtp/packet.ts';
import type { Ticker } from '../rtp/ticker.ts';
import { toneFrame, type ToneName } from '../rtp/tone.ts';
import type { Speaker, VoicePacket } from './speaker.ts';

export type PlayerSource =
  | { kind: 'voice'; speaker: Speaker }
  | { kind: 'tone'; tone: ToneName }
  | { kind: 'audio'; clips: readonly Clip[]; loop: boolean; playId: string };

/** What goes out on the leg: the law we send in, its payload type there, and that of keys. */
export interface PlayerFormat {
  law: Law;
  payloadType: number;
  dtmfPayloadType: number | null;
  /** Laws the listener takes as they come, by payload type; others are transcoded to `law`. */
  passes: (law: Law) => number | null;
}

/** A relayed voice that pauses this long is filled with silence. */
const FILL_AFTER_MS = 60;

export interface PlayerOptions {
  ticker: Ticker;
  clips: Clips;
  continuity: Continuity;
  /** Null while nothing may be sent. */
  format: () => PlayerFormat | null;
  send: (packet: RtpPacket) => void;
  /** Whether silence is sent where nothing is heard: carriers end calls that fall silent, browsers do not mind. */
  fillsSilence: boolean;
  /** A source of kind audio has come to its end, or cannot be played (protocol `leg:played`). */
  onPlayed: (playId: string, played: boolean) => void;
}

interface KeyPress {
  packets: (DtmfPacket | null)[];
  done: () => void;
}

export class Player {
  readonly #options: PlayerOptions;
  #source: PlayerSource | null = null;
  #running = false;
  #unlisten: (() => void) | null = null;
  #toneIndex = 0;
  #playback: Playback | null = null;
  #keys: KeyPress[] = [];

  constructor(options: PlayerOptions) {
    this.#options = options;
  }

  /** Plays from now on; the same sources again change nothing, a tone goes on where it is. */
  play(sources: readonly PlayerSource[]): void {
    const next = sources.find((source) => source.kind === 'voice') ?? sources[0] ?? null;
    if (!this.#running) {
      this.#running = true;
      this.#options.ticker.add(this.#tick);
    }
    if (same(this.#source, next)) return;
    this.#unlisten?.();
    this.#unlisten = next?.kind === 'voice' ? next.speaker.listen(this.#relay) : null;
    this.#source = next;
    this.#toneIndex = 0;
    this.#playback?.abandon();
    this.#playback = next?.kind === 'audio' ? this.#start(next) : null;
  }

  /** Sends nothing any more; keys not yet sent are given up. */
  stop(): void {
    this.#unlisten?.();
    this.#unlisten = null;
    this.#source = null;
    this.#playback?.abandon();
    this.#playback = null;
    if (this.#running) this.#options.ticker.remove(this.#tick);
    this.#running = false;
    for (const key of this.#keys.splice(0)) key.done();
  }

  /** Sends keys one after the other while whatever plays pauses; resolves when the last one has been sent. */
  press(digits: string): Promise<void> {
    const packets: (DtmfPacket | null)[] = [];
    for (const digit of digits) {
      const pauseMs = digit === ',' ? DIGIT_PAUSE_MS : DIGIT_GAP_MS;
      packets.push(...(digitPackets(digit) ?? []));
      packets.push(...Array.from({ length: pauseMs / FRAME_MS }, () => null));
    }
    return new Promise((resolve) => this.#keys.push({ packets, done: resolve }));
  }

  #tick = (nowMs: number): void => {
    const format = this.#options.format();
    if (!format) return;
    if (this.#pressTick(format, nowMs)) return;
    if (this.#source?.kind === 'tone') {
      const payload = toneFrame(this.#source.tone, format.law, this.#toneIndex);
      this.#toneIndex += 1;
      this.#out(this.#options.continuity.generated(nowMs), format.payloadType, payload);
      return;
    }
    const frame = this.#playback?.frame(format.law);
    if (frame) {
      this.#out(this.#options.continuity.generated(nowMs), format.payloadType, frame);
      return;
    }
    if (!this.#options.fillsSilence) return;
    const sentAtMs = this.#options.continuity.sentAtMs;
    if (this.#source?.kind === 'voice' && sentAtMs !== null && nowMs - sentAtMs < FILL_AFTER_MS) return;
    this.#out(
      this.#options.continuity.generated(nowMs),
      format.payloadType,
      Buffer.alloc(FRAME_SAMPLES, SILENCE[format.law]),
    );
  };

  #start({ clips, loop, playId }: PlayerSource & { kind: 'audio' }): Playback {
    const { clips: library, onPlayed } = this.#options;
    const sounds = Promise.all(clips.map((clip) => library.load(clip)));
    return new Playback(playId, loop, sounds, (played) => onPlayed(playId, played));
  }

  /** True when this tick belonged to a key. */
  #pressTick(format: PlayerFormat, nowMs: number): boolean {
    const key = this.#keys[0];
    if (!key) return false;
    const packet = key.packets.shift();
    const { continuity } = this.#options;
    if (packet && format.dtmfPayloadType !== null) {
      const numbers = packet.marker ? continuity.generated(nowMs) : continuity.sameTime(nowMs);
      this.#out({ ...numbers, marker: packet.marker }, format.dtmfPayloadType, packet.payload);
    } else if (packet === null) {
      const silence = Buffer.alloc(FRAME_SAMPLES, SILENCE[format.law]);
      this.#out(continuity.generated(nowMs), format.payloadType, silence);
    }
    if (key.packets.length === 0) {
      this.#keys.shift();
      key.done();
    }
    return true;
  }

  #relay = (packet: VoicePacket, nowMs: number): void => {
    const format = this.#options.format();
    if (!format || this.#keys.length > 0) return;
    const numbers = this.#options.continuity.relayed(packet, nowMs);
    if (!numbers) return;
    const payloadType = format.passes(packet.law);
    if (payloadType === null) {
      this.#out(numbers, format.payloadType, transcode(packet.payload, packet.law, format.law));
    } else {
      this.#out(numbers, payloadType, packet.payload);
    }
  };

  #out(numbers: Numbers, payloadType: number, payload: Buffer): void {
    const { ssrc } = this.#options.continuity.position;
    this.#options.send({ ...numbers, ssrc, payloadType, payload });
  }
}

function same(a: PlayerSource | null, b: PlayerSource | null): boolean {
  if (a?.kind === 'voice' && b?.kind === 'voice') return a.speaker === b.speaker;
  if (a?.kind === 'tone' && b?.kind === 'tone') return a.tone === b.tone;
  if (a?.kind === 'audio' && b?.kind === 'audio') return a.playId === b.playId;
  return a === b;
}
