/** The text of a carrier's file, whatever program wrote it. Pure. */

const UTF16_LE = [0xff, 0xfe];
const UTF16_BE = [0xfe, 0xff];

/** UTF-8, or UTF-16 with its byte order mark (“Unicode text” of Excel), or else Windows-1252, which every sequence of bytes is. */
export function textOf(content: ArrayBuffer): string {
  const bytes = new Uint8Array(content);
  const begins = (mark: readonly number[]) => mark.every((byte, index) => bytes[index] === byte);
  if (begins(UTF16_LE)) return new TextDecoder('utf-16le').decode(bytes);
  if (begins(UTF16_BE)) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const WORKBOOK = /\.(xlsx|xlsm|xlsb|xls|ods|numbers)$/i;

/** Why a file cannot be imported; undefined: it may be CSV. */
export function refusalOf({ name, size }: { name: string; size: number }): string | undefined {
  if (WORKBOOK.test(name))
    return 'This is a workbook. Open it in your spreadsheet program, choose File, Save as (or Download), pick the format CSV (UTF-8), and drop the saved .csv file here.';
  return size === 0 ? 'This file is empty.' : undefined;
}
