/** Media answers an INVITE by itself when the agent's audio is connected, while the engine may decide otherwise. */
import { describe, expect, test } from 'vitest';
import { arrives } from './__fixtures__/flow-histories.ts';
import { placeInQueue } from './__fixtures__/beginnings.ts';
import { answerByMedia } from './connecting.ts';
import type { Effect } from './effects.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import type { CallState, ConnectingState } from './state.ts';
import {
  AGENT_CONNECT_MS,
  ANSWER_CONFIRM_MS,
  HANGUP_CONFIRM_MS,
  LATE_CHECK_MS,
  REPORTS_AFTER_OUTAGE_MS,
} from './timing.ts';

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
const removed: CallEvent = { type: 'agent-removed', agentId: ADA };
const legEnded: CallEvent = {
  type: 'leg-ended',
  legId: 'leg-a',
  end: { cause: 'local', sipStatus: null, sipReason: null, q850: null, provisional: false, message: 'local' },
  stats: null,
};
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
    const route = answerByMedia(connecting())?.route;
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

describe('a deadline that passed during an outage', () => {
  const lateAt = T0 + 100 + AGENT_CONNECT_MS + LATE_CHECK_MS + 1;
  const late = step(connecting(), { type: 'tick' }, lateAt);

  test('is extended, because media may have answered the call meanwhile', () => {
    expect(late.effects).toEqual([]);
    expect(nextDeadline(late.state)).toBe(lateAt + REPORTS_AFTER_OUTAGE_MS);
    expect(step(late.state, both(), lateAt + 500).state.phase).toBe('talking');
  });

  test('is extended once: without a report the agent has failed', () => {
    const muchLater = lateAt + 10 * REPORTS_AFTER_OUTAGE_MS;
    expect(step(late.state, { type: 'tick' }, muchLater).state).toMatchObject({
      phase: 'waiting',
      wait: { missed: { [ADA]: 1 } },
    });
  });
});

describe('the agent hangs up before media has reported their leg', () => {
  const completed = { phase: 'ended', outcome: { terminationReason: 'COMPLETED', terminatedBy: 'AGENT' } };

  test.each([
    ['hangs up', hangsUp],
    ['declines', declines],
  ])('who %s: media is asked to end the leg, and the call does not ring anybody yet', (_, event) => {
    const { state, effects } = after([offered, accepts, event]);
    expect(state).toMatchObject({ phase: 'connecting', hungUp: true });
    expect(commands(effects)).toEqual([{ command: 'leg:hangup', legId: 'leg-a' }]);
    expect(step(state, event, T0 + 900)).toEqual({ state, effects: [] });
    const resumes: CallEvent = { type: 'resume', agentId: ADA, deviceId: 'phone', legId: 'leg-b' };
    expect(step(state, resumes, T0 + 900)).toEqual({ state, effects: [] });
  });

  test('the leg has ended without an answer: the call was declined and waits', () => {
    const { state, effects } = after([offered, accepts, hangsUp, legEnded]);
    expect(state).toMatchObject({ phase: 'waiting', answered: false, wait: { declined: [ADA] } });
    expect(effects).toContainEqual({ kind: 'record', type: 'DECLINED', agentId: ADA });
  });

  test('it has answered the call: a conversation that the agent has ended', () => {
    expect(after([offered, accepts, hangsUp, both()]).state).toMatchObject(completed);
    expect(after([offered, accepts, hangsUp, agentOnly, legEnded, acked]).state).toMatchObject(completed);
    expect(after([offered, accepts, hangsUp, acked, agentOnly]).state).toMatchObject(completed);
  });

  test('it has connected the leg and answered nothing: declined, without an order to answer', () => {
    const { state, effects } = after([
      offered,
      accepts,
      hangsUp,
      { type: 'leg-connected', legId: 'leg-a', codec },
    ]);
    expect(state.phase).toBe('waiting');
    expect(commands(effects).map(({ command }) => command)).toEqual(['leg:hangup']);
  });

  test('it reports nothing: declined after two seconds', () => {
    const { state } = after([offered, accepts, hangsUp]);
    expect(nextDeadline(state)).toBe(T0 + 200 + HANGUP_CONFIRM_MS);
    expect(step(state, { type: 'tick' }, T0 + 200 + HANGUP_CONFIRM_MS).state).toMatchObject({
      phase: 'waiting',
      wait: { declined: [ADA] },
    });
  });
});

describe('the agent does not get the call after all', () => {
  const heard = [{ kind: 'tone', tone: 'hold' }];

  test.each<[string, CallEvent[]]>([
    ['waits', [offered, accepts, removed]],
    ['is offered to the next one', [offered, accepts, removed, { ...offered, agentIds: [2] }]],
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
    expect(after([offered, accepts, removed, both(), ...next]).state.phase).toBe('talking');
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
    {
      command: 'call:route',
      revision: revision + 1,
      route: answerByMedia(connecting())?.route,
      record: null,
    },
    { command: 'carrier:answer', legId: CUSTOMER },
  ]);
});
