/**
 * The test of a trunk. It takes a connection to the SIP gateway, which only media has, so the request is stored in the trunk's state and a
 * realtime node carries it out: it claims the test, stores the result, and the caller reads it. Nothing waits in a transaction.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, failureDocs, failures, notFound, trunkTestResult } from '@clarion/protocol';
import type { FailureCode, TrunkCheck, TrunkTestResult } from '@clarion/protocol';
import { TEST_INTERVAL_SECONDS } from '@clarion/protocol/v1/tenant/trunk-diagnostics';
import type { PingResource, TrunkCheckResource } from '@clarion/protocol/v1/tenant/trunk-diagnostics';
import { notify } from '@clarion/db';
import type { Database } from '@clarion/db';
import type { OperatorCtx } from '../consumer/operator.ts';
import type { Ctx } from '../context.ts';
import { upChanged } from './trunk-state.ts';

/** A realtime node begins a test within this time, or none can. Ms. */
const CLAIM_WITHIN_MS = 1_000;
/** The whole test: longer than media needs for its requests. Ms. */
const RESULT_WITHIN_MS = 8_000;
/** Pauses between reads of the result; most results are there after a few. Ms. */
const FIRST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 250;

export interface TrunkTest {
  ping: PingResource;
  checkup: TrunkCheckResource[];
}

/** @throws 404, 429 too_soon, 503 sip_unavailable */
export async function testTrunk(ctx: Ctx, id: number): Promise<TrunkTest> {
  const { db, consumer } = ctx;
  const own = await db.sipTrunk.count({ where: { id, consumerId: consumer.id } });
  if (own === 0) throw notFound('The trunk');
  return runTest(ctx, id);
}

/** The operator's test of any trunk. @throws as testTrunk */
export async function testAnyTrunk(ctx: OperatorCtx, id: number): Promise<TrunkTest> {
  if ((await ctx.db.sipTrunk.count({ where: { id } })) === 0) throw notFound('The trunk');
  return runTest(ctx, id);
}

/** Changes nothing of the trunk, so there is no audit entry. */
async function runTest({ db, now }: Pick<Ctx, 'db' | 'now'>, trunkId: number): Promise<TrunkTest> {
  await requestTest(db, trunkId, now);
  const startedAt = performance.now();
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    await sleep(pauseMs);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    const row = await db.sipTrunkState.findUnique({
      where: { trunkId },
      select: { testedAt: true, testClaimedAt: true, testResult: true },
    });
    if (!row || row.testedAt?.getTime() !== now.getTime()) throw new ApiError('sip_unavailable');
    if (row.testResult !== null) return resultOf(trunkTestResult.parse(row.testResult), db, trunkId, now);
    const waitedMs = performance.now() - startedAt;
    const isLate = waitedMs > (row.testClaimedAt === null ? CLAIM_WITHIN_MS : RESULT_WITHIN_MS);
    if (isLate && (await withdrawTest(db, trunkId, now, row.testClaimedAt)))
      throw new ApiError('sip_unavailable');
  }
}

async function resultOf(
  result: TrunkTestResult,
  db: Ctx['db'],
  trunkId: number,
  testedAt: Date,
): Promise<TrunkTest> {
  if (!('unavailable' in result)) return { ping: result.ping, checkup: result.checkup.map(presentCheck) };
  await withdrawTest(db, trunkId, testedAt);
  throw new ApiError('sip_unavailable');
}

/** @throws 429 too_soon */
async function requestTest(db: Ctx['db'], trunkId: number, now: Date): Promise<void> {
  const before = new Date(now.getTime() - TEST_INTERVAL_SECONDS * 1_000);
  const accepted = await db.$executeRaw`
    insert into "SipTrunkState" ("trunkId", "testedAt") values (${trunkId}, ${now})
    on conflict ("trunkId") do update
      set "testedAt" = excluded."testedAt", "testClaimedAt" = null, "testResult" = null
      where "SipTrunkState"."testedAt" is null or "SipTrunkState"."testedAt" <= ${before}`;
  if (accepted === 0) {
    const state = await db.sipTrunkState.findUnique({ where: { trunkId }, select: { testedAt: true } });
    const leftMs = TEST_INTERVAL_SECONDS * 1_000 - (now.getTime() - (state?.testedAt ?? now).getTime());
    const retryAfterSeconds = Math.min(TEST_INTERVAL_SECONDS, Math.max(1, Math.ceil(leftMs / 1_000)));
    throw new ApiError('too_soon', { retryAfterSeconds });
  }
  await notify(db, 'clarion_trunk_test', trunkId);
}

/**
 * A test that was not carried out does not count. @returns false if a node has claimed it meanwhile
 *
 * @param claimedAt as last read; undefined: whatever it is
 */
async function withdrawTest(
  db: Ctx['db'],
  trunkId: number,
  testedAt: Date,
  claimedAt?: Date | null,
): Promise<boolean> {
  const { count } = await db.sipTrunkState.updateMany({
    where: { trunkId, testedAt, ...(claimedAt !== undefined && { testClaimedAt: claimedAt }) },
    data: { testedAt: null, testClaimedAt: null },
  });
  return count > 0;
}

/** One node claims a test. Null: another was faster, or the caller no longer waits. */
export async function claimTest(db: Database, trunkId: number, now: Date): Promise<Date | null> {
  const since = new Date(now.getTime() - RESULT_WITHIN_MS);
  const [row] = await db.$queryRaw<{ testedAt: Date }[]>`
    update "SipTrunkState" set "testClaimedAt" = ${now}
    where "trunkId" = ${trunkId} and "testedAt" > ${since} and "testClaimedAt" is null and "testResult" is null
    returning "testedAt"`;
  return row?.testedAt ?? null;
}

/** Its ping is the trunk's latest one. */
export async function finishTest(
  db: Database,
  trunkId: number,
  testedAt: Date,
  result: TrunkTestResult,
): Promise<void> {
  const stored = JSON.stringify(result);
  if ('unavailable' in result) {
    await db.$executeRaw`
      update "SipTrunkState" set "testResult" = ${stored}::jsonb
      where "trunkId" = ${trunkId} and "testedAt" = ${testedAt}`;
    return;
  }
  const { ping } = result;
  await db.$executeRaw`
    update "SipTrunkState" set "testResult" = ${stored}::jsonb, "ping" = ${JSON.stringify(ping)}::jsonb,
      "upChangedAt" = ${upChanged(ping)}
    where "trunkId" = ${trunkId} and "testedAt" = ${testedAt}`;
}

const presentCheck = ({ code, ...check }: TrunkCheck): TrunkCheckResource => ({
  ...check,
  ...presentFailure(code),
});

/** What the catalogue says about a stored code. */
export function presentFailure(
  code: string | null,
): Pick<TrunkCheckResource, 'code' | 'fix' | 'field' | 'docs'> {
  if (code === null || !(code in failures)) return { code: null, fix: null, field: null, docs: null };
  const known = code as FailureCode;
  const { fix, field } = failures[known];
  return { code: known, fix, field, docs: failureDocs(known) };
}
