import type { BoardAgent, BoardCall } from '@clarion/protocol/socket';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyAgents, applyChange, changesOf, emptyBoard, REMEMBERED_REMOVED_CALLS } from './board-model.ts';
import type { BoardChange, BoardModel } from './board-model.ts';

const aCall = (callId: number, version: number): BoardCall => ({
  callId,
  direction: 'INBOUND',
  state: 'waiting',
  customer: { address: null, addressWithheld: false, name: null },
  channelRef: 'main',
  channelType: 'SIP',
  channelName: null,
  queue: null,
  agent: null,
  held: false,
  recording: 'OFF',
  monitors: [],
  createdAt: '2026-01-01T10:00:00.000Z',
  waitingSince: null,
  answeredAt: null,
  version,
});
const after = (changes: BoardChange[], model: BoardModel = emptyBoard) =>
  changes.reduce((before, change) => applyChange(before, change) ?? before, model);
const shown = ({ calls }: BoardModel) => [...calls.values()].map(({ callId, version }) => [callId, version]);

test('an older version that arrives late is ignored, and a repeated one has no effect', () => {
  const model = after([{ call: aCall(1, 5) }, { call: aCall(1, 4) }]);
  expect(shown(model)).toEqual([[1, 5]]);
  expect(applyChange(model, { call: aCall(1, 4) })).toBeNull();
  expect(shown(after([{ call: aCall(1, 5) }], model))).toEqual([[1, 5]]);
});

test('a late message does not bring back a removed call', () => {
  const model = after([{ call: aCall(1, 5) }, { removed: 1 }, { call: aCall(1, 6) }]);
  expect(shown(model)).toEqual([]);
  expect(applyChange(model, { removed: 1 })).toBeNull();
});

test('only a limited number of removed calls is remembered', () => {
  const many = Array.from({ length: REMEMBERED_REMOVED_CALLS + 10 }, (_, callId) => ({ removed: callId }));
  expect(after(many).removed).toHaveLength(REMEMBERED_REMOVED_CALLS);
});

test('a snapshot adds new calls and removes missing ones', () => {
  const model = after([{ call: aCall(1, 5) }, { call: aCall(2, 3) }, { call: aCall(3, 1) }]);
  const changes = changesOf(model, { calls: [aCall(1, 5), aCall(2, 4), aCall(4, 0)] }, [1, 2, 3]);
  expect(shown(after(changes, model))).toEqual([
    [1, 5],
    [2, 4],
    [4, 0],
  ]);
  expect(changes).toHaveLength(3);
});

test('a call that was announced after the snapshot was requested is not removed by it', () => {
  const model = after([{ call: aCall(1, 5) }, { call: aCall(2, 0) }]);
  const changes = changesOf(model, { calls: [] }, [1]);
  expect(changes).toEqual([{ removed: 1 }]);
});

test('the newest state is shown, in whatever order messages arrive', () => {
  const lives = fc.array(fc.record({ versions: fc.integer({ min: 1, max: 5 }), ends: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(lives, fc.infiniteStream(fc.nat()), (calls, seeds) => {
      const messages: BoardChange[] = calls.flatMap(({ versions, ends }, callId) => [
        ...Array.from({ length: versions }, (_, version) => ({ call: aCall(callId, version) })),
        ...(ends ? [{ removed: callId }] : []),
      ]);
      const shuffled = messages
        .map((message) => ({ message, seed: seeds.next().value ?? 0 }))
        .toSorted((a, b) => a.seed - b.seed)
        .map(({ message }) => message);
      const expected = calls.flatMap(({ versions, ends }, callId) => (ends ? [] : [[callId, versions - 1]]));
      expect(shown(after(shuffled)).toSorted()).toEqual(expected.toSorted());
    }),
  );
});

test('a partial list of agents updates those in it, and a complete list replaces all', () => {
  const anAgent = (agentId: number, state: BoardAgent['state']): BoardAgent => ({
    agentId,
    agentRef: `a${agentId}`,
    name: `A ${agentId}`,
    role: 'AGENT',
    state,
    connected: true,
    doNotDisturb: false,
    since: null,
    until: null,
    callId: null,
    queueIds: [],
  });
  const seen = (agents: ReadonlyMap<number, BoardAgent>) =>
    [...agents.values()].map(({ agentId, state }) => [agentId, state]);
  const all = [anAgent(1, 'AVAILABLE'), anAgent(2, 'OFFLINE')];
  const first = applyAgents(new Map(), { agents: all, removed: [], complete: true });
  const next = applyAgents(first, { agents: [anAgent(2, 'ON_CALL')], removed: [1], complete: false });
  expect(seen(next)).toEqual([[2, 'ON_CALL']]);
  expect(seen(applyAgents(next, { agents: all, removed: [], complete: true }))).toEqual([
    [1, 'AVAILABLE'],
    [2, 'OFFLINE'],
  ]);
});
