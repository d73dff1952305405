/**
 * The engine's outbox: effects of committed steps that are still to be run, at least once. A row is claimed for a few seconds by one node
 * at a time and deleted when all its effects are done.
 */
import { poolOf, Prisma } from '@clarion/db';
import type { Call, Database, Tx } from '@clarion/db';
import type { OutsideEffect } from '../call-machine/effects.ts';
import { EFFECT_CLAIM_MS } from './commit.ts';
import type { Pending } from './commit.ts';
import { parseEffects, toJson } from './stored.ts';

/** Rows claimed at a time. */
const CLAIM_BATCH = 50;
/** Effects that could not be run for this long are dropped: their media node is gone and its legs have been reconciled. */
const OUTBOX_LIFE_MS = 120_000;

interface ClaimedRow {
  id: bigint;
  callId: number;
  effects: unknown;
  channelType: Call['channelType'] | null;
}

/**
 * Claims rows that no process is running: left by a process that died or could not run them, or written by one without sockets.
 *
 * @param exceptIds rows that are left to other processes
 */
export async function claimPending(
  db: Database,
  now: Date,
  { onlyId, exceptIds = [] }: { onlyId?: bigint; exceptIds?: readonly bigint[] } = {},
): Promise<Pending[]> {
  const until = new Date(now.getTime() + EFFECT_CLAIM_MS);
  const one = onlyId === undefined ? Prisma.empty : Prisma.sql`and "id" = ${onlyId}`;
  const others =
    exceptIds.length === 0 ? Prisma.empty : Prisma.sql`and "id" not in (${Prisma.join([...exceptIds])})`;
  const rows = await db.$queryRaw<ClaimedRow[]>`
    update "EngineOutbox" set "claimedUntil" = ${until}
    where "id" in (
      select "id" from "EngineOutbox"
      where ("claimedUntil" is null or "claimedUntil" < ${now}) ${one} ${others}
      order by "id" limit ${CLAIM_BATCH} for update skip locked)
    returning "id", "callId", "effects",
      (select c."channelType" from "Call" c where c."id" = "EngineOutbox"."callId") as "channelType"`;
  return rows
    .toSorted((a, b) => Number(a.id - b.id))
    .map(({ id, callId, effects, channelType }) => ({
      outboxId: id,
      callId,
      effects: parseEffects(effects),
      channelType,
      after: null,
    }));
}

/**
 * Stores effects that follow from no step, in the caller's transaction. The caller runs them after its commit; if it dies, another node
 * does.
 */
export async function storePending(
  tx: Tx,
  { callId, effects, channelType }: Pick<Pending, 'callId' | 'effects' | 'channelType'>,
  now: Date,
): Promise<Pending> {
  const { id: outboxId } = await tx.engineOutbox.create({
    data: {
      callId,
      effects: toJson(effects),
      claimedUntil: new Date(now.getTime() + EFFECT_CLAIM_MS),
      createdAt: now,
    },
  });
  return { outboxId, callId, effects, channelType, after: null };
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
