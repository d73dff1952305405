/**
 * Limits how many refusals are stored for diagnostics: internet scanners send thousands of INVITEs a minute, also to a trunk's ingress
 * host if they know it. Counted per minute, in this process.
 */
import type { Refusal } from '@clarion/core/call-engine/refusal';

const MINUTE_MS = 60_000;
/** For all unknown sources together, because source addresses can be forged. */
export const MAX_UNKNOWN_SOURCES_PER_MINUTE = 30;
/**
 * For the trunks that an unknown source concerns: it named their ingress host, or they list its address and are not active. Apart from the
 * others, so that scanners do not hide the first INVITE of a trunk that is being set up.
 */
export const MAX_UNKNOWN_SOURCES_PER_TRUNK_AND_MINUTE = 10;
export const MAX_UNKNOWN_SOURCES_OF_TRUNKS_PER_MINUTE = 60;
/** From one address of a trunk's carrier. */
export const MAX_PER_SOURCE_AND_MINUTE = 30;
/** From all addresses of a trunk's carrier. */
export const MAX_PER_TRUNK_AND_MINUTE = 120;

/** The counters of unknown sources; no trunk has these keys. */
const UNKNOWN_SOURCES = 'unknown-sources';
const UNKNOWN_SOURCES_OF_TRUNKS = 'unknown-sources-of-trunks';

export class RefusalBudget {
  #minute = 0;
  /** By trunk, and by trunk and source; bounded, because a trunk at its limit adds no further source. */
  #counts = new Map<string, number>();

  /** Whether this refusal is stored. */
  take(refusal: Pick<Refusal, 'trunkIds' | 'unknownSource'>, source: string, now: Date): boolean {
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts.clear();
    }
    const trunks = refusal.trunkIds.join(',');
    if (refusal.unknownSource && trunks === '')
      return this.#count([[UNKNOWN_SOURCES, MAX_UNKNOWN_SOURCES_PER_MINUTE]]);
    if (refusal.unknownSource)
      return this.#count([
        [UNKNOWN_SOURCES_OF_TRUNKS, MAX_UNKNOWN_SOURCES_OF_TRUNKS_PER_MINUTE],
        [`unknown ${trunks}`, MAX_UNKNOWN_SOURCES_PER_TRUNK_AND_MINUTE],
      ]);
    return this.#count([
      [trunks, MAX_PER_TRUNK_AND_MINUTE],
      [`${trunks} ${source}`, MAX_PER_SOURCE_AND_MINUTE],
    ]);
  }

  /** Counts in all limits, or, if one of them is reached, in none: a source at its limit does not use up its trunk's. */
  #count(limits: [key: string, max: number][]): boolean {
    const counts = limits.map(([key, max]) => ({ key, max, count: (this.#counts.get(key) ?? 0) + 1 }));
    if (counts.some(({ count, max }) => count > max)) return false;
    for (const { key, count } of counts) this.#counts.set(key, count);
    return true;
  }
}
