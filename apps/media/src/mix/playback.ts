/**
 * One source of kind `audio` on one leg: its clips joined sample by sample and cut into frames. It does not advance
 * until every clip is loaded and its leg requests frames.
 */
import { encodeInto, FRAME_SAMPLES, type Law } from '../rtp/g711.ts';
import { ToneGenerator } from '../rtp/tone.ts';
import type { PcmAudio } from '../rtp/pcm-audio.ts';

/** loading: silent. ended: silent, never for a loop. unavailable: a clip could not be loaded. */
export type PlaybackState = 'loading' | 'playing' | 'ended' | 'unavailable';

const SILENCE_FRAME = new Int16Array(FRAME_SAMPLES);

export class Playback {
  readonly playId: string;
  readonly loop: boolean;
  #state: PlaybackState = 'loading';
  #audio: readonly PcmAudio[] = [];
  /** Position of the next frame. */
  #clip = 0;
  #sample = 0;
  readonly #fallback = new ToneGenerator('hold');
  readonly #joined = new Int16Array(FRAME_SAMPLES);
  readonly #onEnd: (played: boolean) => void;

  /** @param onEnd called once, but never for a loop: true after the last frame, false if a clip is unavailable */
  constructor(
    playId: string,
    loop: boolean,
    audio: Promise<readonly (PcmAudio | null)[]>,
    onEnd: (played: boolean) => void,
  ) {
    this.playId = playId;
    this.loop = loop;
    this.#onEnd = onEnd;
    void audio.then((loaded) => this.#loaded(loaded));
  }

  get state(): PlaybackState {
    return this.#state;
  }

  /** Whether there is anything to hear. */
  get isAudible(): boolean {
    return this.#state === 'playing' || (this.#state === 'unavailable' && this.loop);
  }

  /** Stops without reporting an end, because there is no listener any more. */
  abandon(): void {
    this.#state = 'ended';
  }

  /** The next 20 ms, encoded and read-only; null if there is nothing to hear. */
  frame(law: Law): Buffer | null {
    if (this.#state === 'unavailable' && this.loop) return this.#fallback.frame(law);
    const whole = this.#whole();
    if (whole) {
      this.#sample += FRAME_SAMPLES;
      return whole.encoded(law, this.#sample - FRAME_SAMPLES, this.#sample);
    }
    if (!this.#join()) return null;
    const frame = Buffer.allocUnsafe(FRAME_SAMPLES);
    encodeInto(law, this.#joined, frame, 0);
    return frame;
  }

  /** The next 20 ms as read-only samples, valid until the next call; null if there is nothing to hear. */
  pcm(): Int16Array | null {
    if (this.#state === 'unavailable' && this.loop) return this.#fallback.pcm('PCMA');
    const whole = this.#whole();
    if (whole) {
      this.#sample += FRAME_SAMPLES;
      return whole.pcm.subarray(this.#sample - FRAME_SAMPLES, this.#sample);
    }
    return this.#join() ? this.#joined : null;
  }

  /** The clip that contains the whole next frame. */
  #whole(): PcmAudio | null {
    if (this.#state !== 'playing') return null;
    const audio = this.#audio[this.#clip];
    return audio && this.#sample + FRAME_SAMPLES <= audio.pcm.length ? audio : null;
  }

  /** Assembles the next frame across clips in `#joined`; false at the end. */
  #join(): boolean {
    if (this.#state !== 'playing') return false;
    let filled = 0;
    while (filled < FRAME_SAMPLES) {
      const audio = this.#audio[this.#clip];
      if (!audio) {
        if (!this.loop) break;
        this.#clip = 0;
        continue;
      }
      const part = audio.pcm.subarray(this.#sample, this.#sample + FRAME_SAMPLES - filled);
      this.#joined.set(part, filled);
      filled += part.length;
      this.#sample += part.length;
      if (this.#sample < audio.pcm.length) break;
      this.#clip += 1;
      this.#sample = 0;
    }
    if (filled === 0) {
      this.#state = 'ended';
      this.#onEnd(true);
      return false;
    }
    this.#joined.set(SILENCE_FRAME.subarray(filled), filled);
    return true;
  }

  #loaded(audio: readonly (PcmAudio | null)[]): void {
    if (this.#state !== 'loading') return;
    const found = audio.filter((audio) => audio !== null);
    if (found.length === audio.length) {
      this.#audio = found;
      this.#state = 'playing';
      return;
    }
    this.#state = 'unavailable';
    if (!this.loop) this.#onEnd(false);
  }
}
