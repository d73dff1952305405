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

function run(...inputs: ModelInput[]): { model: AgentModel; words: string[] } {
  let model = emptyModel;
  const words: string[] = [];
  for (const input of inputs) {
    const step = reduce(model, input);
    model = step.model;
    words.push(...step.notices.filter(({ type }) => type !== 'agent').map(wordOf));
  }
  return { model, words };
}
const wordOf = (notice: Notice): string =>
  notice.type === 'state'
    ? notice.state
    : notice.type === 'withdrawn'
      ? `withdrawn ${notice.reason}`
      : notice.type;

describe('a call', () => {
  test('rings, is answered, is muted and ends', () => {
    const { model, words } = run(
      incoming(),
      updated({ state: 'active' }),
      updated({ state: 'active', muted: true }),
      ended(),
    );
    expect(words).toEqual(['incoming', 'active', 'updated', 'ended']);
    expect(model.calls.size).toBe(0);
  });

  test('stops ringing with the reason the service gave', () => {
    expect(run(incoming(), withdrawn()).words).toEqual(['incoming', 'withdrawn TIMEOUT']);
  });

  test('is introduced by the ack of a start', () => {
    const ack: ModelInput = { name: 'ack:call', payload: { call: aCall({ state: 'dialing' }) } };
    expect(run(ack, updated({ state: 'active' }), ended()).words).toEqual(['dialing', 'active', 'ended']);
  });

  test('may be offered again after it was withdrawn', () => {
    expect(run(incoming(), withdrawn(), incoming()).words).toEqual([
      'incoming',
      'withdrawn TIMEOUT',
      'incoming',
    ]);
  });

  test('does not come back by a late or repeated message', () => {
    const late = [updated({ state: 'active' }), ended(), withdrawn(), updated({ state: 'incoming' })];
    const { model, words } = run(incoming(), updated({ state: 'active' }), ended(), ...late);
    expect(words).toEqual(['incoming', 'active', 'ended']);
    expect(model.calls.size).toBe(0);
  });

  test('that is being talked on is not taken away by a late withdrawal or a repeated offer', () => {
    const { words } = run(
      incoming(),
      updated({ state: 'active' }),
      withdrawn(),
      incoming(),
      updated({ state: 'incoming' }),
    );
    expect(words).toEqual(['incoming', 'active']);
  });
});

describe('a session', () => {
  test('introduces what rings, with its end, and what runs', () => {
    const { model, words } = run(session([aCall(), aCall({ callId: 2, state: 'active' })]));
    expect(words).toEqual(['incoming', 'active']);
    expect(model.calls.get(1)?.expiresAt).toBe('2026-01-01T10:00:20.000Z');
    expect(model.calls.get(2)?.expiresAt).toBeNull();
  });

  test('ends what it no longer lists', () => {
    const start = [incoming(), updated({ callId: 2, state: 'active' })];
    expect(run(...start, session([])).words).toEqual(['incoming', 'active', 'withdrawn CANCELLED', 'ended']);
  });

  test('replaces the lines to call out from', () => {
    const line = { ref: 'main', address: '+14155550100', displayName: null, personal: false };
    expect(run(session([], { lines: [line] })).model.lines).toEqual([line]);
    expect(run(session([], { lines: [line] }), session([])).model.lines).toEqual([]);
  });

  test('tells of an answer that was missed while the connection was away', () => {
    expect(run(incoming(), session([aCall({ state: 'active' })])).words).toEqual(['incoming', 'active']);
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

describe('whatever the order of messages', () => {
  test('each call is heard of, then goes forward, then goes, and the model lists exactly those in between', () => {
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
            const word = wordOf(notice);
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

  test('a session twice says nothing new about the calls', () => {
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
