/** A request's body: read with a limit while it streams, as UTF-8, as JSON that the database can hold. */
import { malformed, tooLarge } from '@clarion/protocol';

/** Far deeper than any body of ours, far shallower than what upsets a parser. */
const MAX_JSON_DEPTH = 100;
/** More than any body of ours holds. Five million zeros fit into 10 MB, and each of them is looked at and complained of. */
export const MAX_JSON_VALUES = 100_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const BYTES_PER_KB = 1024;
const BYTES_PER_MB = 1024 * BYTES_PER_KB;
/** A sender that says nothing for this long has gone, or keeps us waiting on purpose. */
export const BODY_SILENCE_MS = 15_000;

/** @throws 413 as soon as more than `maxBytes` have come, 400 when it is not UTF-8 */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  return decodeUtf8(await readBytes(request, maxBytes));
}

/** @throws 413 as soon as more than `maxBytes` have come, 400 when nothing comes for `BODY_SILENCE_MS` or the sender goes away */
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

/** @throws 400 without details when it is not JSON, or nested or filled beyond all measure */
export function parseJson(body: string): unknown {
  assertJsonWithinLimits(body);
  try {
    return JSON.parse(body);
  } catch {
    throw malformed('The request body is not valid JSON.');
  }
}

/** Checks the text before it is parsed. @throws 400 when it is nested too deeply or holds too many values */
export function assertJsonWithinLimits(body: string, maxValues = MAX_JSON_VALUES): void {
  const { depth, values } = measure(body);
  if (depth > MAX_JSON_DEPTH)
    throw malformed(`The request body is nested more deeply than ${MAX_JSON_DEPTH} levels.`);
  if (values > maxValues) throw malformed(`The request body contains more than ${maxValues} values.`);
}

/** Depth of brackets and number of values, as far as commas tell, outside strings. */
function measure(json: string): { depth: number; values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let quoted = false;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '[' || char === '{') deepest = Math.max(deepest, (depth += 1));
    else if (char === ']' || char === '}') depth -= 1;
    else if (char === ',') values += 1;
  }
  return { depth: deepest, values };
}
