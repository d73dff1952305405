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
  ['more arguments than a handler takes', `2["a"${',1'.repeat(4)}]`],
  ['100,000 values in an acknowledgement', `30[1${',1'.repeat(99_999)}]`],
  ['arguments behind a namespace with a quotation mark', `2/",["a"${',1'.repeat(100_000)}]`],
  ['deeply nested arrays', `2["a",${'['.repeat(8)}${']'.repeat(8)}]`],
  ['deeply nested objects', `2["a",${'{"a":'.repeat(8)}1${'}'.repeat(8)}]`],
  ['too many values in its payload', `2["a",[1${',1'.repeat(50)}]]`],
])('a message with %s is rejected before it is parsed', (_, message) => {
  const { add, decoded } = decoder();
  expect(() => add(message)).toThrow('limits');
  expect(decoded).toEqual([]);
});

test('binary messages are rejected', () => {
  const { add } = decoder();
  expect(() => add('51-["a",{"_placeholder":true,"num":0}]')).toThrow('binary');
  expect(() => add(Buffer.from('a'))).toThrow('binary');
});

test('a connection that keeps connecting to namespaces is rejected', () => {
  const { add } = decoder();
  for (let count = 0; count < 100; count += 1) add('0/agent,{}');
  expect(() => add('0/agent,{}')).toThrow('too many');
});

test('commas inside strings and after a namespace are not counted', () => {
  expect(isWithin(`2/agent,["a","${','.repeat(100)}"]`, LIMITS)).toBe(true);
  expect(isWithin('0/agent', LIMITS)).toBe(true);
});
