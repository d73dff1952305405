/**
 * Notifies every realtime node of changes on a tenant's board: which calls changed, or only the figures of its queues. Changes within
 * COALESCE_MS are sent in one notification, so that the cost does not grow with the number of changes. Nodes read rows only for
 * boards that are watched (board.ts).
 */
import type { Database } from '@clarion/db';
import type { BoardFeed } from '../deps.ts';

const COALESCE_MS = 100;
/** A notification holds fewer than 8,000 bytes; an id is at most ten digits and a comma. */
const CALLS_PER_NOTIFICATION = 500;

export class PostgresBoardFeed implements BoardFeed {
  readonly #db: Database;
  #changed = new Map<number, Set<number>>();
  #sending: Promise<void> | null = null;
  #lastSentAt = -Infinity;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(db: Database) {
    this.#db = db;
  }

  changed(tenantId: number, callId?: number): Promise<void> {
    const calls = this.#changed.get(tenantId) ?? new Set();
    if (callId !== undefined) calls.add(callId);
    this.#changed.set(tenantId, calls);
    return (this.#sending ??= this.#begin());
  }

  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight);
  }

  #begin(): Promise<void> {
    const sending = this.#send().finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
    return sending;
  }

  async #send(): Promise<void> {
    const wait = Math.max(0, this.#lastSentAt + COALESCE_MS - performance.now());
    await new Promise((resolve) => setTimeout(resolve, wait));
    const changed = this.#changed;
    this.#changed = new Map();
    this.#sending = null;
    this.#lastSentAt = performance.now();
    const payloads = [...changed].flatMap(([tenantId, calls]) => payloadsOf(tenantId, [...calls]));
    await this.#db.$queryRaw`
      select pg_notify('clarion_board', "payload")::text from unnest(${payloads}::text[]) as "payload"`;
  }
}

function payloadsOf(tenantId: number, calls: number[]): string[] {
  if (calls.length === 0) return [String(tenantId)];
  return Array.from(
    { length: Math.ceil(calls.length / CALLS_PER_NOTIFICATION) },
    (_, page) =>
      `${tenantId}:${calls.slice(page * CALLS_PER_NOTIFICATION, (page + 1) * CALLS_PER_NOTIFICATION).join()}`,
  );
}

/** Parses a notification of `PostgresBoardFeed`. */
export function readBoardChange(payload: string): { tenantId: number; callIds: number[] } {
  const [tenant, calls] = payload.split(':');
  return { tenantId: Number(tenant), callIds: calls ? calls.split(',').map(Number) : [] };
}
