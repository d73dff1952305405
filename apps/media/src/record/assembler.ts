/**
 * Converts the records of a spool to stereo PCM, 20 ms at a time: the customer left, everyone the customer heard right.
 * Memory is bounded for any length, because a frame is emitted as soon as no earlier packet can follow. Pure.
 */
import { FRAME_SAMPLES } from '../rtp/g711.ts';
import type { Channel, SpooledPacket, SpoolVisitor } from './spool-format.ts';
import { VoiceTrack } from './voice-track.ts';

/** A packet that arrives later than this is dropped. */
const LATEST_SAMPLES = 8_000;

/** Interleaved left and right samples, valid only during the call. */
export type FrameSink = (pcm: Int16Array) => void;

export class Assembler implements SpoolVisitor {
  readonly #sink: FrameSink;
  readonly #voices = new Map<number, { track: VoiceTrack; offset: 0 | 1 }>();
  readonly #sum = new Int32Array(FRAME_SAMPLES * 2);
  readonly #frame = new Int16Array(FRAME_SAMPLES * 2);
  /** The number of samples emitted. */
  #emitted = 0;
  #clock = 0;
  #ended = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Length of the recording so far, in samples per channel. */
  get length(): number {
    return this.#clock;
  }

  voice(index: number, channel: Channel): void {
    this.#voices.set(index, { track: new VoiceTrack(), offset: channel === 'left' ? 0 : 1 });
  }

  packet(packet: SpooledPacket): void {
    if (this.#ended) return;
    this.#voices.get(packet.voice)?.track.add(packet, this.#emitted);
    this.#advanceTo(packet.at);
  }

  clock(at: number, ended: boolean): void {
    if (this.#ended) return;
    this.#advanceTo(at);
    this.#ended = ended;
  }

  /**
   * Emits the remaining frames at the end of the spool; the last is padded with silence. @returns samples per channel
   */
  finish(): number {
    while (this.#emitted < this.#clock) this.#emit();
    return this.#clock;
  }

  #advanceTo(at: number): void {
    if (at > this.#clock) this.#clock = at;
    while (this.#emitted + FRAME_SAMPLES + LATEST_SAMPLES <= this.#clock) this.#emit();
  }

  #emit(): void {
    const sum = this.#sum;
    const frame = this.#frame;
    let heard = false;
    sum.fill(0);
    for (const { track, offset } of this.#voices.values()) {
      heard = track.take(this.#emitted, FRAME_SAMPLES, sum, offset) || heard;
    }
    if (heard) {
      for (let index = 0; index < frame.length; index += 1) {
        const sample = sum[index] ?? 0;
        frame[index] = sample > 32_767 ? 32_767 : sample < -32_768 ? -32_768 : sample;
      }
    } else {
      frame.fill(0);
    }
    this.#emitted += FRAME_SAMPLES;
    this.#sink(frame);
  }
}
