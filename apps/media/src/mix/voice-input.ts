/**
 * A voice as input of mixes: one jitter buffer, shared by all mixes that include the voice, decoded once and read once
 * per tick.
 */
import type { VoiceSource, VoicePacket } from '../leg/voice-source.ts';
import { FRAME_SAMPLES } from '../rtp/g711.ts';
import { JitterBuffer } from './jitter-buffer.ts';

/** Older audio is not used to continue the voice. */
const FRESH_MS = 40;
/** After this many missed ticks the buffered audio is no longer useful. */
const MAX_MISSED_TICKS = 50;

const inputs = new WeakMap<VoiceSource, VoiceInput>();

export class VoiceInput {
  readonly buffer = new JitterBuffer();
  readonly #voice: VoiceSource;
  readonly #stopListening: () => void;
  #users = 0;
  #tick = -1;
  #frame: Int16Array = new Int16Array(FRAME_SAMPLES);

  private constructor(voice: VoiceSource) {
    this.#voice = voice;
    const last = voice.lastPacketSince(performance.now() - FRESH_MS);
    if (last) this.buffer.seed(last.payload, last.law);
    this.#stopListening = voice.listen(this.#receive);
  }

  /** Returns the shared input of this voice; release it with `close`. */
  static open(voice: VoiceSource): VoiceInput {
    let input = inputs.get(voice);
    if (!input) {
      input = new VoiceInput(voice);
      inputs.set(voice, input);
    }
    input.#users += 1;
    return input;
  }

  get voice(): VoiceSource {
    return this.#voice;
  }

  close(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#stopListening();
    if (inputs.get(this.#voice) === this) inputs.delete(this.#voice);
  }

  /** The 20 ms of this tick, the same for all mixes and valid until the next tick. Tick numbers increase. */
  frame(tick: number): Int16Array {
    if (tick !== this.#tick) {
      const missed = this.#tick < 0 ? 0 : Math.min(tick - this.#tick - 1, MAX_MISSED_TICKS);
      for (let each = 0; each < missed; each += 1) this.buffer.pull();
      this.#frame = this.buffer.pull();
      this.#tick = tick;
    }
    return this.#frame;
  }

  #receive = (packet: VoicePacket): void => {
    this.buffer.push(packet.payload, packet.law, packet.timestamp, packet.ssrc);
  };
}
