/** Real calls whose credit ends while processes are killed: each ends within a second of it, and the account is exact. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessName } from '@clarion/devkit/stack/stack';
import { lifeOf } from '@clarion/testkit/stack/call-centre';
import type { TestStack } from '@clarion/testkit/stack/stack';
import type { SeededRandom } from '../lib/seeded-random.ts';
import type { PaidTenant } from './paid-tenant.ts';

/** Of credit, for each call. */
const CREDIT_SECONDS = [1, 2, 3, 4] as const;
/** How much later than its credit a call may end: a node that died is replaced by another one. */
const LATE_MS = 1_000;
/** What the end of a call takes on its way from the database to the caller on a busy machine. */
const WAY_MS = 250;
/** While one of these is gone, nobody is told that a call has ended: there is one database, and the call has one media node, without audio then. */
const NEEDED: readonly ProcessName[] = ['postgres', 'media'];
const SETTLED_WITHIN_MS = 45_000;
const OFFERED_WITHIN_MS = 10_000;
/** To have a call answered, before a process is killed. */
const ATTEMPTS = 5;

export interface KillReport {
  /** How many calls ended for each reason. */
  reasons: Map<string, number>;
  /** By how much each call outlasted its credit. */
  lateMs: number[];
  problems: string[];
}

/** A stack with a second realtime node. */
export async function killDuringPaidCalls(
  t: TestStack,
  tenant: PaidTenant,
  { name, times, random }: { name: ProcessName; times: number; random: SeededRandom },
): Promise<KillReport> {
  const report: KillReport = { reasons: new Map(), lateMs: [], problems: [] };
  for (let round = 0; round < times; round += 1) {
    const seconds = random.pick(CREDIT_SECONDS);
    const killAtMs = Math.round(random.between(0, seconds * 1_000 + 500));
    try {
      const { reason, lateMs, problems } = await oneCall(t, tenant, { name, seconds, killAtMs });
      report.reasons.set(reason, (report.reasons.get(reason) ?? 0) + 1);
      if (lateMs !== null) report.lateMs.push(lateMs);
      report.problems.push(
        ...problems.map((problem) => `killed ${killAtMs} ms into a call of ${seconds} s: ${problem}`),
      );
    } catch (error) {
      report.problems.push(
        `killed ${killAtMs} ms into a call of ${seconds} s: ${String(error).split('\n')[0]}`,
      );
    }
  }
  return report;
}

async function oneCall(
  t: TestStack,
  tenant: PaidTenant,
  { name, seconds, killAtMs }: { name: ProcessName; seconds: number; killAtMs: number },
): Promise<{ reason: string; lateMs: number | null; problems: string[] }> {
  await tenant.setSeconds(seconds);
  try {
    const { call, callId, answeredAt } = await answeredCall(t, tenant);
    let healthyAgain = 0;
    const kill = sleep(killAtMs).then(async () => {
      await t.stack.kill(name, name === 'postgres' ? 'SIGINT' : 'SIGKILL');
      await t.stack.waitHealthy(name);
      healthyAgain = performance.now();
    });
    await call.ended(SETTLED_WITHIN_MS);
    const endedAt = performance.now();
    await kill;
    const { ended } = await lifeOf(t, callId, SETTLED_WITHIN_MS);
    const due = Math.max(answeredAt + seconds * 1_000, NEEDED.includes(name) ? healthyAgain : 0);
    const lateMs = Math.round(endedAt - due);
    const isExhausted = ended.terminationReason === 'CREDIT_EXHAUSTED';
    return {
      reason: `${ended.terminationReason} by ${ended.terminatedBy}`,
      lateMs: isExhausted ? lateMs : null,
      problems: [
        ...(isExhausted || ended.status === 'FAILED' ? [] : [`ended as ${ended.terminationReason}`]),
        ...(lateMs > LATE_MS + WAY_MS ? [`ended ${lateMs} ms after its credit`] : []),
        ...(await tenant.problems(callId)),
      ],
    };
  } finally {
    t.release();
  }
}

/** Shortly after a process was killed, calls may still be rejected, or the agent's app may not be connected. */
async function answeredCall(t: TestStack, tenant: PaidTenant) {
  for (let attempt = 1; ; attempt += 1) {
    const call = await (await t.phone()).call(tenant.shop.main, t.sip);
    try {
      const agent = await t.agent('ada', { reconnect: true, node: 'realtime2' });
      await agent.available();
      const { callId } = await agent.incoming(OFFERED_WITHIN_MS);
      const leg = await agent.accept(callId);
      leg.sendTone(1000);
      await call.answered();
      return { call, callId, answeredAt: performance.now() };
    } catch (error) {
      await call.hangUp().catch(() => undefined);
      t.release();
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
