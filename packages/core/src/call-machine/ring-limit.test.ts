/** Calls that their provider ends if nobody answers them in time, and calls that were over before they began. */
import { describe, expect, test } from 'vitest';
import { aFlow, arrives } from './__fixtures__/flow-histories.ts';
import { newFlowRun } from '../ivr/flow-run.ts';
import type { InboundRoute } from './arrival.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import { offersOf, reservedAgentIds } from './state.ts';
import type { CallState } from './state.ts';
import type { Step } from './shared.ts';

const T0 = Date.parse('2026-01-05T10:00:00Z');
const ADA = 1;
const RING_SECONDS = 60;
const RING_UNTIL = T0 + 25_000;
const toOwner = (owner: 'reserved' | 'rung') =>
  ({ kind: 'owner', agentId: ADA, ringTimeoutSeconds: RING_SECONDS, owner }) as const;
const limited = (route: InboundRoute, lookup = false): Step => arrives(route, T0, lookup, RING_UNTIL);
const offer: CallEvent = {
  type: 'offer',
  queueId: null,
  agentIds: [ADA],
  ringTimeoutSeconds: RING_SECONDS,
};
const rungUntil = (state: CallState) => offersOf(state)[0]?.expiresAt;
const outcomeOf = ({ state }: Step) =>
  state.phase === 'ended' ? `${state.outcome.terminationReason} ${state.outcome.terminatedBy}` : state.phase;

describe('the owner of a personal line is rung no longer than the provider waits', () => {
  test('from the arrival', () => {
    const { state } = limited(toOwner('reserved'));
    expect(rungUntil(state)).toBe(RING_UNTIL);
    expect(nextDeadline(state)).toBe(RING_UNTIL);
    expect(outcomeOf(step(state, { type: 'tick' }, RING_UNTIL))).toBe('NO_ANSWER SYSTEM');
  });

  test('a shorter ring timeout of the line applies', () => {
    const { state } = limited({ ...toOwner('reserved'), ringTimeoutSeconds: 10 });
    expect(rungUntil(state)).toBe(T0 + 10_000);
  });

  test('after the lookup hook has taken part of the time', () => {
    const said = { type: 'looked-up', result: 'TIMEOUT', name: null, externalRef: null } as const;
    const { state } = step(limited(toOwner('reserved'), true).state, { ...said, reject: false }, T0 + 1_500);
    expect(rungUntil(state)).toBe(RING_UNTIL);
  });

  test('after another call has rung them, and the wait for them ends then as well', () => {
    const { state } = limited(toOwner('rung'));
    expect(rungUntil(step(state, offer, T0 + 20_000).state)).toBe(RING_UNTIL);
    expect(outcomeOf(step(state, { type: 'tick' }, RING_UNTIL))).toBe('NO_ANSWER SYSTEM');
  });

  test('an agent whom a flow names is rung as always, because the flow has answered', () => {
    const flow = aFlow([], ADA);
    const connected: CallEvent = { type: 'leg-connected', legId: 'customer', codec: 'OPUS' };
    let { state } = step(
      limited({ kind: 'flow', flow: newFlowRun(flow, T0) }).state,
      connected,
      T0 + 500,
      flow,
    );
    const pressed: CallEvent = { type: 'leg-dtmf', legId: 'customer', digit: '2', at: 1 };
    ({ state } = step(state, pressed, T0 + 20_000, flow));
    expect(state).toMatchObject({ phase: 'ivr', seeking: ADA });
    ({ state } = step(state, offer, T0 + 20_000, flow));
    expect(rungUntil(state)).toBe(T0 + 20_000 + RING_SECONDS * 1000);
  });
});

test('a call that was over before it began is recorded as cancelled by the customer and reserves nobody', () => {
  const { state, effects } = limited({ kind: 'hung-up' }, true);
  expect(outcomeOf({ state, effects })).toBe('CANCELLED CUSTOMER');
  expect(reservedAgentIds(state)).toEqual([]);
  const published = effects.flatMap((effect) => (effect.kind === 'publish' ? [effect.event] : []));
  expect(published).toEqual(['call.created', 'call.ended']);
  expect(effects.filter(({ kind }) => kind === 'media' || kind === 'notify-agent')).toEqual([]);
});
