/** Media answers an INVITE by itself when the agent's audio is connected, while the engine may decide otherwise. */
import { describe, expect, test } from 'vitest';
import { arrives } from './__fixtures__/flow-histories.ts';
import { placeInQueue } from './__fixtures__/beginnings.ts';
import { answerRoute } from './connecting.ts';
import type { Effect } from './effects.ts';
import type { CallEvent } from './event.ts';
import { step } from './machine.ts';
import type { CallState, ConnectingState } from './state.ts';
import { ANSWER_CONFIRM_MS } from './timing.ts';

const T0 = Date.parse('2026-01-05T10:00:00Z');
const CUSTOMER = 'customer';
const ADA = 1;
const codec = 'PCMA';
const { stops } = placeInQueue();
const queueId = stops[0]?.queueId ?? 0;

const offered: Extract<CallEvent, { type: 'offer' }> = {
  type: 'offer',
  queueId,
  agentIds: [ADA],
  ringTimeoutSeconds: 20,
};
const accepts: CallEvent = { type: 'accept', agentId: ADA, deviceId: 'desk', legId: 'leg-a' };
const declines: CallEvent = { type: 'decline', agentId: ADA };
const hangsUp: CallEvent = { type: 'hangup', agentId: ADA };
const both = (legId = 'leg-a'): CallEvent => ({
  type: 'leg-connected',
  legId: CUSTOMER,
  codec,
  agent: { legId, codec },
});
const agentOnly: CallEvent = { type: 'leg-connected', legId: 'leg-a', codec, answered: true };
const acked: CallEvent = { type: 'leg-connected', legId: CUSTOMER, codec };

function after(events: readonly CallEvent[], record = false): { state: CallState; effects: Effect[] } {
  const begun = arrives({ kind: 'queue', stops }, T0, false);
  let state: CallState = { ...begun.state, ...(record && { record }) } as CallState;
  let effects: Effect[] = [];
  for (const [index, event] of events.entries()) ({ state, effects } = step(state, event, T0 + index * 100));
  return { state, effects };
}

function connecting(): ConnectingState {
  const { state } = after([offered, accepts]);
  if (state.phase !== 'connecting') throw new Error(`the call is ${state.phase}`);
  return state;
}

const commands = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'media' ? [effect.order] : []));
const legs = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'leg' ? [`${effect.leg} ${effect.state}`] : []));

describe('both connections in one event', () => {
  test('answer the call in one step, without a command to media', () => {
    const { state, effects } = after([offered, accepts, both()]);
    expect(state).toMatchObject({ phase: 'talking', answeredAt: T0 + 200, connectedAt: T0 + 200 });
    expect(legs(effects)).toEqual(['AGENT CONNECTED', 'CUSTOMER CONNECTED']);
    expect(commands(effects)).toEqual([]);
    expect(effects).toContainEqual({ kind: 'publish', event: 'call.answered' });
  });

  test('a call that is recorded is routed once more, with the revision after that of media', () => {
    const { effects } = after([offered, accepts, both()], true);
    const route = answerRoute(connecting());
    expect(commands(effects)).toEqual([
      {
        command: 'call:route',
        revision: connecting().revision + 1,
        route,
        record: { left: [CUSTOMER], right: ['leg-a'], paused: false },
      },
    ]);
  });

  test('repeated, nothing changes', () => {
    const { state } = after([offered, accepts, both()]);
    expect(step(state, both(), T0 + 900)).toEqual({ state, effects: [] });
  });
});

describe('a late ACK', () => {
  test('is awaited without a command to media, and leads to the conversation', () => {
    const first = after([offered, accepts, agentOnly]);
    expect(first.state).toMatchObject({
      phase: 'connecting',
      answering: true,
      connectBy: T0 + 200 + ANSWER_CONFIRM_MS,
    });
    expect(commands(first.effects)).toEqual([]);
    expect(after([offered, accepts, agentOnly, acked]).state.phase).toBe('talking');
  });

  test('the agent hangs up meanwhile: the call ends when it arrives', () => {
    expect(after([offered, accepts, agentOnly, hangsUp, acked]).state).toMatchObject({
      phase: 'ended',
      outcome: { terminationReason: 'COMPLETED', terminatedBy: 'AGENT' },
    });
  });

  test('never arrives: NETWORK_ERROR', () => {
    const { state } = after([offered, accepts, agentOnly]);
    expect(step(state, { type: 'tick' }, T0 + 200 + ANSWER_CONFIRM_MS).state).toMatchObject({
      phase: 'ended',
      outcome: { terminationReason: 'NETWORK_ERROR' },
    });
  });
});

describe('the agent does not get the call after all', () => {
  const heard = [{ kind: 'tone', tone: 'hold' }];

  test.each<[string, CallEvent[]]>([
    ['waits', [offered, accepts, declines]],
    ['is offered to the next one', [offered, accepts, declines, { ...offered, agentIds: [2] }]],
  ])('the caller, whose call %s, hears hold audio from now on and is charged', (_, events) => {
    const before = after(events);
    const { state, effects } = step(before.state, both(), T0 + 900);
    expect(state).toMatchObject({ phase: before.state.phase, answered: true, connectedAt: T0 + 900 });
    expect(legs(effects)).toEqual(['CUSTOMER CONNECTED']);
    expect(commands(effects)).toEqual([
      {
        command: 'call:route',
        revision: connecting().revision + 1,
        route: { [CUSTOMER]: heard },
        record: null,
      },
    ]);
    expect(step(state, both(), T0 + 1_000)).toEqual({ state, effects: [] });
  });

  test('the next agent talks to the caller at once, because the carrier has our 200', () => {
    const next: CallEvent[] = [
      { ...offered, agentIds: [2] },
      { type: 'accept', agentId: 2, deviceId: 'desk', legId: 'leg-b' },
      { type: 'leg-connected', legId: 'leg-b', codec },
    ];
    expect(after([offered, accepts, declines, both(), ...next]).state.phase).toBe('talking');
  });

  test('their leg was replaced: the new one talks to the caller as soon as it is connected', () => {
    const resumes: CallEvent = { type: 'resume', agentId: ADA, deviceId: 'phone', legId: 'leg-b' };
    const moved = after([offered, accepts, resumes, both()]);
    expect(moved.state).toMatchObject({ phase: 'connecting', answered: true, answering: false });
    expect(step(moved.state, { type: 'leg-connected', legId: 'leg-b', codec }, T0 + 900).state).toMatchObject(
      {
        phase: 'talking',
        agent: { legId: 'leg-b' },
      },
    );
  });
});

test('an answer that media did not send is ordered with a newer route than its own', () => {
  const { effects } = after([offered, accepts, { type: 'leg-connected', legId: 'leg-a', codec }]);
  const { revision } = connecting();
  expect(commands(effects)).toEqual([
    { command: 'call:route', revision: revision + 1, route: answerRoute(connecting()), record: null },
    { command: 'carrier:answer', legId: CUSTOMER },
  ]);
});
