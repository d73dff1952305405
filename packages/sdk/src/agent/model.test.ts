import type { AgentCall, Session } from '@clarion/protocol/socket';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aCall } from '@clarion/testkit/agents/a-call';
import { emptyModel, reduce, type AgentModel, type ModelInput, type Notice } from './model.ts';

const session = (calls: AgentCall[], change: Partial<Session> = {}): ModelInput => ({
  name: 'session',
  payload: {
    agent: {
      agentId: 1,
      agentRef: 'ada',
      name: 'Ada',
      role: 'AGENT',
      availability: 'AVAILABLE',
      shift: 'AVAILABLE',
      doNotDisturb: false,
      wrapUpUntil: null,
    },
    tenant: { ref: 't', name: 'T', teamView: true, monitoringModes: ['LISTEN'] },
    calls,
    expiries: { 1: '2026-01-01T10:00:20.000Z' },
    queues: [],
    lines: [],
    iceServers: [],
    monitors: [],
    webPushKey: null,
    serverTime: '2026-01-01T10:00:00.000Z',
    ...change,
  },
});
const incoming = (call = aCall()): ModelInput => ({
  name: 'call:incoming',
  payload: { call, assignmentType: 'QUEUE', expiresAt: '2026-01-01T10:00:20.000Z' },
});
const updated = (change: Partial<AgentCall>): ModelInput => ({
  name: 'call:updated',
  payload: { call: aCall(change) },
});
const ended = (change: Partial<AgentCall> = {}): ModelInput => ({
  name: 'call:ended',
  payload: { call: aCall({ state: 'ended', ...change }) },
});
const withdrawn = (callId = 1): ModelInput => ({
  name: 'call:withdrawn',
  payload: { callId, reason: 'TIMEOUT' },
});

function run(...inputs: ModelInput[]): { model: AgentModel; events: string[] } {
  let model = emptyModel;
  const events: string[] = [];
  for (const input of inputs) {
    const step = reduce(model, input);
    model = step.model;
    events.push(...step.notices.filter(({ type }) => type !== 'agent').map(eventOf));
  }
  return { model, events };
}
const eventOf = (notice: Notice): string =>
  notice.type === 'state'
    ? notice.state
    : notice.type === 'withdrawn'
      ? `withdrawn ${notice.reason}`
      : notice.type;

describe('a call', () => {
  test('rings, is answered, is muted and ends', () => {
    const { model, events } = run(
      incoming(),
      updated({ state: 'active' }),
      updated({ state: 'active', muted: true }),
      ended(),
    );
    expect(events).toEqual(['incoming', 'active', 'updated', 'ended']);
    expect(model.calls.size).toBe(0);
  });

  test('stops ringing with the reason from the service', () => {
    expect(run(incoming(), withdrawn()).events).toEqual(['incoming', 'withdrawn TIMEOUT']);
  });

  test('is added by the ack of a start', () => {
    const ack: ModelInput = { name: 'ack:call', payload: { call: aCall({ state: 'dialing' }) } };
    expect(run(ack, updated({ state: 'active' }), ended()).events).toEqual(['dialing', 'active', 'ended']);
  });

  test('may be offered again after it was withdrawn', () => {
    expect(run(incoming(), withdrawn(), incoming()).events).toEqual([
      'incoming',
      'withdrawn TIMEOUT',
      'incoming',
    ]);
  });

  test('is not brought back by a late or repeated message', () => {
    const late = [updated({ state: 'active' }), ended(), withdrawn(), updated({ state: 'incoming' })];
    const { model, events } = run(incoming(), updated({ state: 'active' }), ended(), ...late);
    expect(events).toEqual(['incoming', 'active', 'ended']);
    expect(model.calls.size).toBe(0);
  });

  test('is not removed by a late withdrawal or a repeated offer while it is active', () => {
    const { events } = run(
      incoming(),
      updated({ state: 'active' }),
      withdrawn(),
      incoming(),
      updated({ state: 'incoming' }),
    );
    expect(events).toEqual(['incoming', 'active']);
  });
});

describe('a session', () => {
  test('adds ringing calls with their expiry, and live calls', () => {
    const { model, events } = run(session([aCall(), aCall({ callId: 2, state: 'active' })]));
    expect(events).toEqual(['incoming', 'active']);
    expect(model.calls.get(1)?.expiresAt).toBe('2026-01-01T10:00:20.000Z');
    expect(model.calls.get(2)?.expiresAt).toBeNull();
  });

  test('ends calls that it no longer lists', () => {
    const start = [incoming(), updated({ callId: 2, state: 'active' })];
    expect(run(...start, session([])).events).toEqual(['incoming', 'active', 'withdrawn CANCELLED', 'ended']);
  });

  test('replaces the lines for outbound calls', () => {
    const line = {
      ref: 'main',
      type: 'SIP',
      address: '+14155550100',
      displayName: null,
      personal: false,
    } as const;
    expect(run(session([], { lines: [line] })).model.lines).toEqual([line]);
    expect(run(session([], { lines: [line] }), session([])).model.lines).toEqual([]);
  });

  test('raises the answer that was missed while disconnected', () => {
    expect(run(incoming(), session([aCall({ state: 'active' })])).events).toEqual(['incoming', 'active']);
  });
});

const callIds = fc.integer({ min: 1, max: 3 });
const states = fc.constantFrom<AgentCall['state']>('incoming', 'dialing', 'active', 'ended');
const inputs: fc.Arbitrary<ModelInput> = fc.oneof(
  callIds.map((callId) => incoming(aCall({ callId }))),
  callIds.map(withdrawn),
  fc.tuple(callIds, states).map(([callId, state]) => updated({ callId, state })),
  callIds.map((callId) => ended({ callId })),
  fc
    .uniqueArray(fc.tuple(callIds, states), { selector: ([callId]) => callId, maxLength: 3 })
    .map((list) => session(list.map(([callId, state]) => aCall({ callId, state })))),
);

describe('for any order of messages', () => {
  test('each call appears, advances and ends, and the model lists exactly the calls between appearing and ending', () => {
    fc.assert(
      fc.property(fc.array(inputs, { maxLength: 40 }), (sequence) => {
        const open = new Map<number, string>();
        let model = emptyModel;
        for (const input of sequence) {
          const step = reduce(model, input);
          model = step.model;
          for (const notice of step.notices) {
            if (notice.type === 'agent') continue;
            const before = open.get(notice.callId);
            const word = eventOf(notice);
            if (notice.type === 'updated') expect(before).toBeDefined();
            else if (notice.type === 'withdrawn') expect(before).toBe('incoming');
            else if (word === 'ended') expect(before).toBeDefined();
            else if (input.name !== 'session') expect(before).not.toBe(word);
            if (word === 'ended' || notice.type === 'withdrawn') open.delete(notice.callId);
            else if (notice.type !== 'updated') open.set(notice.callId, word);
          }
          expect([...model.calls.keys()].sort()).toEqual([...open.keys()].sort());
          for (const [callId, { call }] of model.calls) expect(open.get(callId)).toBe(call.state);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('a repeated session raises no events about calls', () => {
    fc.assert(
      fc.property(fc.array(inputs, { maxLength: 20 }), states, (sequence, state) => {
        const last = session([aCall({ state })]);
        const { model } = run(...sequence, last);
        const again = reduce(model, last);
        expect(again.model.calls).toEqual(model.calls);
        expect(again.notices.filter(({ type }) => type !== 'agent' && type !== 'updated')).toEqual([]);
      }),
    );
  });
});
