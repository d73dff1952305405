/** The output of the media benchmark: a table for people, JSON for programs, and failed requirements. */
import type { MediaResult } from './measure.ts';
import { ratiosOf, spreadOf, verdictOf, type Row } from './rows.ts';

const figure = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));

function spread(figures: readonly number[]): string {
  const { median, lowest, highest } = spreadOf(figures);
  return `${figure(median)} (${figure(lowest)} to ${figure(highest)})`;
}

function line(row: Row): string {
  const ratios = ratiosOf(row);
  const cells = [
    `${row.name}, ${row.unit}`,
    spread(row.ours),
    row.peer ? `${row.peer.name} ${spread(row.peer.figures)}` : 'not on this machine',
    row.peer ? `**${spread(ratios)}**` : '',
    row.goal === row.limit ? `${row.goal}` : `${row.goal}, at most ${row.limit}`,
    verdictOf(row),
  ];
  return `| ${cells.join(' | ')} |`;
}

export function mediaReport({ at, machine, load, rows }: MediaResult): string {
  const notes = rows.flatMap(({ name, note }) => (note ? [`- ${name}: ${note}`] : []));
  const lost = rows.reduce((sum, row) => sum + row.lost.ours, 0);
  return [
    `${at.toISOString().slice(0, 10)}, ${machine}, load average ${load.before.toFixed(1)} before and ${load.after.toFixed(1)} after, the load on the same machine.`,
    `Median (lowest to highest) of ${rows[0]?.ours.length ?? 0} rounds, ours and the peer in turns; packets lost by us: ${lost}.`,
    '',
    '| | ours | peer | ratio | goal | |',
    '|---|---|---|---|---|---|',
    ...rows.map(line),
    ...(notes.length > 0 ? ['', ...notes] : []),
  ].join('\n');
}

export function asJson({ at, machine, load, rows }: MediaResult) {
  return {
    at: at.toISOString(),
    machine,
    load,
    rows: rows.map((row) => ({ ...row, ratio: spreadOf(ratiosOf(row)), verdict: verdictOf(row) })),
  };
}

/** Failures that make a run's figures meaningless. */
export function complaints({ rows }: MediaResult): string[] {
  return rows.flatMap(({ name, ours, lost }) => [
    ...(lost.ours > 0 ? [`${name}: we lost ${lost.ours} packets`] : []),
    ...(ours.length === 0 || ours.some((value) => !Number.isFinite(value)) ? [`${name}: no figure`] : []),
  ]);
}
