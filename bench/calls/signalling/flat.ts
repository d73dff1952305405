/**
 * Whether the cost of a call depends on what else is present: the same load beside more and more callers who wait, connected agents and
 * stored calls, on one stack, so that the machine is the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TestStack } from '@clarion/testkit/stack/stack';
import { makeHistory, settle } from '../../api/call-history.ts';
import { NUMBER, PATIENT_NUMBER, provision, RTP_PORTS, TENANT } from '../provision.ts';
import { LoadProcess } from './load-process.ts';
import { atRest, measurePhase, START_SETTLE_MS, WARM_UP } from './measure.ts';
import type { PhaseResult, SignallingResult } from './measure.ts';
import { Meter } from './meter.ts';
import { TALK_MS } from './phases.ts';

/** In this order, because each adds to the one before. */
const SURROUNDINGS = [
  { agents: 10, waiting: 10, history: 0 },
  { agents: 10, waiting: 300, history: 0 },
  { agents: 1_000, waiting: 300, history: 0 },
  { agents: 1_000, waiting: 300, history: 1_000_000 },
];
/** Ten agents can take so many. */
const RATE = 5;

const nameOf = ({ agents, waiting, history }: (typeof SURROUNDINGS)[number]) =>
  `${agents.toLocaleString('en')} agents, ${waiting} waiting, ${history.toLocaleString('en')} stored`;

export async function measureFlat(
  { seconds, idleSeconds }: { seconds: number; idleSeconds: number },
  say: (line: string) => void,
): Promise<SignallingResult> {
  say('starting a separate stack');
  const t = await TestStack.boot({
    countStatements: true,
    env: { CLARION_LOG_LEVEL: 'error', CLARION_RTP_PORTS: RTP_PORTS },
  });
  const load = new LoadProcess();
  try {
    const tokens = await provision(t, Math.max(...SURROUNDINGS.map(({ agents }) => agents)));
    const lines = { number: NUMBER, patientNumber: PATIENT_NUMBER, sip: t.sip };
    const site = { url: t.baseUrl, tenant: TENANT, apiKey: t.account.apiKey, ...lines };
    const meter = new Meter(t, load.pid);
    const idle: SignallingResult['idle'] = [];
    const phases: PhaseResult[] = [];
    let present = { agents: 0, waiting: 0, history: 0 };
    for (const next of SURROUNDINGS) {
      const name = nameOf(next);
      say(name);
      await load.connect(site, tokens.slice(present.agents, next.agents));
      await load.leaveWaiting(next.waiting - present.waiting);
      if (next.history > present.history) {
        await makeHistory(t.db, 'history', next.history);
        await settle(t.db);
      }
      present = next;
      await load.place(WARM_UP);
      await atRest(t);
      await sleep(START_SETTLE_MS);
      await meter.measureIdle(idleSeconds);
      const phase = { kind: 'answered', calls: RATE * seconds, rate: RATE, talkMs: TALK_MS } as const;
      phases.push(await measurePhase(t, { load, meter, idleSeconds }, { ...phase, name }));
      idle.push({ name: `idle, each second: ${name}`, used: meter.idle(2) });
    }
    return { idle, phases };
  } finally {
    await load.close();
    await t.stop();
  }
}
