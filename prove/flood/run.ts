/**
 * A flood of requests from many addresses, while calls with audio run and a carrier places calls: no packet of the running calls is lost
 * that is not also lost without the flood, the carrier's calls ring, and no process grows.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { line, openCallCentre } from '@clarion/testkit/stack/call-centre';
import type { TestStack } from '@clarion/testkit/stack/stack';
import type { SipPhone } from '@clarion/test-phone/sip/phone';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { Probe, type Direction } from '../../bench/calls/probe.ts';
import { holdings } from '../soak/resources.ts';
import type { FloodOrder } from './sender.ts';

export interface FloodPlan extends Omit<FloodOrder, 'port'> {
  /** With audio in both directions, during the whole run. */
  calls: number;
  /** Calls per second that the carrier places, without the flood and during it. */
  carrierPerSecond: number;
  /** Before memory is read; absent: it includes garbage. */
  collectGarbage?: () => Promise<void>;
}

export interface Window {
  seconds: number;
  toAgent: Direction;
  toCaller: Direction;
  placed: number;
  rang: number;
  slowestRingMs: number;
  /** How the others ended: status or `late`, with how many. */
  others: Map<string, number>;
}

export interface FloodResult {
  control: Window;
  flood: Window;
  sent: number;
  sentPerSecond: number;
  memory: { name: string; beforeMb: number; afterMb: number }[];
  wrong: string[];
}

/** The address of the carrier: not 127.0.0.1, which the gateway never limits. */
const CARRIER = '127.0.15.200';
const MOST_GROWTH_MB = 50;
/** Share of the carrier's calls that must ring. */
const LEAST_RINGING = 0.999;
const RINGS_WITHIN_MS = 5_000;
const SETTLE_MS = 500;
const SENDER_SLACK_MS = 60_000;
const run = promisify(execFile);

export async function runFlood(
  t: TestStack,
  plan: FloodPlan,
  tell: (line: string) => void,
): Promise<FloodResult> {
  await t.clarion(['plan', 'set', '--slug', t.account.slug, '--calls-at-once', '5000']);
  const sources = { inboundSourceCidrs: ['127.0.0.1', CARRIER] };
  await t.db.sipTrunk.update({ where: { id: t.account.trunkId }, data: sources });
  const { phone, number, talks, probes } = await openTalks(t, plan.calls);
  const during = windowOf(probes, () => ring(phone, t, number));
  await sleep(SETTLE_MS);

  tell(`${plan.calls} calls with audio; ${plan.seconds} s without a flood`);
  const control = await during(plan, () => sleep(plan.seconds * 1000));
  await plan.collectGarbage?.();
  const before = holdings(t);

  tell(`${plan.perSecond} requests/s from ${plan.sources} addresses for ${plan.seconds} s`);
  let report = { sent: 0, seconds: 1 };
  const flood = await during(plan, async () => {
    const { sources: count, perSecond, seconds } = plan;
    const order: FloodOrder = { port: t.sip.port, sources: count, perSecond, seconds };
    const sender = join(import.meta.dirname, 'sender.ts');
    const timeout = seconds * 1000 + SENDER_SLACK_MS;
    const { stdout } = await run(process.execPath, [sender, JSON.stringify(order)], { timeout });
    report = JSON.parse(stdout) as typeof report;
  });
  await plan.collectGarbage?.();
  const after = holdings(t);
  const memory = [...before].map(([name, { rssMb }]) => ({
    name,
    beforeMb: rssMb,
    afterMb: after.get(name)?.rssMb ?? Infinity,
  }));
  const wrong = complaints(control, flood, memory);
  for (const call of talks) {
    if (call.state !== 'answered') wrong.push(`a running call is ${call.state}`);
    await call.hangUp();
  }
  return { control, flood, sent: report.sent, sentPerSecond: report.sent / report.seconds, memory, wrong };
}

async function openTalks(t: TestStack, count: number) {
  const names = Array.from({ length: count }, (_, index) => `ada${index}`);
  const { main } = await openCallCentre(t, { tenant: 'flood', agents: names });
  await t.v1.ok('PUT', '/v1/tenants/flood/queues/waiting', { name: 'Waiting', members: [] });
  const number = await line(t, 'waiting', { inbound_queue_ref: 'waiting' }, { tenant: 'flood' });
  const phone = await t.phone({ address: CARRIER });
  const probes = { toAgent: new Probe(1), toCaller: new Probe(2) };
  const talks: SipCall[] = [];
  for (const [index, name] of names.entries()) {
    const agent = await t.agent(name, { tenant: 'flood' });
    await agent.available();
    const call = await phone.call(main, t.sip);
    const { callId } = await agent.incoming();
    const leg = await agent.accept(callId);
    await call.answered();
    probes.toAgent.attach(index, call.audio, leg);
    probes.toCaller.attach(index, leg, call.audio);
    talks.push(call);
  }
  return { phone, number, talks, probes };
}

/** A call of the carrier that rings and is cancelled. @returns how long it took to ring, or how it ended without */
async function ring(phone: SipPhone, t: TestStack, number: string): Promise<number | string> {
  const started = performance.now();
  const call = await phone.call(number, t.sip);
  const late = sleep(RINGS_WITHIN_MS, 'late' as const, { ref: false });
  const rings = call.rings().then(() => 'rings' as const);
  const first = await Promise.race([rings, call.ended(), late]);
  const took = performance.now() - started;
  rings.catch(() => undefined);
  if (typeof first !== 'string') return String(first.status ?? first.how);
  await call.hangUp();
  return first === 'rings' ? took : first;
}

const windowOf =
  (probes: { toAgent: Probe; toCaller: Probe }, place: () => Promise<number | string>) =>
  async ({ carrierPerSecond }: FloodPlan, work: () => Promise<void>): Promise<Window> => {
    const started = performance.now();
    probes.toAgent.begin();
    probes.toCaller.begin();
    const calls: Promise<number | string>[] = [];
    const placing = setInterval(() => calls.push(place()), 1000 / carrierPerSecond);
    await work();
    clearInterval(placing);
    const seconds = (performance.now() - started) / 1000;
    const audio = { toAgent: probes.toAgent.end(), toCaller: probes.toCaller.end() };
    const rings = await Promise.all(calls);
    const rang = rings.filter((one) => typeof one === 'number');
    const others = new Map<string, number>();
    for (const one of rings) if (typeof one === 'string') others.set(one, (others.get(one) ?? 0) + 1);
    return {
      seconds,
      ...audio,
      placed: rings.length,
      rang: rang.length,
      slowestRingMs: Math.max(0, ...rang),
      others,
    };
  };

export const lostIn = ({ toAgent, toCaller }: Window): number => toAgent.lost + toCaller.lost;

function complaints(control: Window, flood: Window, memory: FloodResult['memory']): string[] {
  const wrong: string[] = [];
  const allowed = Math.ceil((lostIn(control) * flood.seconds) / control.seconds);
  if (lostIn(flood) > allowed) wrong.push(`${lostIn(flood)} packets lost, ${allowed} as in the control run`);
  for (const [name, { placed, rang, others }] of Object.entries({ control, flood })) {
    if (rang >= placed * LEAST_RINGING) continue;
    const ends = [...others].map(([end, count]) => `${count} × ${end}`).join(', ');
    wrong.push(`${name}: ${rang} of ${placed} calls of the carrier rang; the others: ${ends}`);
  }
  for (const { name, beforeMb, afterMb } of memory) {
    if (afterMb - beforeMb > MOST_GROWTH_MB)
      wrong.push(`${name} grew from ${beforeMb.toFixed(0)} to ${afterMb.toFixed(0)} MB`);
  }
  return wrong;
}
