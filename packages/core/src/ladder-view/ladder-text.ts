/** A ladder as text, in the form of sngrep: one column per participant, time from top to bottom. */
import type { Ladder, LadderLine } from './build-ladder.ts';

/** Between the axes of two participants. */
const LANE_CHARS = 34;
const TIME_CHARS = 12;
const HALF = Math.floor(LANE_CHARS / 2);

export function ladderText(title: string, ladder: Ladder): string {
  const { participants, lines } = ladder;
  const startMs = lines[0]?.atMs ?? 0;
  const column = new Map(participants.map(({ id }, index) => [id, HALF + index * LANE_CHARS]));
  const width = participants.length * LANE_CHARS;
  const labels = participants.map(({ label }) => centred(label, LANE_CHARS)).join('');
  const rows = lines.map((line) => {
    const time = `+${((line.atMs - startMs) / 1_000).toFixed(3)}`.padStart(TIME_CHARS - 2);
    return `${time}  ${rowOf(line, column, width)}`.trimEnd();
  });
  const messages = lines.flatMap((line, index) =>
    line.detail === null ? [] : [messageOf(line, index, startMs)],
  );
  return [
    title,
    `Begins at ${new Date(startMs).toISOString()}; times are seconds since then.`,
    ...(ladder.truncated ? ['Some messages were cut off or left out: the ladder is limited.'] : []),
    '',
    `${' '.repeat(TIME_CHARS)}${labels}`.trimEnd(),
    `${' '.repeat(TIME_CHARS)}${axes(column, width)}`.trimEnd(),
    ...rows,
    '',
    ...messages,
  ].join('\n');
}

function axes(column: ReadonlyMap<string, number>, width: number): string {
  const cells = Array.from({ length: width }, () => ' ');
  for (const at of column.values()) cells[at] = '|';
  return cells.join('');
}

function rowOf(
  { from, to, summary, kind }: LadderLine,
  column: ReadonlyMap<string, number>,
  width: number,
): string {
  const axis = axes(column, width);
  const start = column.get(from) ?? 0;
  const end = to === null ? null : (column.get(to) ?? null);
  if (end === null || end === start) {
    const note = ` ${kind === 'EVENT' ? '' : '* '}${printable(summary)}`;
    return `${axis.slice(0, start + 1)}${note}${axis.slice(start + 1 + note.length)}`;
  }
  const [left, right] = start < end ? [start, end] : [end, start];
  const room = right - left - 1;
  const text = ` ${shortened(printable(summary), room - 5)} `;
  const line = start < end ? `-${text.padEnd(room - 2, '-')}>` : `<${text.padEnd(room - 2, '-')}-`;
  return `${axis.slice(0, left + 1)}${line}${axis.slice(right)}`;
}

function messageOf({ atMs, detail, from, to, summary }: LadderLine, index: number, startMs: number): string {
  const head = `--- ${index + 1}. +${((atMs - startMs) / 1_000).toFixed(3)} ${from}${to === null ? '' : ` -> ${to}`}: ${printable(summary)}`;
  return `${head}\n${(detail ?? '').replaceAll('\r\n', '\n').trimEnd()}\n`;
}

const shortened = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, Math.max(1, chars - 1))}…`;

const centred = (text: string, chars: number): string => {
  const short = shortened(printable(text), chars - 2);
  const left = Math.max(0, HALF - Math.floor(short.length / 2));
  return `${' '.repeat(left)}${short}`.padEnd(chars);
};

/** Control characters could move the cursor of the terminal that shows the text. */
// oxlint-disable-next-line no-control-regex
const printable = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
