/**
 * What this media process remembers of carriers' addresses: those that asked us to wait (503 with Retry-After, RFC 3261
 * §21.5.4) get no INVITE until then, and those that did not respond are tried last.
 */

/** A longer Retry-After is shortened: it may concern one number only, and the carrier may be back much sooner. Ms. */
export const MAX_RETRY_AFTER_MS = 300_000;
/** How long an address that did not respond is tried last. Ms. */
const TRIED_LAST_MS = 30_000;
/** Number of addresses; the oldest entries are evicted. */
const MAX_ENTRIES = 1_000;

export type Standing = 'good' | 'tried last' | 'waiting';

export class HopMemory {
  readonly #now: () => number;
  readonly #entries = new Map<string, { standing: Standing; until: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  standing(hop: string): Standing {
    const entry = this.#entries.get(hop);
    return entry && entry.until > this.#now() ? entry.standing : 'good';
  }

  retryAfter(hop: string, seconds: number): void {
    this.#remember(hop, 'waiting', Math.min(MAX_RETRY_AFTER_MS, seconds * 1_000));
  }

  didNotRespond(hop: string): void {
    if (this.standing(hop) !== 'waiting') this.#remember(hop, 'tried last', TRIED_LAST_MS);
  }

  responded(hop: string): void {
    if (this.standing(hop) === 'tried last') this.#entries.delete(hop);
  }

  #remember(hop: string, standing: Standing, ms: number): void {
    this.#entries.delete(hop);
    this.#entries.set(hop, { standing, until: this.#now() + ms });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES) break;
      this.#entries.delete(oldest);
    }
  }
}

/** The seconds of a Retry-After header (RFC 3261 §20.33); 0 if there is none. */
export function retryAfterSeconds(header: string | undefined): number {
  const seconds = /^\s*(\d{1,9})/.exec(header ?? '')?.[1];
  return seconds === undefined ? 0 : Number(seconds);
}
