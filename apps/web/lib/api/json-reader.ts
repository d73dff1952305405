/**
 * Reads JSON with strings of megabytes, such as a rate sheet, while it is received. A long string is decoded piece by piece and is never one
 * string: building and parsing a text of 20 MB takes six times its memory, and blocks the process for 30 to 50 ms.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { LongText } from '@clarion/protocol/v1/fields/long-text';
import { endOfString } from './json-strings.ts';

/** Longer strings are kept in pieces. */
const LONG_CHARS = 128 * 1024;
/** Is decoded in less than a millisecond. */
const PIECE_CHARS = 64 * 1024;

/** The JSON that was received, in which a placeholder stands for each long string. */
export interface ReceivedJson {
  short: string;
  /** Undefined for a string that is not a placeholder. */
  longText(text: string): LongText | undefined;
  /** The same for two bodies that differ only in spaces. */
  canonical(): Promise<string>;
}

export interface JsonReader {
  take(json: string): void;
  end(): ReceivedJson;
}

export function createJsonReader(): JsonReader {
  // A string that no request contains.
  const token = randomUUID();
  const texts: LongText[] = [];
  let short = '';
  let string: StringReader | null = null;

  function takePiece(piece: string): void {
    let from = string ? finish(string, piece) : 0;
    let at = from;
    while (at < piece.length) {
      const start = piece.indexOf('"', at);
      if (start === -1) break;
      at = endOfString(piece, start) + 1;
      if (at <= piece.length) continue;
      short += piece.slice(from, start);
      string = createStringReader();
      from = finish(string, piece.slice(start + 1)) + start + 1;
    }
    short += piece.slice(from);
  }

  /** @returns where the piece continues after the string */
  function finish(open: StringReader, piece: string): number {
    const end = open.take(piece);
    if (end === -1) return piece.length;
    string = null;
    const text = open.text();
    // A character that is not valid anywhere in JSON: the body must not become valid by what is left out.
    if (text === null) short += '\0';
    else if (open.chars() <= LONG_CHARS) short += JSON.stringify(text.pieces.join(''));
    else short += `"${token}${texts.push(text) - 1}"`;
    return end;
  }

  return {
    take(json) {
      for (let start = 0; start < json.length; start += PIECE_CHARS)
        takePiece(json.slice(start, start + PIECE_CHARS));
    },
    end() {
      if (string) short += '"';
      const longText = (text: string) =>
        text.startsWith(token) ? texts[Number(text.slice(token.length))] : undefined;
      return { short, longText, canonical: async () => canonical(short, token, await hashesOf(texts)) };
    },
  };
}

interface StringReader {
  /** @returns the index after the closing quote; -1 if the string continues */
  take(piece: string): number;
  chars(): number;
  /** Null if it has an escape sequence or a character that JSON does not allow. */
  text(): LongText | null;
}

function createStringReader(): StringReader {
  const pieces: string[] = [];
  let chars = 0;
  let isValid = true;
  /** The beginning of an escape sequence, and of a character of two escape sequences. */
  let escape = '';
  let half = '';

  function add(json: string, isLast: boolean): void {
    try {
      const text = half + (JSON.parse(`"${json}"`) as string);
      half = !isLast && isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(-1) : '';
      chars += text.length - half.length;
      pieces.push(half ? text.slice(0, -1) : text);
    } catch {
      isValid = false;
    }
  }

  return {
    take(piece) {
      const json = escape + piece;
      const end = endOfString(json, -1);
      const isLast = end < json.length;
      const cut = isLast ? end : endOfEscapes(json);
      if (isValid) add(json.slice(0, cut), isLast);
      const continuesAt = end + 1 - escape.length;
      escape = json.slice(cut);
      return isLast ? continuesAt : -1;
    },
    chars: () => chars,
    text: () => (isValid ? new LongText(pieces) : null),
  };
}

const isHighSurrogate = (code: number): boolean => (code & 0xfc00) === 0xd800;

/** Where an escape sequence (`\n`, `\u00e9`) begins of which the end is missing, or else the end. */
function endOfEscapes(json: string): number {
  const last = json.lastIndexOf('\\');
  let first = last;
  while (json[first - 1] === '\\') first -= 1;
  const isEscape = last !== -1 && (last - first) % 2 === 0;
  const length = json[last + 1] === 'u' ? '\\u0000'.length : '\\n'.length;
  return isEscape && last + length > json.length ? last : json.length;
}

function canonical(short: string, token: string, hashes: readonly string[]): string {
  const stable = short.replaceAll(token, '');
  try {
    return [JSON.stringify(JSON.parse(stable)), ...hashes].join('\n');
  } catch {
    return [stable, ...hashes].join('\n');
  }
}

async function hashesOf(texts: readonly LongText[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const { pieces } of texts) {
    const hash = createHash('sha256');
    for (const piece of pieces) {
      hash.update(piece);
      await setImmediate();
    }
    hashes.push(hash.digest('hex'));
  }
  return hashes;
}
