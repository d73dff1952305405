/** The output of the loads without audio. */
import { quantile, WORKER } from '../report.ts';
import type { PhaseResult, SignallingResult } from './measure.ts';
import type { ProbeResult } from './prober.ts';
import { commitsOf, cpuMsOf, offerDelays, outcomes, overtaking, statementsOf, waits } from './results.ts';

/** In the order of the columns. The rest of a stack has no database. */
const PROCESSES = ['realtime', 'postgres', 'media', 'worker', 'web', 'sip', WORKER, 'load'];
const WITH_DATABASE = ['realtime', 'worker', 'web'];

const ms = (value: number) => (Number.isFinite(value) ? `${value.toFixed(0)} ms` : '–');
const shown = (name: string) => (name === WORKER ? 'mediasoup' : name);

const halves = (values: number[]) => `${ms(quantile(values, 0.5))} / ${ms(quantile(values, 0.99))}`;

function costRow({ phase, perCall, placed }: PhaseResult): string {
  const cpu = PROCESSES.map((name) => (perCall.cpuMs[name] ?? 0).toFixed(1));
  const completed = outcomes(placed)['as planned'];
  const figures = [statementsOf(perCall), commitsOf(perCall), cpuMsOf(perCall)].map((value) =>
    value.toFixed(1),
  );
  return `| ${[phase.name, `${completed} of ${placed.length}`, ...figures, ...cpu].join(' | ')} |`;
}

function idleRow({ name, used }: SignallingResult['idle'][number]): string {
  const cpu = PROCESSES.map((process) => (used.cpuMs[process] ?? 0).toFixed(1));
  const figures = [statementsOf(used), commitsOf(used), cpuMsOf(used)].map((value) => value.toFixed(1));
  return `| ${[name, '', ...figures, ...cpu].join(' | ')} |`;
}

function outcomeRow(result: PhaseResult): string {
  const { phase, placed, doubleOffers, overtaken, overlaps, leftLive, refusedButCalls } = result;
  const { refused, failed } = outcomes(placed);
  const refusals = waits(placed, 'refusedAt');
  return `| ${[
    phase.name,
    halves(waits(placed, 'offeredAt')),
    halves(offerDelays(placed)),
    halves(waits(placed, 'answeredAt')),
    refused === 0 ? '0' : `${refused} (after ${halves(refusals)})`,
    failed,
    `${overtaken} / ${overtaking(placed)}`,
    `${doubleOffers} / ${overlaps}`,
    `${refusedButCalls} / ${leftLive}`,
  ].join(' | ')} |`;
}

function statementRow({ phase, perCall }: PhaseResult): string {
  const counts = WITH_DATABASE.map((name) => {
    const { statements, commits } = perCall.statements[name] ?? { statements: 0, commits: 0 };
    return `${statements.toFixed(1)} (${commits.toFixed(1)})`;
  });
  return `| ${[phase.name, ...counts].join(' | ')} |`;
}

function overloadLines({ phase, recovered, running, probed }: PhaseResult): string[] {
  if (!phase.overload || !running) return [];
  const { calls, stillConnected, toAgent, toCaller } = running;
  return [
    `${phase.name}: of ${calls} calls with audio that ran, ${stillConnected} still did at the end; lost to agent / to caller ` +
      `${toAgent.lost} of ${toAgent.sent} / ${toCaller.lost} of ${toCaller.sent} packets, delay p99 ` +
      `${ms(toAgent.delayMs.p99)} / ${ms(toCaller.delayMs.p99)}. ` +
      `${phase.overload.recovery.afterMs} ms after the last INVITE, INVITE to offer was ${halves(waits(recovered, 'offeredAt'))}, ` +
      `${outcomes(recovered)['as planned']} of ${recovered.length} as planned.`,
    ...(probed ? [probedLine(phase.name, probed)] : []),
  ];
}

function probedLine(name: string, { refusedMs, accepted, ownDelayMs, prioritized }: ProbeResult): string {
  const process = `a separate process ${prioritized ? 'of the highest priority' : '(of the same priority: not permitted to raise it)'}`;
  return (
    `${name}: as seen by ${process}, whose own delay was ${ms(ownDelayMs)} (p99), ${refusedMs.length} of ` +
    `${refusedMs.length + accepted} INVITEs were refused after ${halves(refusedMs)}, at most ${ms(Math.max(...refusedMs))}.`
  );
}

const separator = (columns: number) => `|${'---|'.repeat(columns)}`;

export function signallingReport(result: SignallingResult): string {
  const cost = [
    'Each call',
    'as planned',
    'statements',
    'commits',
    'CPU ms but mediasoup',
    ...PROCESSES.map(shown),
  ];
  const outcome = [
    'Load',
    'INVITE to offer, p50 / p99',
    'the same without the wait for a busy agent',
    'INVITE or intent to answer, p50 / p99',
    'refused',
    'failed',
    'offered out of order as stored / as the apps saw it',
    'offers to an agent with a call / calls of one agent at once',
    'refused but recorded as calls / left live',
  ];
  const statement = ['Statements (commits) of each call', ...WITH_DATABASE];
  const table = (columns: string[], rows: string[]) =>
    [`| ${columns.join(' | ')} |`, separator(columns.length), ...rows].join('\n');
  return [
    'Calls without audio. CPU and statements are beside those of the idle stack.',
    table(cost, [...result.phases.map(costRow), ...result.idle.map(idleRow)]),
    table(outcome, result.phases.map(outcomeRow)),
    table(statement, result.phases.map(statementRow)),
    ...result.phases.flatMap(overloadLines),
  ].join('\n\n');
}

/** What must not happen at any load. */
export function wrongWith({ phases }: SignallingResult): string[] {
  return phases.flatMap(({ phase, placed, overlaps, leftLive, refusedButCalls, failures }) => {
    const failed = placed.filter(({ outcome }) => outcome === 'failed');
    const reasons = [...new Set([...failed.map(({ reason }) => reason), ...failures])].slice(0, 3);
    return [
      failed.length > 0 && `${failed.length} calls failed: ${reasons.join('; ')}`,
      overlaps > 0 && `${overlaps} times one agent had two calls`,
      leftLive > 0 && `${leftLive} calls stayed live without a caller`,
      refusedButCalls > 0 && `${refusedButCalls} refused INVITEs became calls`,
    ]
      .filter((complaint) => complaint !== false)
      .map((complaint) => `${phase.name}: ${complaint}`);
  });
}

export interface Peer {
  name: string;
  /** CPU ms per call. */
  cpuMs: number;
}

/** `ours`: CPU ms of the gateway per call, and of the whole service without mediasoup. */
export function peersReport(ours: { gateway: number; service: number }, peers: Peer[]): string {
  const row = (name: string, cpuMs: number, peer: Peer) =>
    `| ${name} | ${cpuMs.toFixed(1)} | ${peer.name} ${peer.cpuMs.toFixed(1)} | ${(cpuMs / peer.cpuMs).toFixed(1)} |`;
  return [
    '| The same signalling, CPU ms per call | ours | peer | ratio |',
    '|---|---|---|---|',
    ...peers.flatMap((peer) => [
      row('our gateway (ends the dialog, drives the app)', ours.gateway, peer),
      row('our whole service but mediasoup', ours.service, peer),
    ]),
  ].join('\n');
}
