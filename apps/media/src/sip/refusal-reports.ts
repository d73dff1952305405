/**
 * Limits how many INVITEs that media itself rejected are reported for the diagnostics of their trunks. Anyone can send such an INVITE, and
 * each report costs realtime a look-up. Counted per minute.
 */
const MINUTE_MS = 60_000;
export const MAX_REPORTS_PER_SOURCE_AND_MINUTE = 10;
/** From all sources, because source addresses can be forged. */
export const MAX_REPORTS_PER_MINUTE = 120;

export class RefusalReports {
  #minute = 0;
  #total = 0;
  /** By source; bounded, because no source is added once the total is reached. */
  readonly #bySource = new Map<string, number>();

  /** Whether this rejection is reported. */
  take(source: string, nowMs: number): boolean {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#total = 0;
      this.#bySource.clear();
    }
    const count = (this.#bySource.get(source) ?? 0) + 1;
    if (count > MAX_REPORTS_PER_SOURCE_AND_MINUTE || this.#total >= MAX_REPORTS_PER_MINUTE) return false;
    this.#bySource.set(source, count);
    this.#total += 1;
    return true;
  }
}
