/**
 * The last INVITE of each trunk, for its diagnostics. Stored together after a moment, so that however many calls arrive, a node adds at most
 * one statement a second.
 */
import type { InboundCallResult } from '@clarion/core/call-engine/create-inbound-call';
import { storeLastInvites } from '@clarion/core/trunk/trunk-state';
import type { LastInvite } from '@clarion/core/trunk/trunk-state';
import type { InviteRequest } from '@clarion/protocol/media';
import type { Deps } from '../deps.ts';

const STORE_AFTER_MS = 1_000;
const MAX_CHARS = 191;

export class LastInvites {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'now'>;
  readonly #seen = new Map<number, LastInvite>();
  #timer: NodeJS.Timeout | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(deps: Pick<Deps, 'db' | 'log' | 'now'>) {
    this.#deps = deps;
  }

  decided(question: InviteRequest, { servedOn, refusal }: InboundCallResult): void {
    // Anyone on the internet can name the ingress host of a trunk, but only its carrier calls from its addresses.
    const isCarrier = refusal !== null && (!refusal.unknownSource || refusal.code === 'trunk_not_active');
    const trunkIds = servedOn === undefined ? (isCarrier ? refusal.trunkIds : []) : [servedOn];
    for (const trunkId of trunkIds) {
      this.#seen.set(trunkId, {
        trunkId,
        at: this.#deps.now(),
        source: question.source.address.slice(0, MAX_CHARS),
        number: calledNumber(question).slice(0, MAX_CHARS),
      });
    }
    if (this.#seen.size > 0) this.#timer ??= setTimeout(() => void this.flush(), STORE_AFTER_MS);
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const invites = [...this.#seen.values()];
    this.#seen.clear();
    if (invites.length > 0) this.#storing = this.#storing.then(() => this.#store(invites));
    await this.#storing;
  }

  async #store(invites: readonly LastInvite[]): Promise<void> {
    const { db, log } = this.#deps;
    await storeLastInvites(db, invites).catch((error: unknown) =>
      log.warn({ err: error, trunks: invites.length }, 'failed to store the last INVITEs of trunks'),
    );
  }
}

/** A carrier that registers us sends calls to our contact, and names the number in To. */
const calledNumber = ({ requestUser, toUser }: InviteRequest): string =>
  /^[+\d*#]/.test(requestUser) || toUser === '' ? requestUser : toUser;
