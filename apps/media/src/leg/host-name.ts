/**
 * The address of the host that a description names (RFC 4566 §5.7). Until it is known the leg keeps its current source. One name at a time:
 * the next is that of the newest description.
 */
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import { withAddress, type ResolveHost } from '../sdp/resolve.ts';
import type { CarrierSession } from './carrier-terms.ts';

export interface HostNameOptions {
  boundAddress: string;
  /** The newest description; null when the leg is closing. */
  newest: () => CarrierSession | null;
  /** The newest description has this address. */
  onResolved: (session: CarrierSession) => void;
  log: Logger;
  lookUp?: ResolveHost;
}

export class HostName {
  readonly #options: HostNameOptions;
  #busy = false;

  constructor(options: HostNameOptions) {
    this.#options = options;
  }

  async resolve(session: CarrierSession): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    const resolved = await this.#resolved(session);
    this.#busy = false;
    const newest = this.#options.newest();
    if (newest === session) {
      if (resolved) this.#options.onResolved(resolved);
    } else if (newest && isIP(newest.remote.address) === 0) await this.resolve(newest);
  }

  async #resolved(session: CarrierSession): Promise<CarrierSession | null> {
    const { boundAddress, lookUp, log } = this.#options;
    try {
      return { ...session, remote: await withAddress(session.remote, boundAddress, lookUp) };
    } catch (error) {
      log.warn({ err: error }, 'the host name in the SDP cannot be used: waiting for packets from the trunk');
      return null;
    }
  }
}
