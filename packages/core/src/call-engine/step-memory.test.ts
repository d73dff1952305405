import type { Call } from '@clarion/db';
import { expect, test } from 'vitest';
import { begin } from '../call-machine/__fixtures__/beginnings.ts';
import type { LoadedAgent, LoadedStep } from '../call-store/loaded.ts';
import { agentIdsNamedBy } from './agent-ids-in.ts';
import { StepMemory } from './step-memory.ts';

const { state } = begin.queue();
const rows = (callId: number, version = 0, change: Partial<LoadedStep['live']> = {}): LoadedStep => ({
  call: { id: callId } as Call,
  callRowVersion: '1',
  tenant: { ref: 't', settings: null, rowVersion: '1' },
  agents: [],
  live: { state, flow: null, version, mediaNodeId: null, lastEventAt: null, ...change },
});

test('a call is remembered for one step', () => {
  const memory = new StepMemory();
  memory.keep(rows(1));
  expect(memory.take(1)).toEqual(rows(1));
  expect(memory.take(1)).toBeNull();
  expect(memory.take(2)).toBeNull();
});

test('a step that returns late does not replace a later one', () => {
  const memory = new StepMemory();
  memory.keep(rows(1, 7));
  memory.keep(rows(1, 6));
  expect(memory.take(1)?.live.version).toBe(7);
  memory.keep(rows(1, 7));
  memory.keep(rows(1, 8));
  expect(memory.take(1)?.live.version).toBe(8);
});

test('with too many calls, those are forgotten whose last step is the longest ago', () => {
  const memory = new StepMemory(3);
  for (const callId of [1, 2, 3]) memory.keep(rows(callId));
  memory.keep(rows(1, 1));
  memory.keep(rows(4));
  expect(memory.size).toBe(3);
  expect([1, 2, 3, 4].filter((callId) => memory.take(callId))).toEqual([1, 3, 4]);
});

test('a call without a step for five minutes is forgotten at the next step of another call', () => {
  let now = 0;
  const memory = new StepMemory(10, () => now);
  memory.keep(rows(1));
  now = 200_000;
  memory.keep(rows(2));
  now = 300_001;
  memory.keep(rows(3));
  expect([1, 2, 3].filter((callId) => memory.take(callId))).toEqual([2, 3]);
});

test('a call is not remembered without an agent whom its state names, or without the flow that it is in', () => {
  const memory = new StepMemory();
  const named = { ...state, offers: [{ agentId: 5 }] };
  memory.keep(rows(1, 0, { state: named }));
  expect(memory.take(1)).toBeNull();
  memory.keep({ ...rows(1, 0, { state: named }), agents: [{ id: 5 } as LoadedAgent] });
  expect(memory.take(1)).not.toBeNull();
  memory.keep(rows(2, 0, { state: { ...state, flow: { at: 'menu' } } }));
  expect(memory.take(2)).toBeNull();
  memory.keep(rows(2, 0, { state: { ...state, flow: { at: 'menu' } }, flow: { structure: {}, audio: {} } }));
  expect(memory.take(2)).not.toBeNull();
});

test('an older version of a call that cannot be remembered is forgotten', () => {
  const memory = new StepMemory();
  memory.keep(rows(1, 0));
  memory.keep(rows(1, 1, { state: { ...state, agentId: 5 } }));
  expect(memory.take(1)).toBeNull();
});

test('agents are found in any depth of a state', () => {
  const nested = {
    agentId: 1,
    agent: { agentId: 2 },
    offers: [{ agentId: 3 }],
    seeking: 4,
    other: { agentId: null },
  };
  expect(agentIdsNamedBy(nested).toSorted()).toEqual([1, 2, 3]);
});

test('a call that ended is known to have ended, until too many others have', () => {
  const memory = new StepMemory(2);
  memory.keep(rows(1));
  memory.end(1, []);
  expect(memory.take(1)).toBeNull();
  expect(memory.hasEnded(1)).toBe(true);
  memory.end(2, []);
  memory.end(3, []);
  expect([1, 2, 3].filter((callId) => memory.hasEnded(callId))).toEqual([2, 3]);
});

test('agents are remembered as the last step left them, also by a call that ended', () => {
  const memory = new StepMemory();
  const agent = (id: number, rowVersion: string) => ({ id, rowVersion }) as LoadedAgent;
  memory.keep({ ...rows(1), agents: [agent(5, '1'), agent(6, '1')] });
  memory.end(1, [agent(5, '2')]);
  expect(memory.agentsAmong([5, 6, 7])).toEqual([agent(5, '2'), agent(6, '1')]);
});
