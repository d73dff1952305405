/** Runs the loads against a complete stack, one after the other, and waits until nothing is left of one before the next. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TestStack } from '@clarion/testkit/stack/stack';
import { makeHistory, settle } from '../../api/call-history.ts';
import { NUMBER, PATIENT_NUMBER, payForCalls, provision, RTP_PORTS, TENANT } from '../provision.ts';
import { LoadProcess } from './load-process.ts';
import { Meter, type Used } from './meter.ts';
import { phasesOf, type Phase, type Plan } from './phases.ts';
import type { LoadResult } from './load.ts';
import { cpuMsOf, outcomes, statementsOf } from './results.ts';

const AT_REST_WITHIN_MS = 20_000;
const POLL_MS = 250;
/** Between the end of a load and the time without calls that follows. */
const SETTLE_MS = 2_000;
/** After the start, until the processes have compiled and collected what they had to. */
export const START_SETTLE_MS = 10_000;
/** Not one of those that wait all the time. */
const NOT_WAITING = { call: { channelRef: { not: 'patient' } } };
/** As in a contact centre that has been open for a while: the code is compiled, and each agent has had a call. */
export const WARM_UP: Phase = {
  name: 'warm-up',
  kind: 'answered',
  calls: 200,
  rate: 10,
  talkMs: 200,
};

export interface PhaseResult extends LoadResult {
  phase: Phase;
  perCall: Used;
  /** Live calls that remained when no caller had one any more; they are then terminated. */
  leftLive: number;
  /** INVITEs that were refused and are recorded as calls all the same. */
  refusedButCalls: number;
  /** Calls that were first offered before an earlier one, by the stored history: without how long messages take to the agents' apps. */
  overtaken: number;
  /** Pairs of calls that one agent had at the same time, by the stored history. */
  overlaps: number;
}

export interface SignallingResult {
  /** A second of the stack without calls. */
  idle: { name: string; used: Used }[];
  phases: PhaseResult[];
}

export async function measureSignalling(plan: Plan, say: (line: string) => void): Promise<SignallingResult> {
  say('starting a separate stack');
  const t = await TestStack.boot({
    countStatements: true,
    env: { CLARION_LOG_LEVEL: 'error', CLARION_RTP_PORTS: RTP_PORTS },
  });
  const load = new LoadProcess();
  try {
    const tokens = await provision(t, plan.agents);
    if (plan.billing) await payForCalls(t);
    if (plan.history > 0) {
      await makeHistory(t.db, 'history', plan.history);
      await settle(t.db);
    }
    const lines = { number: NUMBER, patientNumber: PATIENT_NUMBER, sip: t.sip };
    await load.connect({ url: t.baseUrl, tenant: TENANT, apiKey: t.account.apiKey, ...lines }, tokens);
    await load.leaveWaiting(plan.waiting);
    const meter = new Meter(t, load.pid);
    await load.place(WARM_UP);
    await atRest(t);
    await sleep(START_SETTLE_MS);
    say(
      `${plan.agents} agents connected; measuring ${plan.idleSeconds} s without calls before and after each load`,
    );
    await meter.measureIdle(plan.idleSeconds);
    const phases: PhaseResult[] = [];
    for (const phase of phasesOf(plan)) {
      say(`${phase.name}: ${phase.calls} calls`);
      const result = await measurePhase(t, { load, meter, idleSeconds: plan.idleSeconds }, phase);
      say(summary(result));
      phases.push(result);
    }
    return { idle: [{ name: 'idle, each second', used: meter.idle(phases.length + 1) }], phases };
  } finally {
    await load.close();
    await t.stop();
  }
}

function summary({ placed, perCall }: PhaseResult): string {
  const { 'as planned': completed, refused, failed } = outcomes(placed);
  const cost = `${statementsOf(perCall).toFixed(0)} statements, ${cpuMsOf(perCall).toFixed(0)} ms`;
  return `${completed} as planned, ${refused} refused, ${failed} failed; each ${cost}`;
}

export async function measurePhase(
  t: TestStack,
  { load, meter, idleSeconds }: { load: LoadProcess; meter: Meter; idleSeconds: number },
  phase: Phase,
): Promise<PhaseResult> {
  const startedAt = new Date();
  const before = await meter.start();
  const result = await load.place(phase);
  const leftLive = await atRest(t);
  const after = await meter.end();
  if (leftLive > 0) await terminateAll(t);
  await sleep(SETTLE_MS);
  await meter.measureIdle(idleSeconds);
  const { placed, recovered, running } = result;
  const completed = outcomes([...placed, ...recovered])['as planned'] + (running?.calls ?? 0);
  const refusedCallers = placed.filter(({ outcome }) => outcome === 'refused').map(({ caller }) => caller);
  const refused = [...refusedCallers, ...(result.probed?.refused ?? [])];
  return {
    ...result,
    phase,
    perCall: meter.perCall(before, after, completed),
    leftLive,
    refusedButCalls: await t.db.call.count({
      where: { createdAt: { gte: startedAt }, customerAddress: { in: refused } },
    }),
    overtaken: await overtakenSince(t, startedAt),
    overlaps: await overlapsSince(t, startedAt),
  };
}

/** Waits until no call lives, and its effects and events are done. @returns the live calls that remain when it gives up waiting */
export async function atRest(t: TestStack): Promise<number> {
  const deadline = Date.now() + AT_REST_WITHIN_MS;
  for (;;) {
    const live = await t.db.liveCall.count({ where: NOT_WAITING });
    const rest = live + (await t.db.engineOutbox.count()) + (await t.db.eventDelivery.count());
    if (rest === 0 || Date.now() > deadline) return live;
    await sleep(POLL_MS);
  }
}

async function terminateAll(t: TestStack): Promise<void> {
  const live = await t.db.liveCall.findMany({ where: NOT_WAITING, select: { callId: true } });
  for (const { callId } of live) await t.v1.request('POST', `/v1/calls/${callId}/terminate`);
  await atRest(t);
}

/** Calls have IDs in order of arrival. */
async function overtakenSince(t: TestStack, since: Date): Promise<number> {
  const [row] = await t.db.$queryRaw<{ count: bigint }[]>`
    select count(*) from (
      select "callId", max("callId") over (order by "offeredAs") as "latest" from (
        select "callId", min("id") as "offeredAs" from "CallLifecycle"
        where "type" = 'OFFERED' and "occurredAt" >= ${since} group by "callId") as "first") as "inOrder"
    where "callId" < "latest"`;
  return Number(row?.count ?? 0);
}

async function overlapsSince(t: TestStack, since: Date): Promise<number> {
  const [row] = await t.db.$queryRaw<{ count: bigint }[]>`
    select count(*) from "CallParticipant" a join "CallParticipant" b on a."agentId" = b."agentId"
      and a.id < b.id and a."callId" <> b."callId"
      and a."joinedAt" < coalesce(b."leftAt", 'infinity') and b."joinedAt" < coalesce(a."leftAt", 'infinity')
    where a.kind = 'AGENT' and b.kind = 'AGENT' and a."joinedAt" >= ${since} and b."joinedAt" >= ${since}`;
  return Number(row?.count ?? 0);
}
