/**
 * Parses JSON with strings of megabytes, such as a rate sheet, in pieces of a millisecond: other requests are served in between. `JSON.parse` of
 * 20 MB blocks the process for 30 to 50 ms.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { endOfString } from './json-strings.ts';

/** Strings that are parsed in pieces are longer. */
const LONG_CHARS = 128 * 1024;
const PIECE_CHARS = 128 * 1024;

/** @throws SyntaxError */
export async function parseLargeJson(json: string): Promise<unknown> {
  // A string that no request contains.
  const token = randomUUID();
  const texts: string[] = [];
  let short = '';
  let from = 0;
  for (const { start, end } of longStrings(json)) {
    short += `${json.slice(from, start)}"${token}${texts.length}"`;
    texts.push(await textBetween(json, start + 1, end));
    from = end + 1;
  }
  short += json.slice(from);
  return JSON.parse(short, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(token) ? texts[Number(value.slice(token.length))] : value,
  );
}

/** Their quotes. */
function* longStrings(json: string): Generator<{ start: number; end: number }> {
  for (let start = json.indexOf('"'); start !== -1;) {
    const end = endOfString(json, start);
    if (end - start > LONG_CHARS) yield { start, end };
    start = json.indexOf('"', end + 1);
  }
}

async function textBetween(json: string, start: number, end: number): Promise<string> {
  let text = '';
  for (let at = start; at < end;) {
    const cut = endOfPiece(json, at, end);
    text += JSON.parse(`"${json.slice(at, cut)}"`) as string;
    at = cut;
    await setImmediate();
  }
  return text;
}

/** Escape sequences (`\n`, `\u00e9`) are not cut. */
function endOfPiece(json: string, at: number, end: number): number {
  const cut = at + PIECE_CHARS;
  if (cut >= end) return end;
  const last = json.lastIndexOf('\\', cut - 1);
  let first = last;
  while (first > at && json[first - 1] === '\\') first -= 1;
  const isComplete = last < at || (last - first) % 2 === 1;
  if (isComplete) return cut;
  return Math.min(end, Math.max(cut, last + (json[last + 1] === 'u' ? '\\u0000'.length : '\\n'.length)));
}
