import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ACK_WAIT_MS, ConnectionFacts } from './connection-facts.ts';

const at = '2026-01-05T10:00:00.000Z';
const agent = { callId: 7, legId: 'agent', at, codec: 'PCMA' };
const customer = { callId: 7, legId: 'customer', at, codec: 'PCMU' };

let reported: unknown[];
let facts: ConnectionFacts;

beforeEach(() => {
  vi.useFakeTimers();
  reported = [];
  facts = new ConnectionFacts((...report) => reported.push(report));
});
afterEach(() => vi.useRealTimers());

test('the ACK reports both legs as one fact', () => {
  facts.answering('customer', agent);
  expect(reported).toEqual([]);
  facts.report('leg:connected', customer);
  vi.advanceTimersByTime(ACK_WAIT_MS * 2);
  const both = { ...customer, agent: { legId: 'agent', codec: 'PCMA' } };
  expect(reported).toEqual([['leg:connected', both, { otherLegId: 'agent' }]]);
});

test('a late ACK is reported after the connection, by itself', () => {
  facts.answering('customer', agent);
  vi.advanceTimersByTime(ACK_WAIT_MS);
  facts.report('leg:connected', customer);
  expect(reported).toEqual([
    ['leg:connected', { ...agent, answered: true }, { otherLegId: 'customer' }],
    ['leg:connected', customer],
  ]);
});

test.each(['agent', 'customer'])('the loss of the %s leg is reported after the connection', (legId) => {
  facts.answering('customer', agent);
  const lost = { callId: 7, legId, at };
  facts.report('leg:interrupted', lost);
  expect(reported).toEqual([
    ['leg:connected', { ...agent, answered: true }, { otherLegId: 'customer' }],
    ['leg:interrupted', lost],
  ]);
});

test('facts of other legs are reported at once', () => {
  facts.answering('customer', agent);
  const other = { ...customer, callId: 8, legId: 'other' };
  facts.report('leg:connected', other);
  expect(reported).toEqual([['leg:connected', other]]);
});
