/**
 * Whether audio arrives from a remote party that has not answered. Only such audio replaces our ringback, because a 183
 * alone proves nothing: some carriers send it without any audio, others send an announcement, then a 180 and no more
 * audio (RFC 3960 §3.2).
 */

/** Longer than the silence in any ringing tone (ITU-T E.180: 4 s), in which silence suppression may send nothing. */
export const EARLY_MEDIA_PAUSE_MS = 5_000;

export class EarlyMedia {
  readonly #onChange: () => void;
  #active = false;
  #heardAtMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #over = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get active(): boolean {
    return this.#active;
  }

  /** A packet has arrived. Comfort noise prolongs early media but does not start it. */
  receive(kind: 'voice' | 'comfort-noise'): void {
    if (this.#over || (kind === 'comfort-noise' && !this.#active)) return;
    this.#heardAtMs = performance.now();
    if (this.#active) return;
    this.#active = true;
    this.#arm(EARLY_MEDIA_PAUSE_MS);
    this.#onChange();
  }

  /** The remote party has answered, or the leg has ended. */
  end(): void {
    this.#over = true;
    this.#active = false;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(ms: number): void {
    this.#timer = setTimeout(() => this.#check(), ms);
  }

  #check(): void {
    const leftMs = EARLY_MEDIA_PAUSE_MS - (performance.now() - this.#heardAtMs);
    if (leftMs > 0) return this.#arm(leftMs);
    this.#timer = null;
    this.#active = false;
    this.#onChange();
  }
}
