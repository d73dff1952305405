/**
 * Whether a far end that has not answered is heard: only then does its voice take the place of our ring tone. A 183 alone says nothing:
 * some carriers send it and no packet, others an announcement and then a 180 and nothing more (RFC 3960 §3.2).
 */

/** Longer than the pause of any ring tone (ITU-T E.180: 4 s), which silence suppression leaves out. */
export const EARLY_MEDIA_PAUSE_MS = 5_000;

export class EarlyMedia {
  readonly #onChange: () => void;
  #speaks = false;
  #heardAtMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #over = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get speaks(): boolean {
    return this.#speaks;
  }

  /** A packet has come. Comfort noise goes on with what is heard and begins nothing. */
  heard(kind: 'voice' | 'noise'): void {
    if (this.#over || (kind === 'noise' && !this.#speaks)) return;
    this.#heardAtMs = performance.now();
    if (this.#speaks) return;
    this.#speaks = true;
    this.#arm(EARLY_MEDIA_PAUSE_MS);
    this.#onChange();
  }

  /** The far end has answered, or the leg is over. */
  end(): void {
    this.#over = true;
    this.#speaks = false;
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
    this.#speaks = false;
    this.#onChange();
  }
}
