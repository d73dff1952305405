/**
 * Limited random traffic against a complete stack with simulated callers, customers, agents, supervisors and a consumer. Processes are
 * killed at random times in the first half; then all traffic ends and the results are counted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallView } from '@clarion/protocol/call';
import { TestStack, type RealtimeName } from '@clarion/testkit/stack/stack';
import type { ProcessName } from '@clarion/devkit/stack/stack';
import { SeededRandom } from '../lib/seeded-random.ts';
import { accounts } from './accounts.ts';
import { AgentLife } from './agents.ts';
import { liveInBrowsers } from './browsers.ts';
import { routeCustomers, liveAsCaller } from './callers.ts';
import { killNowAndThen } from './killer.ts';
import { Soak } from './lives.ts';
import { holdings, openKinds, slopePerHour, type Holdings } from './resources.ts';
import { atRest } from './rest.ts';
import { SupervisorLife } from './supervisors.ts';
import { buildFixture, TENANT } from './fixture.ts';
import { watch } from './watch.ts';

export interface SoakPlan {
  seconds: number;
  seed: number;
  agents: number;
  supervisors: number;
  /** Agents in real Chromiums. */
  browsers: number;
  callers: number;
  /** Null: no process is killed. */
  killEverySeconds: number | null;
  /** Two realtime and two media nodes. */
  twoNodes: boolean;
}

export interface SoakResult {
  calls: number;
  byOutcome: Map<string, number>;
  events: number;
  /** What the simulated people did, by name. */
  counts: Map<string, number>;
  /** Every violation: invariants, leftovers, figures that differ. */
  wrong: string[];
  /** By process: MB per hour over the second half, and open files before and after. */
  resources: { name: string; slopeMbPerHour: number; rssMb: [number, number]; files: [number, number] }[];
}

const SAMPLE_MS = 2_000;
const at = `/v1/tenants/${TENANT}`;

export async function runSoak(plan: SoakPlan, say: (line: string) => void): Promise<SoakResult> {
  const t = await TestStack.boot({
    env: { CLARION_LOG_LEVEL: 'warn' },
    ...(plan.twoNodes ? { second: ['realtime', 'media'] as const } : {}),
  });
  try {
    const fixture = await buildFixture(t, plan);
    const soak = new Soak(t, fixture);
    const before = holdings(t);
    say(`seed ${plan.seed}: ${plan.agents} agents, ${plan.callers} callers, ${plan.seconds} s`);
    const samples = await live(soak, plan, say);
    const wrong = await atRest(soak);
    const after = holdings(t);
    for (const [name, { pid }] of after)
      say(`${name} has open: ${[...openKinds(pid)].map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
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
  const random = new SeededRandom(plan.seed);
  const { t, fixture } = soak;
  routeCustomers(soak, random.child());
  const nodeOf = (i: number): RealtimeName => (plan.twoNodes && i % 2 ? 'realtime2' : 'realtime');
  const agents = await Promise.all(
    fixture.agents.map((ref, i) => AgentLife.begin(soak, random.child(), ref, nodeOf(i))),
  );
  const supervisors = await Promise.all(
    fixture.supervisors.map((ref, i) => SupervisorLife.begin(soak, random.child(), ref, nodeOf(i + 1))),
  );
  const phones = await Promise.all(Array.from({ length: plan.callers }, () => t.phone()));
  const lives: Promise<unknown>[] = [
    ...agents.map((life, i) => life.live(i === 0)),
    ...supervisors.map((life) => life.live()),
    ...phones.map((phone, i) =>
      liveAsCaller(soak, random.child(), phone, `4416329601${String(10 + i)}`, i === 0),
    ),
    liveInBrowsers(soak, random.child()),
    terminateNowAndThen(soak, random.child()),
    watch(soak),
  ];
  if (plan.killEverySeconds !== null) {
    const names: ProcessName[] = ['realtime', 'worker', 'web', 'media'];
    if (plan.twoNodes) names.push('realtime2', 'media2');
    const everyMs = plan.killEverySeconds * 1000;
    lives.push(
      killNowAndThen(soak, random.child(), { names, everyMs, untilMs: (plan.seconds * 1000) / 2 - everyMs }),
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

async function terminateNowAndThen(soak: Soak, random: SeededRandom): Promise<void> {
  const { v1 } = soak.t;
  while (!soak.stopped) {
    await soak.pause(random.between(3000, 10_000));
    const found = await soak.attempt('list live calls', () =>
      v1.ok<{ calls: CallView[] }>('GET', `${at}/calls?live=true`),
    );
    if (!found || found.calls.length === 0) continue;
    const { callId } = random.pick(found.calls);
    await soak.attempt('terminate', () => v1.request('POST', `/v1/calls/${callId}/terminate`));
  }
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
