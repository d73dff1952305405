import { expect, test } from 'vitest';
import { boundedParser, isWithin } from './bounded-parser.ts';

const LIMITS = { arguments: 4, depth: 8, values: 50 };

function decoder() {
  const made = new (boundedParser(LIMITS).Decoder)();
  const decoded: unknown[] = [];
  made.on('decoded', (packet: { data?: unknown }) => decoded.push(packet.data));
  return { add: (message: unknown) => made.add(message), decoded };
}

test('a message within its limits is decoded as socket.io decodes it', () => {
  const { add, decoded } = decoder();
  add('2/agent,7["call:accept",{"callId":1,"sdpOffer":"v=0, [{\\",,,,,,"}]');
  expect(decoded).toEqual([['call:accept', { callId: 1, sdpOffer: 'v=0, [{",,,,,,' }]]);
});

test.each([
  ['more arguments than a handler has', `2["a"${',1'.repeat(4)}]`],
  ['an acknowledgement of 100,000 values', `30[1${',1'.repeat(99_999)}]`],
  ['arguments behind a namespace with a quotation mark', `2/",["a"${',1'.repeat(100_000)}]`],
  ['values nested deeply', `2["a",${'['.repeat(8)}${']'.repeat(8)}]`],
  ['objects nested deeply', `2["a",${'{"a":'.repeat(8)}1${'}'.repeat(8)}]`],
  ['a payload of too many values', `2["a",[1${',1'.repeat(50)}]]`],
])('%s are refused before they are parsed', (_, message) => {
  const { add, decoded } = decoder();
  expect(() => add(message)).toThrow('holds too much');
  expect(decoded).toEqual([]);
});

test('binary messages, which nobody of ours sends, are refused', () => {
  const { add } = decoder();
  expect(() => add('51-["a",{"_placeholder":true,"num":0}]')).toThrow('binary');
  expect(() => add(Buffer.from('a'))).toThrow('binary');
});

test('a connection that asks for a namespace again and again is refused', () => {
  const { add } = decoder();
  for (let count = 0; count < 100; count += 1) add('0/agent,{}');
  expect(() => add('0/agent,{}')).toThrow('too many');
});

test('commas inside strings and of a namespace are not counted', () => {
  expect(isWithin(`2/agent,["a","${','.repeat(100)}"]`, LIMITS)).toBe(true);
  expect(isWithin('0/agent', LIMITS)).toBe(true);
});
