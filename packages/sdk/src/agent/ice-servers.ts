import type { IceServer } from '@clarion/protocol/socket';

/** Older credentials are renewed before a call uses them. The service issues them for an hour. */
export const ICE_SERVERS_MAX_AGE_MS = 5 * 60_000;

/** The TURN servers of the last session, with credentials that are not about to expire. */
export class IceServers {
  readonly #ask: () => Promise<IceServer[]>;
  #known: IceServer[] = [];
  #knownAt = 0;
  #asking: Promise<IceServer[]> | null = null;

  constructor(ask: () => Promise<IceServer[]>) {
    this.#ask = ask;
  }

  get known(): IceServer[] {
    return this.#known;
  }

  keep(servers: IceServer[]): void {
    this.#known = servers;
    this.#knownAt = Date.now();
  }

  /** Never fails: old credentials are better than none. */
  fresh(): Promise<IceServer[]> {
    if (this.#known.length === 0 || Date.now() - this.#knownAt < ICE_SERVERS_MAX_AGE_MS)
      return Promise.resolve(this.#known);
    return (this.#asking ??= this.#askAgain().finally(() => (this.#asking = null)));
  }

  async #askAgain(): Promise<IceServer[]> {
    try {
      this.keep(await this.#ask());
    } catch {
      // The call uses the old credentials.
    }
    return this.#known;
  }
}
