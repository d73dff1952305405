/** Mutates a message slightly, as if a broken peer or an attacker had sent it. */
import type { Chance } from '../lib/chance.ts';

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

type Change = (chance: Chance, message: Buffer, other: Buffer) => Buffer;

const at = (chance: Chance, { length }: Buffer): number => Math.floor(chance.next() * (length + 1));

function range(chance: Chance, message: Buffer): [from: number, to: number] {
  const [one, two] = [at(chance, message), at(chance, message)];
  return [Math.min(one, two), Math.max(one, two)];
}

const put = (message: Buffer, position: number, inserted: Buffer): Buffer =>
  Buffer.concat([message.subarray(0, position), inserted, message.subarray(position)]);

const changes: readonly Change[] = [
  // Flip a bit.
  (chance, message) => {
    const changed = Buffer.from(message);
    const position = Math.floor(chance.next() * message.length);
    if (changed.length > 0)
      changed[position] = (changed[position] ?? 0) ^ (1 << Math.floor(chance.next() * 8));
    return changed;
  },
  (chance, message) => put(message, at(chance, message), chance.pick(TOKENS)),
  (chance, message) => {
    const bytes = Buffer.from(
      Array.from({ length: Math.ceil(chance.next() * MOST_INSERTED_BYTES) }, () => chance.next() * 256),
    );
    return put(message, at(chance, message), bytes);
  },
  // Remove, duplicate, or splice in a part of another message.
  (chance, message) => {
    const [from, to] = range(chance, message);
    return Buffer.concat([message.subarray(0, from), message.subarray(to)]);
  },
  (chance, message) => {
    const [from, to] = range(chance, message);
    return put(message, to, message.subarray(from, to));
  },
  (chance, message, other) => put(message, at(chance, message), other.subarray(...range(chance, other))),
  (chance, message) => message.subarray(0, at(chance, message)),
  // Change a number, or the order of lines.
  (chance, message) =>
    Buffer.from(
      message.toString('latin1').replace(/\d+/, () => chance.pick(TOKENS).toString('latin1')),
      'latin1',
    ),
  (chance, message) => {
    const lines = message.toString('latin1').split('\r\n');
    const [from, to] = [Math.floor(chance.next() * lines.length), Math.floor(chance.next() * lines.length)];
    lines.splice(to, 0, ...lines.splice(from, 1));
    return Buffer.from(lines.join('\r\n'), 'latin1');
  },
];

/** The same seed produces the same messages. */
export function mutated(chance: Chance, corpus: readonly Buffer[]): Buffer {
  let message = chance.pick(corpus);
  const count = 1 + Math.floor(chance.next() * MOST_CHANGES);
  for (let done = 0; done < count; done += 1)
    message = chance.pick(changes)(chance, message, chance.pick(corpus));
  return message;
}
