/** The delimiter of a CSV file, from its header. Pure. */

const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** Of the characters that separate fields in practice, the one that is most frequent outside quotes in the first line with text. */
export function findDelimiter(csv: string): Delimiter {
  const line = firstLine(csv).replaceAll(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: line.split(delimiter).length - 1 }));
  const [best] = counts.toSorted((a, b) => b.count - a.count);
  return best?.delimiter ?? ',';
}

/** Where these separate fields, a comma may be the decimal point. */
export const allowsDecimalComma = (delimiter: Delimiter): boolean => delimiter === ';' || delimiter === '\t';

function firstLine(csv: string): string {
  const start = csv.search(/[^\s\uFEFF]/);
  if (start === -1) return '';
  const end = csv.slice(start).search(/[\r\n]/);
  return end === -1 ? csv.slice(start) : csv.slice(start, start + end);
}
