/** Runs one load against a complete stack and reads the results from the calls and the processes. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { TestStack } from '@clarion/testkit/stack/stack';
import type { Load, Stage } from './generator.ts';
import type { Direction } from './probe.ts';
import { cpuBetween, usageOf, type Usage } from './processes.ts';
import type { RelayLoad, RelayStage } from './relay-generator.ts';
import { NUMBER, provision, RTP_PORTS } from './provision.ts';
import { WORKER } from './report.ts';

/** Events of the last calls may still be in transit when the load ends. */
const EVENTS_WITHIN_MS = 30_000;

export interface Audio {
  toAgent: Direction;
  toCaller: Direction;
}

export interface CallsResult extends Audio {
  asked: number;
  connected: number;
  stillConnected: number;
  endedRight: number;
  failures: string[];
  offerMs: number[];
  answerMs: number[];
  /** CPU seconds while the calls were connected, by process. */
  talkCpu: Record<string, number>;
  talkSeconds: number;
  memory: Record<string, Usage>;
  idleMemory: Record<string, Usage>;
  events: { created: number; answered: number; ended: number; unsigned: number };
}

export interface RelayResult extends Audio {
  talkCpu: number;
  talkSeconds: number;
}

export interface Plan {
  calls: number;
  rate: number;
  talkSeconds: number;
}

export async function measureCalls(plan: Plan, say: (line: string) => void): Promise<CallsResult> {
  say('starting a separate stack');
  const t = await TestStack.boot({ env: { CLARION_LOG_LEVEL: 'warn', CLARION_RTP_PORTS: RTP_PORTS } });
  try {
    say(`making ${plan.calls} agents, a queue and a line`);
    const tokens = await provision(t, plan.calls);
    const roots = () => ({
      ...Object.fromEntries(Object.entries(t.stack.processes).map(([name, process]) => [name, process.pid])),
      generator: child.pid,
    });
    const child = forkScript('generator.ts');
    const usage = () => usageOf(roots(), [WORKER]);
    const load: Load = { url: t.baseUrl, sip: t.sip, number: NUMBER, tokens, ...plan };
    const stages = stagesOf<Stage>(child);
    const idleMemory = usage();
    child.send(load);
    await stages.next('agents-connected');
    say(`agents connected; placing ${plan.calls} calls at ${plan.rate} a second`);
    const connected = await stages.next('connected');
    const talkStart = usage();
    say(
      `${connected.connected} calls connected; measuring for ${plan.talkSeconds} s${connected.failures.length ? ` (${connected.failures[0]})` : ''}`,
    );
    const measured = await stages.next('measured');
    const talkEnd = usage();
    const done = await stages.next('done');
    say('calls ended; waiting for their events');
    await t.webhooks
      .waitFor(() => t.webhooks.events('call.ended').length >= connected.connected, EVENTS_WITHIN_MS)
      .catch(() => undefined); // the counts below show it
    const count = (type: string) => new Set(t.webhooks.events(type).map((event) => event.event_id)).size;
    return {
      asked: plan.calls,
      connected: connected.connected,
      stillConnected: measured.stillConnected,
      endedRight: done.endedRight,
      failures: done.failures,
      offerMs: done.offerMs,
      answerMs: done.answerMs,
      toAgent: measured.toAgent,
      toCaller: measured.toCaller,
      talkCpu: cpuBetween(talkStart, talkEnd),
      talkSeconds: plan.talkSeconds,
      memory: talkEnd,
      idleMemory,
      events: {
        created: count('call.created'),
        answered: count('call.answered'),
        ended: count('call.ended'),
        unsigned: t.webhooks.deliveries.filter(({ signatureValid }) => !signatureValid).length,
      },
    };
  } finally {
    await t.stop();
  }
}

export async function measureRelay(load: RelayLoad): Promise<RelayResult> {
  const child = forkScript('relay-generator.ts');
  const stages = stagesOf<RelayStage>(child);
  child.send(load);
  const { pid } = await stages.next('connected');
  const usage = () => usageOf({ rtpengine: pid });
  const before = usage();
  const { toAgent, toCaller } = await stages.next('measured');
  const talkCpu = cpuBetween(before, usage()).rtpengine ?? 0;
  return { toAgent, toCaller, talkCpu, talkSeconds: load.talkSeconds };
}

const forkScript = (name: string): ChildProcess =>
  fork(join(import.meta.dirname, name), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

/** Waits for the messages of a child process, by stage. */
function stagesOf<S extends { stage: string }>(child: ChildProcess) {
  const arrived: S[] = [];
  child.on('message', (stage: S) => arrived.push(stage));
  return {
    async next<K extends S['stage']>(stage: K): Promise<Extract<S, { stage: K }>> {
      for (;;) {
        const found = arrived.find((each): each is Extract<S, { stage: K }> => each.stage === stage);
        if (found) return found;
        if (child.exitCode !== null)
          throw new Error(`the generator ended with ${child.exitCode} before "${stage}"`);
        await Promise.race([once(child, 'message'), once(child, 'exit')]);
      }
    },
  };
}
