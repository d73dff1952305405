/** CSV as in RFC 4180. */

export type Cell = string | number;

const LINE_END = '\r\n';

export const csvLine = (cells: readonly Cell[]): string => cells.map(quoted).join(',') + LINE_END;

function quoted(cell: Cell): string {
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
