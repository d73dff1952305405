/**
 * Calls with audio while processes are killed. Packets are numbered at one end and counted at the other, so that the loss in a window with
 * kills can be compared with that of a quiet one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { endLiveCalls, isOf, lifeOf, line, whatsAppLine } from '@clarion/testkit/stack/call-centre';
import { WhatsAppCall } from '@clarion/testkit/peers/whatsapp-customer';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { CallView } from '@clarion/protocol/call';
import { Probe, type Direction } from '../../bench/calls/probe.ts';
import type { ProcessName } from '@clarion/devkit/stack/stack';
import { PacketCount, type Counted } from './packet-count.ts';

export interface FaultsPlan {
  /** By telephone. */
  calls: number;
  /** More calls, on WhatsApp. */
  whatsApp: number;
  /** Per process. */
  kills: number;
  names: ProcessName[];
  /** Length of the quiet window. */
  controlSeconds: number;
}

export interface Window {
  toAgent: Direction;
  toCaller: Direction;
  /** Both directions of the calls on WhatsApp. */
  whatsApp: Counted;
  seconds: number;
}

export interface FaultsResult {
  held: number;
  control: Window;
  faults: (Window & {
    name: ProcessName;
    kills: number;
    /** After the process was back, slowest agent of each kill. */ syncMs: number[];
  })[];
  /** Media killed: how much longer than its call each carrier leg lived, ms. */
  outlivedMs: number[];
  wrong: string[];
}

/** Requirement: "Agents are in sync again within 2 s." */
const SYNC_WITHIN_MS = 2_000;
/** No carrier leg may outlive its call by more than this (docs/requirements.md#calls). */
const OUTLIVES_AT_MOST_MS = 10_000;
const ENDS_WITHIN_MS = 60_000;
const SYNC_TIMEOUT_MS = 20_000;
const SETTLE_MS = 500;
const DURATION_SLACK_SECONDS = 2;
/** Of a stream whose packets have 20 ms. */
const LEAST_PACKETS_PER_SECOND = 45;
const TONE_HZ = 440;

interface Talk {
  agent: ScriptedAgent;
  agentRef: string;
  call: SipCall | WhatsAppCall;
  callId: number;
  /** When the agent accepted it, ms since the epoch. */
  since: number;
}

export async function runFaults(plan: FaultsPlan, say: (line: string) => void): Promise<FaultsResult> {
  const t = await TestStack.boot({ ownPostgres: true, env: { CLARION_LOG_LEVEL: 'warn' } });
  try {
    say(`placing ${plan.calls} calls by telephone and ${plan.whatsApp} on WhatsApp`);
    const talks = await placeCalls(t, plan);
    const toAgent = new Probe(1);
    const toCaller = new Probe(2);
    const whatsApp = new PacketCount();
    for (const [index, { agent, call, callId }] of talks.entries()) {
      const leg = agent.legs.get(callId);
      if (!leg) throw new Error(`call ${callId} has no audio`);
      if (call instanceof WhatsAppCall) {
        for (const stream of [leg, call.audio]) {
          stream.sendTone(TONE_HZ);
          whatsApp.attach(stream);
        }
        continue;
      }
      toAgent.attach(index, call.audio, leg);
      toCaller.attach(index, leg, call.audio);
    }
    const during = async (work: () => Promise<void>): Promise<Window> => {
      const from = performance.now();
      toAgent.begin();
      toCaller.begin();
      whatsApp.begin();
      await work();
      const seconds = (performance.now() - from) / 1000;
      return { toAgent: toAgent.end(), toCaller: toCaller.end(), whatsApp: whatsApp.end(), seconds };
    };
    await sleep(SETTLE_MS);
    say(`a quiet window of ${plan.controlSeconds} s`);
    const control = await during(() => sleep(plan.controlSeconds * 1000));
    const faults: FaultsResult['faults'] = [];
    const wrong: string[] = [];
    for (const name of plan.names) {
      const syncMs: number[] = [];
      const window = await during(async () => {
        for (let i = 0; i < plan.kills; i += 1) syncMs.push(await killAndSync(t, name, talks, wrong));
      });
      faults.push({ name, kills: plan.kills, syncMs, ...window });
      say(
        `${name}: ${plan.kills} kills in ${window.seconds.toFixed(0)} s, lost ${lost(window)}, in sync after ${Math.max(...syncMs).toFixed(0)} ms at most`,
      );
    }
    const half = Math.ceil(talks.length / 2);
    wrong.push(...(await hangUp(t, talks.slice(0, half))));
    say('killing media under the other half');
    const outlivedMs = await killMedia(t, talks.slice(half), wrong);
    return {
      held: talks.length,
      control,
      faults,
      outlivedMs,
      wrong: [...wrong, ...complaints(control, faults, outlivedMs), ...silences(faults, whatsApp.streams)],
    };
  } finally {
    await t.stop();
  }
}

const lost = ({ toAgent, toCaller, whatsApp }: Window) => toAgent.lost + toCaller.lost + whatsApp.lost;
const alien = ({ toAgent, toCaller }: Window) => toAgent.wrong + toCaller.wrong;

function complaints(control: Window, faults: FaultsResult['faults'], outlivedMs: number[]): string[] {
  const wrong: string[] = [];
  for (const fault of faults) {
    const allowed = Math.ceil((lost(control) * fault.seconds) / control.seconds);
    if (lost(fault) > allowed)
      wrong.push(`${fault.name} killed: ${lost(fault)} packets lost, ${allowed} as in the control run`);
    if (alien(fault) > 0) wrong.push(`${fault.name} killed: ${alien(fault)} packets of another call`);
    const slowest = Math.max(...fault.syncMs);
    if (slowest > SYNC_WITHIN_MS)
      wrong.push(`${fault.name} killed: an agent was in sync only after ${slowest.toFixed(0)} ms`);
  }
  const longest = Math.max(0, ...outlivedMs);
  if (longest > OUTLIVES_AT_MOST_MS)
    wrong.push(`media killed: a carrier's leg outlived its call by ${longest.toFixed(0)} ms`);
  return wrong;
}

/** A stream that stops has no gaps in its sequence numbers. */
function silences(faults: FaultsResult['faults'], streams: number): string[] {
  return faults.flatMap(({ name, whatsApp, seconds }) => {
    const perSecond = whatsApp.received / streams / seconds;
    return perSecond < LEAST_PACKETS_PER_SECOND
      ? [`${name} killed: only ${perSecond.toFixed(1)} packets per second of a WhatsApp call arrived`]
      : [];
  });
}

/** One agent and one caller per call; each call is offered to any idle agent. */
async function placeCalls(t: TestStack, { calls, whatsApp }: FaultsPlan): Promise<Talk[]> {
  const count = calls + whatsApp;
  const at = '/v1/tenants/shop';
  await t.clarion(['plan', 'set', '--slug', t.account.slug, '--calls-at-once', String(2 * count)]);
  await t.v1.ok('PUT', at, { name: 'Shop' });
  const refs = Array.from({ length: count }, (_, i) => `agent-${i}`);
  for (const ref of refs) await t.v1.ok('PUT', `${at}/agents/${ref}`, { name: ref });
  const members = refs.map((agent_ref) => ({ agent_ref }));
  await t.v1.ok('PUT', `${at}/queues/all`, { name: 'All', members });
  const number = await line(t, 'main', { inbound_queue_ref: 'all' });
  const account = await whatsAppLine(t, 'whatsapp', { inbound_queue_ref: 'all' });
  const phone = await t.phone();
  const talks: Talk[] = [];
  for (const [index, agentRef] of refs.entries()) {
    const agent = await t.agent(agentRef, { reconnect: true });
    await agent.available();
    // Evenly distributed, so that both halves of the calls contain both kinds.
    const isWhatsApp = Math.floor(((index + 1) * whatsApp) / count) > Math.floor((index * whatsApp) / count);
    const call = isWhatsApp ? await t.meta.addCustomer().call(account) : await phone.call(number, t.sip);
    const { callId } = await agent.incoming();
    await agent.accept(callId);
    await call.answered();
    talks.push({ agent, agentRef, call, callId, since: Date.now() });
  }
  return talks;
}

/** @returns the time from the process's return until the last agent's state was correct; complaints are added to `wrong` */
async function killAndSync(t: TestStack, name: ProcessName, talks: Talk[], wrong: string[]): Promise<number> {
  for (const { agent } of talks) agent.received.splice(0);
  await t.stack.kill(name, name === 'postgres' ? 'SIGINT' : 'SIGKILL');
  await t.stack.waitHealthy(name);
  const back = performance.now();
  // A socket that connects again is sent its session, so that asking for it too would only be load.
  const asks = name !== 'realtime' && name !== 'web';
  for (const complaint of await Promise.all(talks.map((talk) => inSync(talk, asks))))
    if (complaint) wrong.push(`${name} killed: ${complaint}`);
  return performance.now() - back;
}

/** Resolves when the agent's app is connected and receives the current state of its call; with a complaint if it does not. */
async function inSync({ agent, agentRef, callId }: Talk, asks: boolean): Promise<string | null> {
  const deadline = performance.now() + SYNC_TIMEOUT_MS;
  const isTold = () =>
    agent.received.some(({ event }) => event === 'session') &&
    agent.session?.calls.some((call) => call.callId === callId && call.state === 'active');
  while (performance.now() < deadline) {
    if (asks && agent.socket.connected) await agent.send('resync', {}).catch(() => undefined);
    if (isTold()) return null;
    await sleep(50);
  }
  const calls = agent.session?.calls.map((call) => `${call.callId} ${call.state}`).join(', ');
  return `${agentRef}, ${agent.socket.connected ? 'connected' : 'not connected'}, is told of ${calls || 'no call'} instead of ${callId}`;
}

async function hangUp(t: TestStack, talks: Talk[]): Promise<string[]> {
  const wrong: string[] = [];
  await Promise.all(
    talks.map(async ({ agent, agentRef, call, callId, since }, i) => {
      const by = i % 2 === 0 ? 'AGENT' : 'CUSTOMER';
      // Measured before the request: when half of all calls end at once, its acknowledgement takes a second.
      const talkedSeconds = (Date.now() - since) / 1000;
      await (by === 'AGENT' ? agent.hangUp(callId) : call.hangUp());
      await call.ended(ENDS_WITHIN_MS);
      const { ended } = await lifeOf(t, callId, ENDS_WITHIN_MS);
      const told = [ended.terminationReason, ended.terminatedBy, ended.agentRef].join(' ');
      if (told !== `COMPLETED ${by} ${agentRef}`) wrong.push(`call ${callId} ended ${told}`);
      if (Math.abs(ended.durations.call - talkedSeconds) > DURATION_SLACK_SECONDS)
        wrong.push(`call ${callId} lasted ${ended.durations.call} s, not ${talkedSeconds.toFixed(1)} s`);
    }),
  );
  return wrong;
}

async function killMedia(t: TestStack, talks: Talk[], wrong: string[]): Promise<number[]> {
  await t.stack.kill('media', 'SIGKILL');
  // This process and the service use the same clock.
  const wallOf = (moment: number) => Date.now() - performance.now() + moment;
  const outlived = await Promise.all(
    talks.map(async ({ call, callId }) => {
      await Promise.all([
        t.webhooks.waitFor(isOf(callId, 'call.ended'), ENDS_WITHIN_MS),
        call.ended(ENDS_WITHIN_MS),
      ]);
      const { ended }: { ended: CallView } = await lifeOf(t, callId, ENDS_WITHIN_MS);
      if (ended.terminationReason !== 'SYSTEM_ERROR')
        wrong.push(`call ${callId} ended ${String(ended.terminationReason)}`);
      const endedAt =
        call instanceof WhatsAppCall
          ? Date.parse(call.view.endedAt ?? '')
          : wallOf(call.times.ended ?? Infinity);
      return endedAt - Date.parse(ended.endedAt ?? '');
    }),
  );
  await t.stack.waitHealthy('media');
  wrong.push(...(await busy(talks)));
  const left = t.meta.simulator.control.calls().filter(({ state }) => state !== 'ended');
  if (left.length > 0) wrong.push(`media killed: ${left.length} calls go on at Meta`);
  await endLiveCalls(t);
  return outlived;
}

/** Complaints about agents who are not idle after their call has ended. */
async function busy(talks: Talk[]): Promise<string[]> {
  const deadline = performance.now() + SYNC_TIMEOUT_MS;
  const isIdle = async ({ agent }: Talk) => {
    await agent.send('resync', {}).catch(() => undefined);
    return agent.session?.calls.length === 0;
  };
  const complaintsOf = async (talk: Talk): Promise<string[]> => {
    while (performance.now() < deadline) {
      if (await isIdle(talk)) return [];
      await sleep(50);
    }
    return [`media killed: ${talk.agentRef} is still in a call`];
  };
  return (await Promise.all(talks.map(complaintsOf))).flat();
}
