/**
 * The limits of the INVITEs that wait for a realtime node: one for addresses from which a call was accepted, and one for all others, so that
 * a flood of INVITEs from addresses of no trunk does not cause the calls of carriers to be rejected.
 */
import { InviteLimit } from './invite-limit.ts';

/** Beyond this number, the least recently used address is evicted. */
const MAX_ADDRESSES = 10_000;

/** Addresses from which a realtime node has accepted a call. */
export class AcceptedSources {
  /** In order of last use. */
  readonly #addresses = new Set<string>();

  has(address: string): boolean {
    return this.#addresses.has(address);
  }

  add(address: string): void {
    this.#addresses.delete(address);
    this.#addresses.add(address);
    const [oldest] = this.#addresses;
    if (this.#addresses.size > MAX_ADDRESSES && oldest !== undefined) this.#addresses.delete(oldest);
  }
}

export class InviteLimits {
  readonly #accepted: AcceptedSources;
  readonly #carriers: InviteLimit;
  readonly #others: InviteLimit;

  /** @param nowMs a monotonic clock */
  constructor(accepted: AcceptedSources, nowMs?: () => number) {
    this.#accepted = accepted;
    this.#carriers = new InviteLimit(nowMs);
    this.#others = new InviteLimit(nowMs);
  }

  /** The limit for INVITEs from a source address. */
  of(address: string): InviteLimit {
    return this.#accepted.has(address) ? this.#carriers : this.#others;
  }
}
