/**
 * Decides whose packets a carrier leg accepts. It learns the source from the first packet that comes from an allowed
 * address (the trunk's CIDRs or the address in the SDP), because carriers behind NAT send from another port than they
 * announce. After that it accepts no other source, so that a third party that finds the port cannot inject audio. Pure:
 * time is passed as `nowMs`.
 *
 * A new session description (re-INVITE, UPDATE, a 200 that differs from the 183) unlocks it. Packets from the previous
 * source may still be in flight, so that source is ignored: if it were learned again, the new one would be rejected. It
 * is accepted again once it is announced again.
 */
import { addressSet, plainAddress, type AddressSet } from './cidr.ts';

export interface Source {
  address: string;
  port: number;
}

/** The address that an earlier description announced, and the source learned for it. */
interface Replaced {
  announced: Source;
  learned: Source | null;
}

/**
 * A replaced source that still sends this long after the new description, while no other source does, has not moved:
 * some gateways announce another port and keep sending from the old one. It is accepted, and we send to the announced
 * address.
 */
export const REPLACED_QUIET_MS = 2_000;
/** The number of earlier descriptions that are kept: more than a call needs, and a bound on memory. */
const MAX_REPLACED = 8;

export class SourceLock {
  readonly #cidrs: readonly string[];
  /** The address that the remote party's answer came from. */
  #answeredFrom: string | null = null;
  #allowed: AddressSet;
  #announced: Source | null = null;
  /** Whether we may send to the announced address. */
  #usable = false;
  #locked: Source | null = null;
  #replaced: Replaced[] = [];
  #openedAtMs = 0;

  constructor(cidrs: readonly string[]) {
    this.#cidrs = cidrs;
    this.#allowed = addressSet(cidrs);
  }

  get locked(): Source | null {
    return this.#locked;
  }

  /** Adds the address that the answer came from to the trunk's, because the trunk may be configured only by name. */
  answeredFrom(address: string): void {
    if (address === this.#answeredFrom) return;
    this.#answeredFrom = plainAddress(address);
    this.#allow();
  }

  isOfTrunk(address: string): boolean {
    return addressSet(this.#own).has(address);
  }

  get #own(): string[] {
    return [...this.#cidrs, ...(this.#answeredFrom === null ? [] : [this.#answeredFrom])];
  }

  #allow(): void {
    const announced = this.#usable && this.#announced ? [this.#announced.address] : [];
    this.#allowed = addressSet([...this.#own, ...announced]);
  }

  /** Whether a packet from this source is accepted. Locks onto the first such source. */
  accepts(address: string, port: number, nowMs: number): boolean {
    const from = { address: plainAddress(address), port };
    if (this.#locked) return same(this.#locked, from);
    // Nothing can be sent back to port 0.
    if (port === 0 || !this.#allowed.has(from.address)) return false;
    if (this.#isReplaced(from)) {
      if (nowMs - this.#openedAtMs < REPLACED_QUIET_MS) return false;
      // Not locked, so that the new source takes over with its first packet.
      if (this.#usable) return true;
    }
    this.#locked = from;
    return true;
  }

  /**
   * Applies a new session description. If it announces the same address and port as before, the source is kept.
   *
   * @param usable whether the announced address may be sent to and accepted as a source
   * @returns whether the source must be learned again
   */
  announce(announced: Source, usable: boolean, nowMs: number): boolean {
    const before = this.#announced;
    if (same(before, announced)) return false;
    if (before) this.#replaced.push({ announced: before, learned: this.#locked });
    this.#replaced = this.#replaced
      .filter((one) => !same(one.announced, announced) && !same(one.learned, announced))
      .slice(-MAX_REPLACED);
    this.#announced = announced;
    this.#usable = usable;
    this.#allow();
    this.#locked = null;
    this.#openedAtMs = nowMs;
    return true;
  }

  #isReplaced(source: Source): boolean {
    if (same(this.#announced, source)) return false;
    return this.#replaced.some((one) => same(one.announced, source) || same(one.learned, source));
  }
}

export const same = (a: Source | null, b: Source | null): boolean =>
  a !== null && b !== null && a.port === b.port && a.address === b.address;
