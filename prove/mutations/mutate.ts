/** Mutates a message slightly, as if a broken peer or an attacker had sent it. */
import type { SeededRandom } from '../lib/seeded-random.ts';

const MOST_CHANGES = 4;
const MOST_INSERTED_BYTES = 64;
/** Tokens that break parsers: line and string ends, format characters, boundary numbers. */
const TOKENS = [
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\0',
  '"',
  '<',
  '>',
  ';',
  ',',
  '%',
  '%00',
  '%zz',
  '[',
  '{',
  '\\u0000',
  '../',
  '__proto__',
  'null',
  'NaN',
  '-1',
  '0',
  '1e400',
  '65536',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '99999999999999999999',
  '\xff\xfe',
  'a'.repeat(5_000),
  '['.repeat(2_000),
  ';a=b'.repeat(500),
].map((token) => Buffer.from(token, 'latin1'));

type Change = (random: SeededRandom, message: Buffer, other: Buffer) => Buffer;

const at = (random: SeededRandom, { length }: Buffer): number => Math.floor(random.next() * (length + 1));

function range(random: SeededRandom, message: Buffer): [from: number, to: number] {
  const [one, two] = [at(random, message), at(random, message)];
  return [Math.min(one, two), Math.max(one, two)];
}

const put = (message: Buffer, position: number, inserted: Buffer): Buffer =>
  Buffer.concat([message.subarray(0, position), inserted, message.subarray(position)]);

const changes: readonly Change[] = [
  // Flip a bit.
  (random, message) => {
    const changed = Buffer.from(message);
    const position = Math.floor(random.next() * message.length);
    if (changed.length > 0)
      changed[position] = (changed[position] ?? 0) ^ (1 << Math.floor(random.next() * 8));
    return changed;
  },
  (random, message) => put(message, at(random, message), random.pick(TOKENS)),
  (random, message) => {
    const bytes = Buffer.from(
      Array.from({ length: Math.ceil(random.next() * MOST_INSERTED_BYTES) }, () => random.next() * 256),
    );
    return put(message, at(random, message), bytes);
  },
  // Remove, duplicate, or splice in a part of another message.
  (random, message) => {
    const [from, to] = range(random, message);
    return Buffer.concat([message.subarray(0, from), message.subarray(to)]);
  },
  (random, message) => {
    const [from, to] = range(random, message);
    return put(message, to, message.subarray(from, to));
  },
  (random, message, other) => put(message, at(random, message), other.subarray(...range(random, other))),
  (random, message) => message.subarray(0, at(random, message)),
  // Change a number, or the order of lines.
  (random, message) =>
    Buffer.from(
      message.toString('latin1').replace(/\d+/, () => random.pick(TOKENS).toString('latin1')),
      'latin1',
    ),
  (random, message) => {
    const lines = message.toString('latin1').split('\r\n');
    const [from, to] = [Math.floor(random.next() * lines.length), Math.floor(random.next() * lines.length)];
    lines.splice(to, 0, ...lines.splice(from, 1));
    return Buffer.from(lines.join('\r\n'), 'latin1');
  },
];

/** The same seed produces the same messages. */
export function mutated(random: SeededRandom, corpus: readonly Buffer[]): Buffer {
  let message = random.pick(corpus);
  const count = 1 + Math.floor(random.next() * MOST_CHANGES);
  for (let done = 0; done < count; done += 1)
    message = random.pick(changes)(random, message, random.pick(corpus));
  return message;
}
