/** Reads a request body with a size limit while it streams, decodes it as UTF-8 and parses it as JSON. */
import { setImmediate } from 'node:timers/promises';
import { ApiError, malformed, tooLarge } from '@clarion/protocol';
import { endOfString } from './json-strings.ts';
import { createJsonReader } from './json-reader.ts';
import type { ReceivedJson } from './json-reader.ts';

/** Much deeper than any valid body, much shallower than what overflows a parser's stack. */
const MAX_JSON_DEPTH = 100;
/** More than any valid body contains. Five million zeros fit into 10 MB, and each would be validated and reported. */
export const MAX_JSON_VALUES = 100_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Smaller bodies are read in a millisecond. */
const LARGE_BYTES = 64 * 1024;
const BYTES_PER_KB = 1024;
const BYTES_PER_MB = 1024 * BYTES_PER_KB;
/** A client that sends nothing for this long has disconnected, or keeps the request open on purpose. */
export const BODY_SILENCE_MS = 15_000;

/** @throws 413 as soon as more than `maxBytes` were received, 400 when it is not UTF-8 or incomplete */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  // Chunk by chunk, because a large body as a whole would take long to decode.
  await readChunks(
    request,
    maxBytes,
    (chunk) => (text += decoded(() => decoder.decode(chunk, { stream: true }))),
  );
  return text + decoded(() => decoder.decode());
}

/**
 * Reads the JSON while it is received. Other requests are served meanwhile.
 *
 * @throws 413 as soon as more than `maxBytes` were received, 400 when it is not UTF-8 or incomplete
 */
export async function readJson(request: Request, maxBytes: number): Promise<ReceivedJson> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const json = createJsonReader();
  let size = 0;
  await readChunks(request, maxBytes, async (chunk) => {
    json.take(decoded(() => decoder.decode(chunk, { stream: true })));
    size += chunk.byteLength;
    if (size > LARGE_BYTES) await setImmediate();
  });
  json.take(decoded(() => decoder.decode()));
  return json.end();
}

/** @throws 413 as soon as more than `maxBytes` were received, 400 when it is incomplete */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await readChunks(request, maxBytes, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

/** @throws 413 as soon as more than `maxBytes` were received, 400 after `BODY_SILENCE_MS` without data or when the client disconnects */
async function readChunks(
  request: Request,
  maxBytes: number,
  take: (chunk: Uint8Array) => unknown,
): Promise<void> {
  const limit = sizeText(maxBytes);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(limit);
  if (!request.body) return;
  const reader = request.body.getReader();
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(() => silence.reject(new Error('silence')), BODY_SILENCE_MS);
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), silence.promise]);
      if (done) return;
      timer.refresh();
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(limit);
      await take(value);
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error instanceof ApiError ? error : malformed('The request body was not received completely.');
  } finally {
    clearTimeout(timer);
  }
}

const sizeText = (bytes: number): string =>
  bytes < BYTES_PER_MB ? `${bytes / BYTES_PER_KB} KB` : `${Math.floor(bytes / BYTES_PER_MB)} MB`;

/** @throws 400 when it is not UTF-8 */
export const decodeUtf8 = (bytes: Buffer): string => decoded(() => utf8.decode(bytes));

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw malformed('The request body is not valid UTF-8.');
  }
}

/** @throws 400 without details when it is not JSON, is nested too deeply or contains too many values */
export function parseJson(body: string): unknown {
  assertJsonWithinLimits(body);
  return parsed(body);
}

/** The same with its long strings, which are parsed already. @param longTexts whether they stay in pieces */
export function parseReceived({ short, longText }: ReceivedJson, longTexts: boolean): unknown {
  assertJsonWithinLimits(short);
  return parsed(short, (_, value: unknown) => {
    const text = typeof value === 'string' ? longText(value) : undefined;
    if (!text) return value;
    return longTexts ? text : text.pieces.join('');
  });
}

function parsed(json: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(json, revive);
  } catch {
    throw malformed('The request body is not valid JSON.');
  }
}

/** Checks the text before it is parsed. @throws 400 when it is nested too deeply or contains too many values */
export function assertJsonWithinLimits(body: string, maxValues = MAX_JSON_VALUES): void {
  const { depth, values } = measure(body);
  if (depth > MAX_JSON_DEPTH)
    throw malformed(`The request body is nested more deeply than ${MAX_JSON_DEPTH} levels.`);
  if (values > maxValues) throw malformed(`The request body contains more than ${maxValues} values.`);
}

/** The depth of brackets and the number of values, estimated by commas, outside strings. */
function measure(json: string): { depth: number; values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (char === '"') at = endOfString(json, at);
    else if (char === '[' || char === '{') deepest = Math.max(deepest, (depth += 1));
    else if (char === ']' || char === '}') depth -= 1;
    else if (char === ',') values += 1;
  }
  return { depth: deepest, values };
}
