/**
 * Every row of the outcome table for inbound calls (docs/requirements.md#call-outcomes): termination reason, who ended the call, the
 * response to the carrier, and the outcome of its IVR session.
 */
import type { LegEnd } from '@clarion/protocol/media';
import { describe, expect, test } from 'vitest';
import { aFlow, arrives, entersFlow } from './__fixtures__/flow-histories.ts';
import type { Flow } from '../ivr/flow-run.ts';
import type { InboundRoute } from './arrival.ts';
import type { Effect } from './effects.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import { reservedAgentIds } from './state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import type { Step } from './shared.ts';

const T0 = Date.parse('2026-01-05T10:00:00Z');
const ADA = 1;
const CUSTOMER = 'customer';

const stop = (queueId: number): OverflowHop => ({
  queueId,
  ref: `q${queueId}`,
  ringTimeoutSeconds: 20,
  maxWaitSeconds: 60,
  holdAudio: 'music',
  wrapUpSeconds: 0,
  announce: { position: false, wait: false, everySeconds: 60 },
  callbackKey: null,
  skillsWaitSeconds: null,
  answerWhileWaiting: false,
});
const FLOW = aFlow([stop(10)], ADA);
/** The same on a line without a queue. */
const BARE_FLOW = { ...FLOW, lineQueue: [] };

const owner = (found: Extract<InboundRoute, { kind: 'owner' }>['owner'] = 'reserved'): Step =>
  arrives({ kind: 'owner', agentId: ADA, ringTimeoutSeconds: 30, owner: found }, T0, false);
const queue = (lookup = false): Step => arrives({ kind: 'queue', stops: [stop(10)] }, T0, lookup);
/** A queue that answers while callers wait, and overflows to one that does not. */
const answering = (): Step =>
  arrives({ kind: 'queue', stops: [{ ...stop(10), answerWhileWaiting: true }, stop(11)] }, T0, false);
/** The reverse. */
const overflowAnswers = (): Step =>
  arrives({ kind: 'queue', stops: [stop(10), { ...stop(11), answerWhileWaiting: true }] }, T0, false);
const flow = (lookup = false): Step => entersFlow(FLOW, T0, lookup);

const gone = (cause: LegEnd['cause'], legId = CUSTOMER): CallEvent => ({
  type: 'leg-ended',
  legId,
  end: { cause, sipStatus: null, sipReason: null, q850: null, provisional: false, message: cause },
  stats: null,
});
const stands = (legId: string): CallEvent => ({ type: 'leg-connected', legId, codec: 'PCMA' });
const offered: CallEvent = { type: 'offer', queueId: 10, agentIds: [ADA], ringTimeoutSeconds: 20 };
const found: CallEvent = { type: 'offer', queueId: null, agentIds: [ADA], ringTimeoutSeconds: 20 };
const accepts: CallEvent = { type: 'accept', agentId: ADA, deviceId: 'desk', legId: 'leg-a' };
const declines: CallEvent = { type: 'decline', agentId: ADA };
const terminates: CallEvent = { type: 'terminate' };
const removed: CallEvent = { type: 'agent-removed', agentId: ADA };
const rejected: CallEvent = {
  type: 'looked-up',
  result: 'ANSWERED',
  name: null,
  externalRef: null,
  reject: true,
};
/** Time passes until the call's next deadline. */
const LATER = 'later';
let keys = 0;
const press = (digit: string): CallEvent => ({ type: 'leg-dtmf', legId: CUSTOMER, digit, at: (keys += 1) });
const audio = stands('leg-a');
const talking = [offered, accepts, audio, stands(CUSTOMER)];
const hangsUp: CallEvent = { type: 'hangup', agentId: ADA };
const gaveUp = gone('remote-cancel');
const spent: CallEvent = { type: 'credit-exhausted' };
const nodeLost: CallEvent = { type: 'media-lost', mediaNodeId: 'media-1' };
const agentGone: CallEvent = { type: 'agent-gone', agentId: ADA };
const queueGone: CallEvent = { type: 'queue-gone', queueId: 10 };
const unavailable: CallEvent = { type: 'agent-unavailable', agentId: ADA, onCall: false };
const tookAnother: CallEvent = { type: 'agent-unavailable', agentId: ADA, onCall: true };
const notAnswered: CallEvent = {
  type: 'command-failed',
  command: 'carrier:answer',
  legId: CUSTOMER,
  message: 'The caller is no longer connected.',
};

/** What the carrier receives: a SIP status, or BYE; null: the INVITE was rejected before media accepted the call. */
type CarrierResponse = number | 'BYE' | null;
/** Title; beginning; events; termination reason and who ended it; response to the carrier; outcome of the last IVR session; flow. */
type Row = [string, Step, (CallEvent | typeof LATER)[], string, CarrierResponse, string?, Flow?];

const answered: Row[] = [
  ['the agent hangs up', queue(), [...talking, hangsUp], 'COMPLETED AGENT', 'BYE'],
  ['the customer hangs up', queue(), [...talking, gone('remote-bye')], 'COMPLETED CUSTOMER', 'BYE'],
  ['the consumer ends it', queue(), [...talking, terminates], 'COMPLETED CONSUMER', 'BYE'],
  ['the account has no credit left', queue(), [...talking, spent], 'CREDIT_EXHAUSTED SYSTEM', 'BYE'],
  ['the customer sends no audio', queue(), [...talking, gone('rtp-timeout')], 'NETWORK_ERROR SYSTEM', 'BYE'],
  ['the media node is lost', queue(), [...talking, nodeLost], 'SYSTEM_ERROR SYSTEM', 'BYE'],
  ['the agent is deleted', queue(), [...talking, removed], 'AGENT_DISCONNECTED SYSTEM', 'BYE'],
  ['the agent does not return', queue(), [...talking, agentGone, LATER], 'AGENT_DISCONNECTED SYSTEM', 'BYE'],
];

const beforeItRings: Row[] = [
  ['the line has no route', arrives({ kind: 'none' }, T0, true), [], 'REJECTED SYSTEM', null],
  ['the line is disabled', arrives({ kind: 'disabled' }, T0, true), [], 'REJECTED SYSTEM', null],
  ['the owner is on a call', owner('busy'), [], 'BUSY SYSTEM', null],
  ['the owner has no device', owner('no-device'), [], 'NO_ANSWER SYSTEM', null],
  ['the owner is on do-not-disturb', owner('do-not-disturb'), [], 'NO_ANSWER SYSTEM', null],
  ['the lookup hook blocks the caller', queue(true), [rejected], 'REJECTED SYSTEM', 603],
  ['the caller hangs up during the lookup', flow(true), [gaveUp], 'CANCELLED CUSTOMER', 480],
  ['the consumer ends it during the lookup', queue(true), [terminates], 'CANCELLED CONSUMER', 603],
];

const personal: Row[] = [
  ['the owner does not answer in time', owner(), [LATER], 'NO_ANSWER SYSTEM', 480],
  ['the owner declines', owner(), [declines], 'REJECTED AGENT', 603],
  ['the caller hangs up', owner(), [gaveUp], 'CANCELLED CUSTOMER', 480],
  ['the consumer ends it', owner(), [terminates], 'CANCELLED CONSUMER', 603],
  ['the owner is deleted', owner(), [removed], 'NO_ANSWER SYSTEM', 480],
  ["the owner's audio fails", owner(), [accepts, LATER], 'NO_ANSWER SYSTEM', 480],
];

const rungByAnother: Row[] = [
  ['answers the other call', owner('rung'), [tookAnother], 'BUSY SYSTEM', 486],
  ['disconnects', owner('rung'), [unavailable], 'NO_ANSWER SYSTEM', 480],
  ['is deleted', owner('rung'), [removed], 'NO_ANSWER SYSTEM', 480],
  ['is released, and talks', owner('rung'), [found, ...talking.slice(1), hangsUp], 'COMPLETED AGENT', 'BYE'],
  ['is released, and declines', owner('rung'), [found, declines], 'REJECTED AGENT', 603],
  ['is released, and does not answer', owner('rung'), [found, LATER], 'NO_ANSWER SYSTEM', 480],
  ['is being rung when the caller hangs up', owner('rung'), [gaveUp], 'CANCELLED CUSTOMER', 480],
  ['is being rung when the consumer ends it', owner('rung'), [terminates], 'CANCELLED CONSUMER', 603],
];

const queued: Row[] = [
  ['no agent answers within max_wait_seconds', queue(), [LATER], 'TIMEOUT SYSTEM', 480],
  ['its queue is deleted', queue(), [queueGone], 'TIMEOUT SYSTEM', 480],
  ['the caller hangs up', queue(), [gaveUp], 'CANCELLED CUSTOMER', 480],
  ['the caller hangs up while an agent rings', queue(), [offered, gaveUp], 'CANCELLED CUSTOMER', 480],
  ['the consumer ends it', queue(), [terminates], 'CANCELLED CONSUMER', 603],
  ['the account has no credit left', queue(), [spent], 'CREDIT_EXHAUSTED SYSTEM', 503],
  ['our 200 is not confirmed', queue(), [offered, accepts, audio, LATER], 'NETWORK_ERROR SYSTEM', 480],
];

const confirmed = stands(CUSTOMER);
const offeredIn11: CallEvent = { ...offered, queueId: 11 };
const answeredWhileWaiting: Row[] = [
  ['no agent answers in any queue', answering(), [confirmed, LATER, LATER], 'TIMEOUT SYSTEM', 'BYE'],
  ['its queues are deleted', answering(), [confirmed, queueGone, LATER], 'TIMEOUT SYSTEM', 'BYE'],
  ['the caller hangs up', answering(), [confirmed, gone('remote-bye')], 'CANCELLED CUSTOMER', 'BYE'],
  [
    'the caller hangs up while it rings',
    answering(),
    [confirmed, offered, gone('remote-bye')],
    'CANCELLED CUSTOMER',
    'BYE',
  ],
  ['the consumer ends it', answering(), [confirmed, terminates], 'CANCELLED CONSUMER', 'BYE'],
  ['the account has no credit left', answering(), [confirmed, spent], 'CREDIT_EXHAUSTED SYSTEM', 'BYE'],
  ['no audio arrives', answering(), [confirmed, gone('rtp-timeout')], 'NETWORK_ERROR SYSTEM', 'BYE'],
  ['the media node is lost', answering(), [confirmed, nodeLost], 'SYSTEM_ERROR SYSTEM', 'BYE'],
  [
    'the agent hangs up',
    answering(),
    [confirmed, offered, accepts, audio, hangsUp],
    'COMPLETED AGENT',
    'BYE',
  ],
  [
    'no agent answers in the overflow queue',
    overflowAnswers(),
    [LATER, confirmed, LATER],
    'TIMEOUT SYSTEM',
    'BYE',
  ],
  ['the caller hangs up before the answer', answering(), [gaveUp], 'CANCELLED CUSTOMER', 480],
  ['the consumer ends it before the answer', answering(), [terminates], 'CANCELLED CONSUMER', 603],
  ['our 200 is not confirmed', answering(), [LATER], 'NETWORK_ERROR SYSTEM', 480],
  ['the carrier cannot be answered', answering(), [notAnswered], 'SYSTEM_ERROR SYSTEM', 480],
];

const menu = [stands(CUSTOMER)];
/** Key 3 selects the agent, without an `overflow` edge. */
const seeking = [...menu, press('3')];
const toSound = [...menu, press('4')];
const lineQueue = { ...FLOW, lineQueue: [stop(11)] };
const inFlow: Row[] = [
  ['the caller hangs up', flow(), [...menu, gone('remote-bye')], 'CANCELLED CUSTOMER', 'BYE', 'ABANDONED'],
  ['the consumer ends it', flow(), [...menu, terminates], 'CANCELLED CONSUMER', 'BYE', 'TERMINATED'],
  [
    'the account has no credit left',
    flow(),
    [...menu, spent],
    'CREDIT_EXHAUSTED SYSTEM',
    'BYE',
    'TERMINATED',
  ],
  ['no audio arrives', flow(), [...menu, gone('rtp-timeout')], 'NETWORK_ERROR SYSTEM', 'BYE', 'FAILED'],
  ['the media node is lost', flow(), [...menu, nodeLost], 'SYSTEM_ERROR SYSTEM', 'BYE', 'FAILED'],
  ['our 200 is not confirmed', flow(), [LATER], 'NETWORK_ERROR SYSTEM', 480, 'FAILED'],
  ['the carrier cannot be answered', flow(), [notAnswered], 'SYSTEM_ERROR SYSTEM', 480, 'FAILED'],
  [
    'the menu gets no input',
    flow(),
    [...menu, LATER, LATER, LATER, LATER],
    'NO_ANSWER SYSTEM',
    'BYE',
    'NO_INPUT',
  ],
  ['it ends, no queue', flow(), [...toSound, LATER], 'NO_ANSWER SYSTEM', 'BYE', 'END', BARE_FLOW],
  ['it ends, queue', flow(), [...toSound, LATER, LATER], 'TIMEOUT SYSTEM', 'BYE', 'LINE_QUEUE', lineQueue],
  [
    'the caller hangs up in its queue',
    flow(),
    [...menu, press('1'), gaveUp],
    'CANCELLED CUSTOMER',
    'BYE',
    'QUEUE',
  ],
];

const NO_AGENT = 'IVR_AGENT_NO_ANSWER SYSTEM';
const namedAgent: Row[] = [
  ['is not available', flow(), [...seeking, unavailable], NO_AGENT, 'BYE', 'AGENT_UNAVAILABLE'],
  ['is not found in time', flow(), [...seeking, LATER], NO_AGENT, 'BYE', 'AGENT_UNAVAILABLE'],
  ['does not answer in time', flow(), [...seeking, found, LATER], NO_AGENT, 'BYE', 'AGENT'],
  ['declines', flow(), [...seeking, found, declines], NO_AGENT, 'BYE', 'AGENT'],
  ['is deleted', flow(), [...seeking, found, removed], NO_AGENT, 'BYE', 'AGENT'],
  ['has no audio', flow(), [...seeking, found, accepts, LATER], NO_AGENT, 'BYE', 'AGENT'],
  [
    'is being rung when the caller hangs up',
    flow(),
    [...seeking, found, gaveUp],
    'CANCELLED CUSTOMER',
    'BYE',
    'AGENT',
  ],
  ['hangs up', flow(), [...seeking, found, accepts, audio, hangsUp], 'COMPLETED AGENT', 'BYE', 'AGENT'],
];

function play(begins: Step, events: (CallEvent | typeof LATER)[], given: Flow = FLOW) {
  let { state } = begins;
  const effects: Effect[] = [...begins.effects];
  let now = T0;
  for (const what of events) {
    expect(state.phase, 'the call ended early').not.toBe('ended');
    now = what === LATER ? Math.max(now + 1, nextDeadline(state) ?? now) : now + 100;
    const next = step(state, what === LATER ? { type: 'tick' } : what, now, given);
    expect(next.state !== state || next.effects.length > 0, `${JSON.stringify(what)} did something`).toBe(
      true,
    );
    state = next.state;
    effects.push(...next.effects);
  }
  return { state, effects };
}

const sessionOutcomesOf = (effects: Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'ivr' && effect.change === 'end' ? [effect.outcome] : []));
const mediaCommandsOf = (effects: Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'media' ? [effect.order] : []));

describe.each([
  ['an answered call', answered],
  ['a call that never rings', beforeItRings],
  ['a call to a personal line', personal],
  ['an owner who is being rung by another call', rungByAnother],
  ['a call in a queue', queued],
  ['a call in a queue that answers while callers wait', answeredWhileWaiting],
  ['a call in a flow', inFlow],
  ['the agent whom a flow names', namedAgent],
] as const)('%s', (_, rows) => {
  test.each(rows)('%s', (_how, begins, events, how, told, sessionOutcome, given) => {
    const { state, effects } = play(begins, events, given);
    if (state.phase !== 'ended') throw new Error(`the call is ${state.phase}`);
    const { status, terminationReason, terminatedBy } = state.outcome;
    expect(`${terminationReason} ${terminatedBy}`).toBe(how);
    expect(status).toBe(terminationReason.endsWith('_ERROR') ? 'FAILED' : 'TERMINATED');
    const releases = mediaCommandsOf(effects).flatMap((order) =>
      order.command === 'call:release' ? [order.status ?? 'BYE'] : [],
    );
    expect(releases).toEqual(told === null ? [] : [told]);
    expect(sessionOutcomesOf(effects).at(-1)).toBe(sessionOutcome);
    const said = effects.filter((effect) => effect.kind === 'publish' && effect.event === 'call.ended');
    expect(said).toHaveLength(1);
  });
});

describe('a caller to an owner who is being rung by another call', () => {
  const seeks = (effects: Effect[]) => effects.filter(({ kind }) => kind === 'ring-agent');

  test('hears ringing for the ring timeout of the line, while the engine keeps trying to reserve the owner', () => {
    let { state, effects } = owner('rung');
    expect(mediaCommandsOf(effects)).toEqual([]);
    expect(seeks(effects)).toEqual([{ kind: 'ring-agent', agentId: ADA }]);
    let now = T0;
    let asked = 0;
    while (state.phase !== 'ended') {
      now = nextDeadline(state) ?? Infinity;
      ({ state, effects } = step(state, { type: 'tick' }, now));
      asked += seeks(effects).length;
    }
    expect(now).toBe(T0 + 30_000);
    expect(asked).toBeGreaterThan(5);
    expect(state.outcome).toMatchObject({ terminationReason: 'NO_ANSWER' });
    expect(effects.filter(({ kind }) => kind === 'agent')).toEqual([]);
  });

  test('rings the owner for the full ring timeout when they are released', () => {
    const { state } = step(
      owner('rung').state,
      { ...found, ringTimeoutSeconds: 30 } as CallEvent,
      T0 + 29_000,
    );
    expect(state).toMatchObject({ phase: 'offering', wait: null });
    expect(nextDeadline(state)).toBe(T0 + 59_000);
  });

  test('is looked up first, without reserving the owner meanwhile', () => {
    const asked = arrives({ kind: 'owner', agentId: ADA, ringTimeoutSeconds: 30, owner: 'rung' }, T0, true);
    expect(reservedAgentIds(asked.state)).toEqual([]);
    const { state } = step(asked.state, { ...rejected, reject: false } as CallEvent, T0);
    expect(state.phase).toBe('awaiting-owner');
    expect(reservedAgentIds(state)).toEqual([]);
  });
});

test('an agent after a flow is heard as soon as their audio is connected, because the carrier has our 200 already', () => {
  const { state, effects } = play(flow(), [...menu, press('1'), offered, accepts, audio]);
  expect(state.phase).toBe('talking');
  const orders = mediaCommandsOf(effects);
  expect(orders.filter(({ command }) => command === 'carrier:answer')).toHaveLength(1);
  expect(orders.at(-1)).toMatchObject({
    command: 'call:route',
    route: { [CUSTOMER]: [{ kind: 'leg', legId: 'leg-a' }] },
  });
});

test('a caller who returns to the flow by its overflow exit keeps their place in the next queue', () => {
  // Key 1 is a queue that overflows to the agent of key 2, who overflows to an announcement, which is followed by the line's queue.
  const events = [...menu, press('1'), LATER, found, declines, LATER] as const;
  const { state, effects } = play(flow(), [...events], lineQueue);
  if (state.phase !== 'waiting') throw new Error(`the call is ${state.phase}`);
  expect(state.wait.stops.map(({ queueId }) => queueId)).toEqual([11]);
  expect(state.wait).toMatchObject({ declined: [ADA], since: T0 + 200 });
  expect(sessionOutcomesOf(effects)).toEqual(['QUEUE', 'AGENT', 'LINE_QUEUE']);
});

describe('a queue that answers while callers wait', () => {
  const answersOf = (effects: Effect[]) =>
    mediaCommandsOf(effects).filter(({ command }) => command === 'carrier:answer').length;
  const heardLast = (effects: Effect[]) =>
    mediaCommandsOf(effects)
      .flatMap((order) => (order.command === 'call:route' ? [order.route[CUSTOMER]] : []))
      .at(-1);
  const holdAudio = (queueId: number) => [
    { kind: 'audio', clips: [{ file: 'music' }], loop: true, playId: `hold-${queueId}` },
  ];

  test('answers the carrier immediately; after the ACK the caller hears hold audio and is offered to agents', () => {
    const begins = answering();
    expect(answersOf(begins.effects)).toBe(1);
    expect(begins.effects.some(({ kind }) => kind === 'dispatch')).toBe(false);
    const { state, effects } = play(begins, [confirmed]);
    expect(state.phase).toBe('waiting');
    expect(heardLast(effects)).toEqual(holdAudio(10));
    expect(effects).toContainEqual({ kind: 'dispatch', queueId: 10 });
    expect(effects.some((effect) => effect.kind === 'publish' && effect.event === 'call.answered')).toBe(
      false,
    );
  });

  test('the call is answered when an agent is connected, and its conversation begins then', () => {
    const { state, effects } = play(answering(), [confirmed, offered, accepts, audio]);
    if (state.phase !== 'talking') throw new Error(`the call is ${state.phase}`);
    expect(state.answeredAt).toBe(T0 + 400);
    expect(answersOf(effects)).toBe(1);
    expect(
      effects.filter((effect) => effect.kind === 'publish' && effect.event === 'call.answered'),
    ).toHaveLength(1);
  });

  test('a caller whose agent could not be connected keeps hearing hold audio and waits again', () => {
    const { state, effects } = play(answering(), [confirmed, offered, accepts, gone('media-error', 'leg-a')]);
    expect(state.phase).toBe('waiting');
    expect(heardLast(effects)).toEqual(holdAudio(10));
  });

  test('once answered, a call stays answered in a queue that does not answer callers', () => {
    const { state, effects } = play(answering(), [confirmed, LATER, offeredIn11]);
    expect(state).toMatchObject({ phase: 'offering', answered: true });
    expect(heardLast(effects)).toEqual(holdAudio(11));
    expect(answersOf(effects)).toBe(1);
  });

  test('a call that overflows to it is answered there, and the caller keeps their place', () => {
    const { state, effects } = play(overflowAnswers(), [offered, LATER, LATER, confirmed]);
    expect(state).toMatchObject({ phase: 'waiting', answered: true, wait: { since: T0 } });
    expect(answersOf(effects)).toBe(1);
    expect(heardLast(effects)).toEqual(holdAudio(11));
  });

  test('a call that a flow has answered is not answered again', () => {
    const answers = aFlow([{ ...stop(10), answerWhileWaiting: true }], ADA);
    const { state, effects } = play(entersFlow(answers, T0), [...menu, press('1')], answers);
    expect(state.phase).toBe('waiting');
    expect(answersOf(effects)).toBe(1);
  });
});
