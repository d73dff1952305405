/**
 * Resolves the host name in a session description (RFC 4566 §5.7). The leg keeps its current source meanwhile. One name
 * is looked up at a time; the next is that of the newest description.
 */
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import { resolveHostName, type ResolveHost } from '../sdp/resolve.ts';
import type { Agreement } from '../sip/agreement.ts';

export interface SdpHostResolverOptions {
  boundAddress: string;
  /** The newest session description; null if the leg is closing. */
  newest: () => Agreement | null;
  /** Called with the address of the newest description. */
  onResolved: (session: Agreement) => void;
  log: Logger;
  lookup?: ResolveHost;
}

export class SdpHostResolver {
  readonly #options: SdpHostResolverOptions;
  #busy = false;

  constructor(options: SdpHostResolverOptions) {
    this.#options = options;
  }

  async resolve(session: Agreement): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    const resolved = await this.#resolved(session);
    this.#busy = false;
    const newest = this.#options.newest();
    if (newest === session) {
      if (resolved) this.#options.onResolved(resolved);
    } else if (newest && isIP(newest.remote.address) === 0) await this.resolve(newest);
  }

  async #resolved(session: Agreement): Promise<Agreement | null> {
    const { boundAddress, lookup, log } = this.#options;
    try {
      return { ...session, remote: await resolveHostName(session.remote, boundAddress, lookup) };
    } catch (error) {
      log.warn({ err: error }, 'the host name in the SDP cannot be used: waiting for packets from the trunk');
      return null;
    }
  }
}
