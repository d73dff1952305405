/** How many IDs are remembered: more than a person sends commands until the last repetition of the first one. */
const REMEMBERED_IDS = 64;

/** The IDs of the last commands that a leg has carried out and must not carry out again. */
export class RecentIds {
  /** Oldest first. */
  readonly #ids = new Set<string>();

  /** @returns false if it has been added before */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > REMEMBERED_IDS && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }
}
