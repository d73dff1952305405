/** Reads a request body with a size limit while it streams, decodes it as UTF-8 and parses it as JSON. */
import { malformed, tooLarge } from '@clarion/protocol';

/** Much deeper than any valid body, much shallower than what overflows a parser's stack. */
const MAX_JSON_DEPTH = 100;
/** More than any valid body contains. Five million zeros fit into 10 MB, and each would be validated and reported. */
export const MAX_JSON_VALUES = 100_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const BYTES_PER_KB = 1024;
const BYTES_PER_MB = 1024 * BYTES_PER_KB;
/** A client that sends nothing for this long has disconnected, or keeps the request open on purpose. */
export const BODY_SILENCE_MS = 15_000;

/** @throws 413 as soon as more than `maxBytes` were received, 400 when it is not UTF-8 */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  return decodeUtf8(await readBytes(request, maxBytes));
}

/** @throws 413 as soon as more than `maxBytes` were received, 400 after `BODY_SILENCE_MS` without data or when the client disconnects */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  const limit = sizeText(maxBytes);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(limit);
  if (!request.body) return Buffer.alloc(0);
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(() => silence.reject(new Error('silence')), BODY_SILENCE_MS);
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), silence.promise]);
      if (done) break;
      timer.refresh();
      size += value.byteLength;
      if (size > maxBytes) break;
      chunks.push(value);
    }
  } catch {
    void reader.cancel().catch(() => undefined);
    throw malformed('The request body was not received completely.');
  } finally {
    clearTimeout(timer);
  }
  if (size > maxBytes) {
    void reader.cancel().catch(() => undefined);
    throw tooLarge(limit);
  }
  return Buffer.concat(chunks);
}

const sizeText = (bytes: number): string =>
  bytes < BYTES_PER_MB ? `${bytes / BYTES_PER_KB} KB` : `${Math.floor(bytes / BYTES_PER_MB)} MB`;

/** @throws 400 when it is not UTF-8 */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The request body is not valid UTF-8.');
  }
}

/** @throws 400 without details when it is not JSON, is nested too deeply or contains too many values */
export function parseJson(body: string): unknown {
  assertJsonWithinLimits(body);
  try {
    return JSON.parse(body);
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

/** The index of the closing quote of the string that begins at `start`. A string may be a file of 20 MB, so it is not read by character. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let first = quote;
    while (json[first - 1] === '\\') first -= 1;
    if ((quote - first) % 2 === 0) return quote;
  }
  return json.length;
}
