/** What is in the columns of a file, so that they can be told apart. The service reads the file; this reads a few lines of it. Pure. */

const DELIMITERS = [',', ';', '\t', '|'];
const LOOKED_AT_CHARS = 64 * 1024;
const MAX_LINES = 6;
const SHOWN = 3;

/** The first values of each column, in the order of the headings; none if the lines do not fit the headings. */
export function samplesOf(csv: string, header: readonly string[]): readonly (readonly string[])[] {
  const [first, ...lines] = csv
    .slice(0, LOOKED_AT_CHARS)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_LINES);
  const delimiter = DELIMITERS.find((each) => isSame(cellsOf(first ?? '', each), header));
  const rows = delimiter === undefined ? [] : lines.map((line) => cellsOf(line, delimiter));
  return header.map((_, index) =>
    rows
      .map((cells) => cells[index] ?? '')
      .filter((cell) => cell !== '')
      .slice(0, SHOWN),
  );
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((cell, index) => cell === other[index]);

/** One line of RFC 4180 without line breaks inside quotes. */
function cellsOf(line: string, delimiter: string): string[] {
  const cells = [''];
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === delimiter && !quoted) cells.push('');
    else cells.push((cells.pop() ?? '') + character);
  }
  return cells.map((cell) => cell.trim());
}
