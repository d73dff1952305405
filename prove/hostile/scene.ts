/** A running copy with agents on both socket paths, a live call, and a line to call; and the checks after an attack. */
import type { Received, ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { openCallCentre } from '@clarion/testkit/stack/call-centre';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { ProcessName } from '@clarion/devkit/stack/stack';
import { SeededRandom } from '../lib/seeded-random.ts';

/** Requirement: "A new call is offered within one second." */
export const OFFER_WITHIN_MS = 1_000;
/** After this long without an offer the check fails. */
const OFFER_TIMEOUT_MS = 10_000;
const CALLER_HZ = 440;
const AGENT_HZ = 660;

export interface Scene {
  t: TestStack;
  random: SeededRandom;
  /** Calls to it ring `free`. */
  number: string;
  live: { call: SipCall; callId: number };
  free: ScriptedAgent;
  agents: readonly ScriptedAgent[];
  pids: ReadonlyMap<ProcessName, number>;
  sockets: readonly (string | undefined)[];
}

export const bootScene = (env: Record<string, string> = {}): Promise<TestStack> =>
  TestStack.boot({ ownPostgres: true, env: { CLARION_LOG_LEVEL: 'error', ...env } });

export async function openScene(t: TestStack, seed: number): Promise<Scene> {
  const { main: number } = await openCallCentre(t, { agents: ['ada', 'bob', 'cyd'], ringTimeoutSeconds: 60 });
  const ada = await t.agent('ada');
  const bob = await t.agent('bob', { node: 'realtime' });
  const cyd = await t.agent('cyd');
  const phone = await t.phone();
  await ada.available();
  const call = await phone.call(number, t.sip);
  const { callId } = await ada.incoming();
  const leg = await ada.accept(callId);
  await call.answered();
  call.audio.sendTone(CALLER_HZ);
  leg.sendTone(AGENT_HZ);
  await bob.available();
  const agents = [ada, bob, cyd];
  return {
    t,
    random: new SeededRandom(seed),
    number,
    live: { call, callId },
    free: bob,
    agents,
    pids: pidsOf(t),
    sockets: agents.map(({ socket }) => socket.id),
  };
}

/** Ends the live call, and leaves no agent to whom the next scene's calls could be offered. */
export async function closeScene({ live, agents }: Scene): Promise<void> {
  await live.call.hangUp();
  await live.call.ended();
  const connected = agents.filter(({ socket }) => socket.connected);
  await Promise.all(connected.map((agent) => agent.send('availability:set', { status: 'OFFLINE' })));
}

function pidsOf(t: TestStack): Map<ProcessName, number> {
  const entries = Object.entries(t.stack.processes) as [ProcessName, { pid?: number } | undefined][];
  return new Map(entries.flatMap(([name, running]) => (running?.pid ? [[name, running.pid] as const] : [])));
}

export interface Check {
  wrong: string[];
  /** From the INVITE to the agent's offer. */
  offeredMs: number;
}

/** Every process is the same, every agent is connected by the same socket, the live call continues, and a new one rings. */
export async function check(scene: Scene): Promise<Check> {
  const { t, agents, sockets, pids, live } = scene;
  const wrong: string[] = [];
  const now = pidsOf(t);
  for (const [name, pid] of pids) {
    if (now.get(name) !== pid) wrong.push(`${name} ended: process ${pid} is ${now.get(name) ?? 'gone'}`);
  }
  for (const [index, { socket }] of agents.entries()) {
    if (!socket.connected || socket.id !== sockets[index]) wrong.push(`agent ${index} lost its socket`);
  }
  if (live.call.state !== 'answered') wrong.push(`the live call is ${live.call.state}`);
  if (!(await isHeard(live.call))) wrong.push('the caller of the live call no longer hears audio');
  const offeredMs = await offer(scene);
  if (offeredMs > OFFER_WITHIN_MS) wrong.push(`a new call was offered after ${offeredMs.toFixed(0)} ms`);
  return { wrong, offeredMs };
}

/** The agent's browser sends audio continuously, so another packet must arrive soon. */
async function isHeard({ audio }: SipCall): Promise<boolean> {
  const before = audio.heard.length;
  for (let tries = 0; tries < 50 && audio.heard.length === before; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return audio.heard.length > before;
}

async function offer({ t, number, free }: Scene): Promise<number> {
  const phone = await SipPhone.open();
  const call = await phone.call(number, t.sip);
  const started = performance.now();
  const isOffered = ({ at, event }: Received) => event === 'call:incoming' && at >= started;
  try {
    const { at, payload } = await free.waitFor(isOffered, OFFER_TIMEOUT_MS);
    await call.hangUp();
    await free.waitFor(
      ({ event, payload: { callId } }) => event === 'call:withdrawn' && callId === payload.call?.callId,
    );
    return at - started;
  } catch {
    return Infinity;
  } finally {
    phone.close();
  }
}
