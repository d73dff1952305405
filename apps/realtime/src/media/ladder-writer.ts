/**
 * Stores SIP ladders in the background, many calls in one statement: those of media nodes, and what this process exchanged with Meta. A
 * ladder is for diagnostics, so it waits for the database and never the other way round.
 */
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { storeCallLadders, storeRefusalLadders } from '@clarion/core/ladder/store-ladders';
import type { CallPart, RefusalPart } from '@clarion/core/ladder/store-ladders';
import { MAX_LADDERS_PER_MESSAGE } from '@clarion/protocol/ladder';
import type { LadderMessage, LadderPart } from '@clarion/protocol/ladder';
import { timeOfFact } from './fact-time.ts';
import type { Arrival } from './fact-time.ts';
import type { Deps } from '../deps.ts';

/** How long a ladder waits for others. */
const BATCH_MS = 200;
/** The refusal of an INVITE is stored a little later than media is told of it. */
const REFUSAL_RETRY_MS = 2_000;
/** What waits for a slow database; more is refused, and media sends it again. */
const MAX_WAITING = 1_000;
const compress = promisify(deflateRaw);

export class LadderWriter {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'now'>;
  #calls: CallPart[] = [];
  #refusals: RefusalPart[] = [];
  #round: Promise<void> | null = null;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(deps: Pick<Deps, 'db' | 'log' | 'now'>) {
    this.#deps = deps;
  }

  /** Ladders of a media node. Resolves once they are stored. @throws if they are not */
  async store(messages: readonly LadderMessage[], arrival: Arrival): Promise<void> {
    if (this.#calls.length + this.#refusals.length > MAX_WAITING) throw new Error('too many ladders wait');
    for (const { ladderId, callId, inviteId, at, data, sent } of messages) {
      const startedAt = timeOfFact(sent, at, arrival);
      if (callId !== null) this.#calls.push({ ladderId, callId, startedAt, data });
      else if (inviteId !== null) this.#refusals.push({ inviteId, startedAt, data });
    }
    await this.#next();
  }

  /** A part that this process captured. Its loss is only logged. */
  async add(ladderId: string, callId: number, startedAt: Date, part: LadderPart): Promise<void> {
    const data = (await compress(JSON.stringify(part))).toString('base64');
    if (this.#calls.length > MAX_WAITING) return;
    this.#calls.push({ ladderId, callId, startedAt, data });
    await this.#next();
  }

  /** Stores what waits. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await this.#round?.catch(() => undefined);
  }

  /** The round that stores what has been added until now. */
  #next(): Promise<void> {
    this.#round ??= new Promise<void>((resolve) => setTimeout(resolve, BATCH_MS)).then(() => {
      this.#round = null;
      return this.#write();
    });
    return this.#round;
  }

  async #write(): Promise<void> {
    const { db, now } = this.#deps;
    const calls = this.#calls.splice(0);
    const refusals = this.#refusals.splice(0);
    for (let at = 0; at < calls.length; at += MAX_LADDERS_PER_MESSAGE)
      await storeCallLadders(db, calls.slice(at, at + MAX_LADDERS_PER_MESSAGE), now());
    await this.#writeRefusals(refusals);
  }

  async #writeRefusals(refusals: readonly RefusalPart[]): Promise<void> {
    const { db, log } = this.#deps;
    const stored = await storeRefusalLadders(db, refusals);
    const early = refusals.filter(({ inviteId }) => !stored.has(inviteId));
    if (early.length === 0) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      storeRefusalLadders(db, early).catch((error: unknown) =>
        log.warn({ err: error }, 'failed to store the SIP ladder of a refused call'),
      );
    }, REFUSAL_RETRY_MS);
    this.#timers.add(timer);
  }
}
