/** The results of a soak test, in the format of docs/figures.md. */
import type { SoakPlan, SoakResult } from './run.ts';

const MOST_COMPLAINTS = 60;

export function soakReport(plan: SoakPlan, result: SoakResult): string {
  const rows = (counts: Map<string, number>) =>
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .map(([what, count]) => `${count} × ${what}`)
      .join(', ');
  const { calls, events, wrong, resources } = result;
  return [
    `${plan.seconds} s, seed ${plan.seed}: ${calls} calls, ${events} events delivered`,
    `calls: ${rows(result.byOutcome)}`,
    `traffic: ${rows(result.counts)}`,
    '',
    '| process | MB before | MB at rest after | MB per hour, second half | files before | files after |',
    '| --- | --- | --- | --- | --- | --- |',
    ...resources.map(
      ({ name, slopeMbPerHour, rssMb, files }) =>
        `| ${name} | ${rssMb[0].toFixed(0)} | ${rssMb[1].toFixed(0)} | ${slopeMbPerHour.toFixed(0)} | ${files[0]} | ${files[1]} |`,
    ),
    '',
    wrong.length === 0 ? 'proved' : `not proved, ${wrong.length} complaints:`,
    ...wrong.slice(0, MOST_COMPLAINTS).map((line) => `  ${line}`),
    '',
  ].join('\n');
}
