/** The results of the fault test, in the format of docs/figures.md. */
import type { FaultsResult, Window } from './run.ts';

export function faultsReport({ held, control, faults, outlivedMs, wrong }: FaultsResult): string {
  const row = (name: string, window: Window, sync: string) => {
    const { toAgent, toCaller, whatsApp, seconds } = window;
    const lost = `${toAgent.lost} of ${toAgent.sent} / ${toCaller.lost} of ${toCaller.sent}`;
    const onWhatsApp = `${whatsApp.lost} of ${whatsApp.received + whatsApp.lost}`;
    const delay = `${toAgent.delayMs.p99.toFixed(1)} / ${toCaller.delayMs.p99.toFixed(1)}`;
    return `| ${name} | ${seconds.toFixed(0)} | ${lost} | ${onWhatsApp} | ${delay} | ${sync} |`;
  };
  const slowest = (ms: number[]) => `${median(ms).toFixed(0)} / ${Math.max(...ms).toFixed(0)} ms`;
  return [
    `${held} calls with audio both ways`,
    '| killed | seconds | lost to agent / to caller | lost on WhatsApp | delay p99, ms | last agent in sync, median / slowest |',
    '| --- | --- | --- | --- | --- | --- |',
    row('nothing (control)', control, ''),
    ...faults.map((fault) => row(`${fault.name} × ${fault.kills}`, fault, slowest(fault.syncMs))),
    `media killed under ${outlivedMs.length} calls: a carrier's leg outlived its call by ${Math.max(0, ...outlivedMs).toFixed(0)} ms at most`,
    wrong.length === 0 ? 'proved' : `not proved:\n${wrong.map((line) => `  ${line}`).join('\n')}`,
    '',
  ].join('\n');
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
