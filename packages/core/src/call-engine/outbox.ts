/**
 * The engine's outbox: effects of committed steps that are still to be run, at least once. A row is claimed for a few seconds by one node
 * at a time and deleted when all its effects are done.
 */
import { poolOf, Prisma } from '@clarion/db';
import type { Database } from '@clarion/db';
import type { OutsideEffect } from '../call-machine/effects.ts';
import { EFFECT_CLAIM_MS } from './commit.ts';
import type { Pending } from './commit.ts';
import { parseEffects, toJson } from './stored.ts';

/** Rows claimed at a time. */
const CLAIM_BATCH = 50;
/** Effects that could not be run for this long are dropped: their media node is gone and its legs have been reconciled. */
const OUTBOX_LIFE_MS = 120_000;

/** Claims rows that no process is running: left by a process that died, or written by one without sockets. */
export async function claimPending(db: Database, now: Date, onlyId?: bigint): Promise<Pending[]> {
  const until = new Date(now.getTime() + EFFECT_CLAIM_MS);
  const one = onlyId === undefined ? Prisma.empty : Prisma.sql`and "id" = ${onlyId}`;
  const rows = await db.$queryRaw<{ id: bigint; callId: number; effects: unknown }[]>`
    update "EngineOutbox" set "claimedUntil" = ${until}
    where "id" in (
      select "id" from "EngineOutbox"
      where ("claimedUntil" is null or "claimedUntil" < ${now}) ${one}
      order by "id" limit ${CLAIM_BATCH} for update skip locked)
    returning "id", "callId", "effects"`;
  return rows
    .toSorted((a, b) => Number(a.id - b.id))
    .map(({ id, callId, effects }) => ({
      outboxId: id,
      callId,
      effects: parseEffects(effects),
      after: null,
    }));
}

/** All effects of these rows are done. A row that was deleted at the end of its call is not an error. */
export async function settlePending(db: Database, outboxIds: readonly bigint[]): Promise<void> {
  await poolOf(db).query({
    name: 'settle-effects',
    text: 'delete from "EngineOutbox" where "id" = any($1::bigint[])',
    values: [outboxIds.map(String)],
  });
}

/** Releases what is left to any node that can run it. */
export async function returnPending(
  db: Database,
  outboxId: bigint,
  left: OutsideEffect[],
  retryAt: Date,
): Promise<void> {
  await db.engineOutbox.updateMany({
    where: { id: outboxId },
    data: { effects: toJson(left), claimedUntil: retryAt },
  });
}

export async function dropStalePending(db: Database, now: Date): Promise<number> {
  const { count } = await db.engineOutbox.deleteMany({
    where: { createdAt: { lt: new Date(now.getTime() - OUTBOX_LIFE_MS) } },
  });
  return count;
}
