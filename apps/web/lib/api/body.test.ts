import { afterEach, expect, test, vi } from 'vitest';
import fc from 'fast-check';
import { LongText } from '@clarion/protocol/v1/fields/long-text';
import {
  assertJsonWithinLimits,
  BODY_SILENCE_MS,
  parseJson,
  parseReceived,
  readBody,
  readJson,
} from './body.ts';

afterEach(() => vi.useRealTimers());

const CHUNK_BYTES = 1024 * 1024;
const LIMIT_BYTES = 10 * CHUNK_BYTES;
const send = (body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}) => {
  const streamed: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
  return new Request('http://localhost/', streamed);
};

test.each([{}, { 'content-length': '10' }, { 'content-length': 'many' }, { 'content-length': '-1' }])(
  'a body without end is not read past the limit, whatever its length says: %o',
  async (headers: Record<string, string>) => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(CHUNK_BYTES));
      },
      cancel: () => void (cancelled = true),
    });
    await expect(readBody(send(endless, headers), LIMIT_BYTES)).rejects.toMatchObject({ status: 413 });
    expect(pulled).toBeLessThanOrEqual(LIMIT_BYTES / CHUNK_BYTES + 2);
    expect(cancelled).toBe(true);
  },
);

test('a body whose Content-Length is too large is rejected without reading it', async () => {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({ pull: () => void (pulled += 1) }, { highWaterMark: 0 });
  const headers = { 'content-length': String(LIMIT_BYTES + 1) };
  await expect(readBody(send(body, headers), LIMIT_BYTES)).rejects.toMatchObject({ status: 413 });
  expect(pulled).toBe(0);
});

test('a body of exactly the limit is read, in chunks of any size', async () => {
  const text = 'é'.repeat(LIMIT_BYTES / 2);
  const bytes = Buffer.from(text);
  let at = 0;
  const pieces = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(bytes.subarray(at, (at += 333_333)));
      if (at >= bytes.length) controller.close();
    },
  });
  expect(await readBody(send(pieces), LIMIT_BYTES)).toBe(text);
});

test('a client that sends nothing more times out, and a slow one does not', async () => {
  vi.useFakeTimers();
  const { promise, resolve } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const slow = new ReadableStream<Uint8Array>({ start: resolve });
  const reading = readBody(send(slow), LIMIT_BYTES).catch((error: unknown) => error);
  const controller = await promise;
  for (let n = 0; n < 5; n += 1) {
    await vi.advanceTimersByTimeAsync(BODY_SILENCE_MS - 1);
    controller.enqueue(Buffer.from('x'));
    await vi.advanceTimersByTimeAsync(0);
  }
  await vi.advanceTimersByTimeAsync(BODY_SILENCE_MS);
  expect(await reading).toMatchObject({ code: 'invalid_request', status: 400 });
});

test('a client that disconnects during the body gets a 400, not a 500', async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(Buffer.from('{"name":'));
      controller.error(new Error('aborted'));
    },
  });
  await expect(readBody(send(broken), LIMIT_BYTES)).rejects.toMatchObject({ status: 400 });
});

test('bytes that are not UTF-8 are a 400', async () => {
  const bytes = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Uint8Array.of(0xff, 0xfe));
      controller.close();
    },
  });
  await expect(readBody(send(bytes), LIMIT_BYTES)).rejects.toMatchObject({ status: 400 });
});

test('a hundred thousand values are parsed and more are rejected; commas within strings do not count', () => {
  const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
  expect(parseJson(zeros(100_000))).toHaveLength(100_000);
  expect(() => parseJson(zeros(100_001))).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  expect(parseJson(JSON.stringify({ csv: ',"'.repeat(1_000_000) }))).toHaveProperty('csv');
});

test('brackets and commas in strings do not count, whatever quotes and backslashes surround them', () => {
  const part = fc.constantFrom('"', '\\', '[', '{', ']', ',', 'a', '\n');
  const text = fc.array(part, { maxLength: 300 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (first, second) => {
      assertJsonWithinLimits(JSON.stringify({ [first]: second }), 1);
      expect(() => assertJsonWithinLimits(JSON.stringify([first, second]), 1)).toThrow('more than 1 values');
    }),
  );
});

/** Sends the JSON in chunks of that many bytes. */
const received = (json: string, chunkBytes: number) => {
  const bytes = Buffer.from(json);
  let at = 0;
  const chunks = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(bytes.subarray(at, (at += chunkBytes)));
      if (at >= bytes.length) controller.close();
    },
  });
  return readJson(send(chunks), LIMIT_BYTES);
};
const parts = fc.array(
  // Escapes of both lengths, also of half a character, and backslashes before and after them.
  fc.constantFrom('a', 'é', '😀', '\n', '\\', '"', '\u0001', '\ud800', '\\u0041'),
  { minLength: 1, maxLength: 12 },
);
const period = parts.map((each) => each.join(''));
const chunkBytes = fc.integer({ min: 30_000, max: 200_000 });

test('a body is the same as parsed at once, wherever its chunks are cut', async () => {
  await fc.assert(
    fc.asyncProperty(period, period, chunkBytes, async (first, second, bytes) => {
      const value = {
        [first]: 1,
        csv: first.repeat(300_000 / first.length),
        list: [second, second.repeat(20_000)],
      };
      for (const json of [JSON.stringify(value), escapedJson(value)])
        expect(parseReceived(await received(json, bytes), false)).toEqual(value);
    }),
    { numRuns: 20 },
  );
});

test('a long string is kept in pieces that do not end within a character, and a short one is a string', async () => {
  await fc.assert(
    fc.asyncProperty(period, chunkBytes, async (text, bytes) => {
      const csv = text.repeat(Math.ceil(200_000 / text.length)).toWellFormed();
      const value = parseReceived(await received(escapedJson({ name: text, csv }), bytes), true);
      const { csv: long } = value as { csv: LongText };
      expect(value).toEqual({ name: text, csv: long });
      expect(long).toBeInstanceOf(LongText);
      expect(long.pieces.every((piece) => piece.isWellFormed())).toBe(true);
      expect(long.pieces.join('')).toBe(csv);
    }),
    { numRuns: 20 },
  );
});

test('the canonical form depends on each character but not on spaces or chunks', async () => {
  const csv = 'a,b\n'.repeat(50_000);
  const form = async (json: string, bytes: number) => (await received(json, bytes)).canonical();
  const expected = await form(JSON.stringify({ csv, mode: 'FULL' }), 50_000);
  expect(await form(JSON.stringify({ csv, mode: 'FULL' }, null, 2), 70_000)).toBe(expected);
  expect(await form(JSON.stringify({ csv: `${csv}c`, mode: 'FULL' }), 50_000)).not.toBe(expected);
  expect(await form(JSON.stringify({ csv, mode: 'CHANGES' }), 50_000)).not.toBe(expected);
  expect(await form(`{"csv": "${'a'.repeat(200_000)}`, 50_000)).toBe(
    await form(`{"csv": "${'a'.repeat(200_000)}`, 60_000),
  );
  expect(expected.length).toBeLessThan(200);
});

/** Every character that is not ASCII as an escape. */
const escapedJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

test('a large body that is not JSON is rejected', async () => {
  const long = 'a'.repeat(2_000_000);
  for (const json of [
    `{"csv":"${long}`,
    `{"csv":"${long}\\x"}`,
    `{"csv":"${long}\\x":"}`,
    `{"csv":"${long}" "b":1}`,
    `{"csv":"${long}\\"}`,
    `{"csv":"${long}\n"}`,
  ]) {
    const body = await received(json, 60_000);
    expect(() => parseReceived(body, true)).toThrow(expect.objectContaining({ status: 400 }));
  }
});
