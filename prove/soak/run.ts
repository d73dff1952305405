/**
 * Bounded random traffic against a whole stack: callers, customers, agents, supervisors and a consumer live their lives, processes are
 * killed now and then in the first half; then everything comes to rest and is counted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { callDetail, type CallDetail, type CallView } from '@clarion/protocol/call';
import type { CallStats } from '@clarion/protocol/v1/calls';
import type { AgentFigures, CallReport } from '@clarion/protocol/v1/reports';
import { endLiveCalls } from '@clarion/testkit/shop';
import { TestStack, type RealtimeName } from '@clarion/testkit/stack';
import type { ProcessName } from '../../scripts/lib/stack.mjs';
import { Chance } from '../lib/chance.ts';
import { AgentLife } from './agents.ts';
import { liveInBrowsers } from './browsers.ts';
import { castCustomers, liveAsCaller } from './callers.ts';
import { killNowAndThen } from './killer.ts';
import { Soak } from './lives.ts';
import {
  callsTold,
  complaintsOf,
  differences,
  recountAgents,
  recountAvailable,
  recountCalls,
  recountStats,
} from './recount.ts';
import { holdings, slopePerHour, type Holdings } from './resources.ts';
import { atRest } from './rest.ts';
import { SupervisorLife } from './supervisors.ts';
import { buildTown, TENANT } from './town.ts';
import { watch } from './watch.ts';

export interface SoakPlan {
  seconds: number;
  seed: number;
  agents: number;
  supervisors: number;
  /** Agents in real Chromiums. */
  browsers: number;
  callers: number;
  /** Null: nothing is killed. */
  killEverySeconds: number | null;
  /** Two realtime and two media nodes. */
  twoNodes: boolean;
}

export interface SoakResult {
  calls: number;
  byOutcome: Map<string, number>;
  events: number;
  /** What the lives did, by name. */
  counts: Map<string, number>;
  /** Everything that should not have been: invariants, leftovers, figures that differ. */
  wrong: string[];
  /** By process: MB per hour over the second half, and what was open before and after. */
  resources: { name: string; slopeMbPerHour: number; rssMb: [number, number]; files: [number, number] }[];
}

const SAMPLE_MS = 2_000;
const EVENTS_WITHIN_MS = 60_000;
const at = `/v1/tenants/${TENANT}`;

export async function runSoak(plan: SoakPlan, say: (line: string) => void): Promise<SoakResult> {
  const t = await TestStack.boot({
    env: { CLARION_LOG_LEVEL: 'warn' },
    ...(plan.twoNodes ? { second: ['realtime', 'media'] as const } : {}),
  });
  try {
    const town = await buildTown(t, plan);
    const soak = new Soak(t, town);
    const before = holdings(t);
    say(`seed ${plan.seed}: ${plan.agents} agents, ${plan.callers} callers, ${plan.seconds} s`);
    const samples = await live(soak, plan, say);
    const wrong = await atRest(soak);
    const after = holdings(t);
    const told = await accounts(soak);
    wrong.push(...soak.violations, ...told.wrong);
    return {
      calls: told.calls,
      byOutcome: told.byOutcome,
      events: t.webhooks.deliveries.length,
      counts: soak.counts,
      wrong,
      resources: resourcesOf(samples, before, after),
    };
  } finally {
    await t.stop();
  }
}

type Sample = { at: number; held: Holdings };

async function live(soak: Soak, plan: SoakPlan, say: (line: string) => void): Promise<Sample[]> {
  const chance = new Chance(plan.seed);
  const { t, town } = soak;
  castCustomers(soak, chance.child());
  const nodeOf = (i: number): RealtimeName => (plan.twoNodes && i % 2 ? 'realtime2' : 'realtime');
  const agents = await Promise.all(
    town.agents.map((ref, i) => AgentLife.begin(soak, chance.child(), ref, nodeOf(i))),
  );
  const supervisors = await Promise.all(
    town.supervisors.map((ref, i) => SupervisorLife.begin(soak, chance.child(), ref, nodeOf(i + 1))),
  );
  const phones = await Promise.all(Array.from({ length: plan.callers }, () => t.phone()));
  const lives: Promise<unknown>[] = [
    ...agents.map((life) => life.live()),
    ...supervisors.map((life) => life.live()),
    ...phones.map((phone, i) => liveAsCaller(soak, chance.child(), phone, `4416329601${String(10 + i)}`)),
    liveInBrowsers(soak, chance.child()),
    terminateNowAndThen(soak, chance.child()),
    watch(soak),
  ];
  if (plan.killEverySeconds !== null) {
    const names: ProcessName[] = ['realtime', 'worker', 'web', 'media'];
    if (plan.twoNodes) names.push('realtime2', 'media2');
    const everyMs = plan.killEverySeconds * 1000;
    lives.push(
      killNowAndThen(soak, chance.child(), { names, everyMs, untilMs: (plan.seconds * 1000) / 2 - everyMs }),
    );
  }
  const samples = await sampleFor(soak, plan.seconds * 1000, say);
  soak.stop();
  await Promise.all(lives);
  return samples;
}

async function sampleFor(soak: Soak, ms: number, say: (line: string) => void): Promise<Sample[]> {
  const samples: Sample[] = [];
  const began = performance.now();
  let saidAt = began;
  while (performance.now() - began < ms) {
    await sleep(Math.min(SAMPLE_MS, ms));
    samples.push({ at: performance.now(), held: holdings(soak.t) });
    if (performance.now() - saidAt < 30_000) continue;
    saidAt = performance.now();
    const ended = soak.t.webhooks.deliveries.filter(({ event }) => event.event_type === 'call.ended').length;
    say(
      `${Math.round((performance.now() - began) / 1000)} s: ${ended} calls, ${soak.violations.length} wrong`,
    );
  }
  return samples;
}

async function terminateNowAndThen(soak: Soak, chance: Chance): Promise<void> {
  const { v1 } = soak.t;
  while (!soak.stopped) {
    await soak.pause(chance.between(3000, 10_000));
    const found = await soak.attempt('list live calls', () =>
      v1.ok<{ calls: CallView[] }>('GET', `${at}/calls?live=true`),
    );
    if (!found || found.calls.length === 0) continue;
    const { callId } = chance.pick(found.calls);
    await soak.attempt('terminate', () => v1.request('POST', `/v1/calls/${callId}/terminate`));
  }
}

/** Every call from the events received, held against the call list, the reports and each call's detail. */
async function accounts(soak: Soak) {
  const { t, town } = soak;
  await endLiveCalls(t, TENANT);
  const listed = await allCalls(t);
  const isToldOf = () => {
    const told = callsTold(t.webhooks.events());
    return listed.every(({ callId }) => (told.get(callId)?.last.endedAt ?? null) !== null);
  };
  const deadline = performance.now() + EVENTS_WITHIN_MS;
  while (!isToldOf() && performance.now() < deadline) await sleep(200);
  const told = callsTold(t.webhooks.events());
  const details = new Map<number, CallDetail>();
  const wrong: string[] = t.webhooks.deliveries.some(({ signatureValid }) => !signatureValid)
    ? ['an event was not signed right']
    : [];
  for (const { callId } of listed) {
    const detail = callDetail.parse(await t.v1.ok('GET', `/v1/calls/${callId}`));
    details.set(callId, detail);
    const own = told.get(callId);
    if (!own) wrong.push(`no event told of call ${callId}`);
    else
      wrong.push(...complaintsOf(own), ...differences(`call ${callId}`, plain(detail.call), plain(own.last)));
    wrong.push(...complaintsOfDetail(detail));
  }
  const views = [...told.values()].map(({ last }) => last);
  const { stats } = await t.v1.ok<{ stats: CallStats }>('GET', `${at}/calls?stats=true`);
  const report = await t.v1.ok<CallReport>('GET', `${at}/reports/calls?interval=hour`);
  const { agents } = await t.v1.ok<{ agents: AgentFigures[] }>('GET', `${at}/reports/agents`);
  wrong.push(
    ...differences('call list stats', stats, recountStats(views)),
    ...differences('reports/calls', report.totals, recountCalls(views, details)),
  );
  for (const name of ['total', 'answered', 'talkSeconds', 'offered', 'abandoned'] as const) {
    const sum = report.buckets.reduce((total, bucket) => total + bucket[name], 0);
    if (sum !== report.totals[name]) wrong.push(`reports/calls: the buckets' ${name} add up to ${sum}`);
  }
  const available = recountAvailable(t.webhooks.events(), Date.now());
  for (const counted of recountAgents(town.agentIds, told, details)) {
    const reported = agents.find(({ agentRef }) => agentRef === counted.agentRef);
    if (!reported) wrong.push(`reports/agents leaves out ${counted.agentRef}`);
    else wrong.push(...differences(`reports/agents ${counted.agentRef}`, reported, counted));
    const seconds = available.get(counted.agentRef) ?? 0;
    if (reported && Math.abs(reported.availableSeconds - seconds) > AVAILABLE_SLACK_SECONDS)
      wrong.push(
        `reports/agents ${counted.agentRef}: available ${reported.availableSeconds}, events say ${seconds}`,
      );
  }
  const outcomes = views.map(
    ({ direction, terminationReason, terminatedBy }) =>
      `${direction} ${String(terminationReason)} by ${String(terminatedBy)}`,
  );
  const byOutcome = new Map(
    [...Map.groupBy(outcomes, (outcome) => outcome)].map(([outcome, all]) => [outcome, all.length]),
  );
  return { calls: listed.length, byOutcome, wrong };
}

/** The report is asked for a moment before "now" here, and an agent on a call while OFFLINE is not OFFLINE to the events. */
const AVAILABLE_SLACK_SECONDS = 5;

const plain = (view: CallView): object =>
  Object.fromEntries(Object.entries(view).map(([name, value]) => [name, JSON.stringify(value)]));

/** Nobody is offered a call they declined, and nothing of an ended call is still open. */
function complaintsOfDetail({ call, events, participants, legs, transfers }: CallDetail): string[] {
  const declined = new Set<number>();
  const complaints: string[] = [];
  for (const { type, agentId } of events) {
    if (type === 'DECLINED' && agentId !== null) declined.add(agentId);
    if (type === 'OFFERED' && agentId !== null && declined.has(agentId) && transfers.length === 0)
      complaints.push(`call ${call.callId} was offered again to agent ${agentId}, who declined it`);
  }
  if (participants.some(({ leftAt }) => leftAt === null))
    complaints.push(`somebody never left call ${call.callId}`);
  for (const { type, state } of legs)
    if (state !== 'DISCONNECTED' && state !== 'FAILED')
      complaints.push(`leg ${type} of the ended call ${call.callId} is ${state}`);
  return complaints;
}

async function allCalls(t: TestStack): Promise<CallView[]> {
  const all: CallView[] = [];
  for (let before: number | null = 2 ** 31 - 1; before !== null;) {
    const page: { calls: CallView[]; nextBeforeId: number | null } = await t.v1.ok(
      'GET',
      `${at}/calls?limit=200&before_id=${before}`,
    );
    all.push(...page.calls);
    before = page.nextBeforeId;
  }
  return all;
}

function resourcesOf(samples: Sample[], before: Holdings, after: Holdings): SoakResult['resources'] {
  const half = samples.slice(Math.floor(samples.length / 2));
  return [...after].map(([name, { pid, rssMb, files }]) => {
    const own = half.flatMap(({ at: when, held }) => {
      const holding = held.get(name);
      return holding?.pid === pid ? [{ at: when, rssMb: holding.rssMb }] : [];
    });
    const first = before.get(name);
    return {
      name,
      slopeMbPerHour: slopePerHour(own),
      rssMb: [first?.rssMb ?? 0, rssMb],
      files: [first?.files ?? 0, files],
    };
  });
}
