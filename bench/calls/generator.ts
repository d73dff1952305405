/**
 * The load, in a separate process so that its CPU is counted separately: SIP callers with RTP on one side, agents on sockets with WebRTC on
 * the other. Runs the `Load` it receives and reports each stage to its parent.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { Probe, type Direction } from './probe.ts';

export interface Load {
  url: string;
  sip: { host: string; port: number };
  /** The shared line whose queue has all agents. */
  number: string;
  tokens: string[];
  calls: number;
  /** New calls a second. */
  rate: number;
  talkSeconds: number;
}

export type Stage =
  | { stage: 'agents-connected' }
  | { stage: 'connected'; connected: number; failures: string[] }
  | { stage: 'measured'; toAgent: Direction; toCaller: Direction; stillConnected: number }
  | { stage: 'done'; offerMs: number[]; answerMs: number[]; endedRight: number; failures: string[] };

const SETUP_TIMEOUT_MS = 30_000;
/** Between the last answer and the measurement, because setting up calls disturbs the audio for a moment. */
const SETTLE_MS = 2_000;
const CONNECT_AT_ONCE = 10;
const CALLER_PREFIX = '4416329';

const report = (stage: Stage) => process.send?.(stage);

async function run(load: Load): Promise<void> {
  const failures: string[] = [];
  const offeredAt = new Map<string, number>();
  const accepted = new Map<string, Promise<{ agent: ScriptedAgent; callId: number }>>();
  const agents: ScriptedAgent[] = [];
  const take = async (agent: ScriptedAgent, callId: number) => {
    await agent.accept(callId);
    return { agent, callId };
  };
  for (let first = 0; first < load.calls; first += CONNECT_AT_ONCE) {
    const tokens = load.tokens.slice(first, Math.min(first + CONNECT_AT_ONCE, load.calls));
    const connected = await Promise.all(
      tokens.map(async (token, i) => {
        const agent = await ScriptedAgent.connect({ url: load.url, token, deviceId: `bench-${first + i}` });
        agent.socket.on('call:incoming', ({ call }) => {
          const caller = call.customer.address ?? '';
          if (!offeredAt.has(caller)) offeredAt.set(caller, performance.now());
          if (accepted.has(caller)) return;
          accepted.set(
            caller,
            take(agent, call.callId).catch((error: Error) => {
              accepted.delete(caller); // offered again, so the next agent may accept
              failures.push(`accept: ${error.message}`);
              throw error;
            }),
          );
          accepted.get(caller)?.catch(() => undefined);
        });
        await agent.available();
        return agent;
      }),
    );
    agents.push(...connected);
  }
  report({ stage: 'agents-connected' });

  const phone = await SipPhone.open({ laws: ['PCMA'] });
  const toAgent = new Probe(1);
  const toCaller = new Probe(2);
  const offerMs: number[] = [];
  const answerMs: number[] = [];
  const connected: { call: SipCall; agent: ScriptedAgent; callId: number }[] = [];
  const place = async (index: number) => {
    const from = `${CALLER_PREFIX}${String(index).padStart(5, '0')}`;
    const call = await phone.call(load.number, load.sip, { from });
    try {
      await call.answered(SETUP_TIMEOUT_MS);
      const { agent, callId } = (await accepted.get(`+${from}`)) ?? {};
      const leg = agent && callId ? agent.legs.get(callId) : undefined;
      if (!agent || !callId || !leg) throw new Error('answered without an agent');
      toAgent.attach(index, call.audio, leg);
      toCaller.attach(index, leg, call.audio);
      offerMs.push((offeredAt.get(`+${from}`) ?? Infinity) - call.times.invite);
      answerMs.push((call.times.answered ?? Infinity) - call.times.invite);
      connected.push({ call, agent, callId });
    } catch (error) {
      failures.push(`call ${index}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const placed: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let index = 0; index < load.calls; index += 1) {
    await sleep(Math.max(0, startedAt + (index * 1000) / load.rate - performance.now()));
    placed.push(place(index));
  }
  await Promise.all(placed);
  await sleep(SETTLE_MS);
  report({ stage: 'connected', connected: connected.length, failures: failures.slice(0, 5) });

  toAgent.begin();
  toCaller.begin();
  await sleep(load.talkSeconds * 1000);
  const stillConnected = connected.filter(({ call }) => call.state === 'answered').length;
  report({ stage: 'measured', toAgent: toAgent.end(), toCaller: toCaller.end(), stillConnected });

  let endedRight = 0;
  for (const [i, { call, agent, callId }] of connected.entries()) {
    try {
      if (i % 2 === 0) await call.hangUp();
      else {
        await agent.hangUp(callId);
        await call.ended();
      }
      endedRight += 1;
    } catch (error) {
      failures.push(`hang up: ${error instanceof Error ? error.message : String(error)}`);
    }
    await sleep(1000 / load.rate / 2);
  }
  report({ stage: 'done', offerMs, answerMs, endedRight, failures: failures.slice(0, 10) });
  phone.close();
  agents.forEach((agent) => agent.close());
}

process.once('message', (load: Load) => {
  run(load).then(
    () => process.disconnect(),
    (error: unknown) => {
      process.stderr.write(`generator: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
