/**
 * Whose packets a carrier leg hears. It learns the source from the first packet that comes from an allowed address (the
 * trunk's CIDRs or the address in the SDP), because carriers behind NAT send from another port than they announce, and
 * then hears nobody else, so that nobody who finds the port can speak into the call. Pure.
 */
import { addressSet, plainAddress, type AddressSet } from './cidr.ts';

export interface Source {
  address: string;
  port: number;
}

export class SourceLock {
  #allowed: AddressSet;
  #cidrs: readonly string[];
  #locked: Source | null = null;

  constructor(cidrs: readonly string[], announced: Source | null) {
    this.#cidrs = cidrs;
    this.#allowed = addressSet(announced ? [...cidrs, announced.address] : cidrs);
  }

  get locked(): Source | null {
    return this.#locked;
  }

  /** True when a packet from here is to be heard; locks onto the first such source. */
  accepts(address: string, port: number): boolean {
    const plain = plainAddress(address);
    if (this.#locked) return this.#locked.port === port && this.#locked.address === plain;
    // Nothing can be sent back to port 0.
    if (port === 0 || !this.#allowed.has(plain)) return false;
    this.#locked = { address: plain, port };
    return true;
  }

  /** A new SDP of the far end: forget the source and learn again. */
  reopen(announced: Source): void {
    this.#allowed = addressSet([...this.#cidrs, announced.address]);
    this.#locked = null;
  }
}
