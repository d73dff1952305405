import type { BoardAgent, BoardCall, QueueCounters } from '@clarion/sdk';
import { beforeEach, expect, test, vi } from 'vitest';
import { allAgents, allCalls, BoardStore } from './board-store.ts';
import type { BoardSource, BoardEvents } from './board-store.ts';

const aCall = (callId: number, change: Partial<BoardCall> = {}): BoardCall => ({
  callId,
  direction: 'INBOUND',
  state: 'waiting',
  customer: { address: `+44${callId}`, addressWithheld: false, name: null },
  channelRef: 'main',
  channelType: 'SIP',
  channelName: 'Main line',
  queue: { queueId: 1, ref: 'sales', name: 'Sales' },
  agent: null,
  held: false,
  recording: 'OFF',
  monitors: [],
  createdAt: new Date(1_000 * callId).toISOString(),
  waitingSince: new Date(1_000 * callId).toISOString(),
  answeredAt: null,
  version: 1,
  ...change,
});
const anAgent = (agentId: number, state: BoardAgent['state'] = 'AVAILABLE'): BoardAgent => ({
  agentId,
  agentRef: `agent-${agentId}`,
  name: `Agent ${agentId}`,
  role: 'AGENT',
  state,
  connected: true,
  doNotDisturb: false,
  since: null,
  until: null,
  callId: null,
  queueIds: [1],
});
const aQueue = (queueId: number, waiting = 0): QueueCounters => ({
  queueId,
  ref: `q${queueId}`,
  name: `Queue ${queueId}`,
  waiting,
  longestWaitingSince: waiting > 0 ? new Date(5_000).toISOString() : null,
  agents: { available: 0, onCall: 0, offline: 0 },
});

/** A board with the state and changes of a test. */
class TestBoard implements BoardSource {
  calls: BoardCall[] = [];
  agents: BoardAgent[] = [];
  queues: QueueCounters[] = [];
  readonly #listeners: { [K in keyof BoardEvents]?: (...args: BoardEvents[K]) => void } = {};
  on<K extends keyof BoardEvents>(event: K, listener: (...args: BoardEvents[K]) => void): () => void {
    Object.assign(this.#listeners, { [event]: listener });
    return () => delete this.#listeners[event];
  }
  emit<K extends keyof BoardEvents>(event: K, ...received: BoardEvents[K]): void {
    this.#listeners[event]?.(...received);
  }
}

let frames: (() => void)[];
let store: BoardStore;
let board: TestBoard;
const frame = () => frames.splice(0).forEach((work) => work());

beforeEach(() => {
  frames = [];
  store = new BoardStore((work) => {
    frames.push(work);
    return () => frames.splice(frames.indexOf(work), 1);
  });
  board = new TestBoard();
});

test('any number of changes within a frame notify each row and the lists once', () => {
  board.calls = [aCall(1), aCall(2)];
  store.follow(board);
  frame();
  const one = vi.fn<() => void>();
  const two = vi.fn<() => void>();
  const lists = vi.fn<() => void>();
  store.subscribeRow('call:1', one);
  store.subscribeRow('call:2', two);
  store.subscribe(lists);
  for (let version = 2; version < 52; version += 1) board.emit('boardCall', { call: aCall(1, { version }) });
  expect(frames).toHaveLength(1);
  expect(one).not.toHaveBeenCalled();
  frame();
  expect([one, two, lists].map((listener) => listener.mock.calls.length)).toEqual([1, 0, 1]);
  expect(store.call(1)?.version).toBe(51);
});

test('a list stays the same array until its members or their order change', () => {
  board.calls = [aCall(1), aCall(2)];
  board.agents = [anAgent(1), anAgent(2)];
  store.follow(board);
  frame();
  const [calls, agents] = [store.callIds(), store.agentIds()];
  board.emit('boardCall', { call: aCall(1, { held: true, version: 2 }) });
  frame();
  expect(store.callIds()).toBe(calls);
  board.emit('agents', { agents: [anAgent(2, 'ON_CALL')], removed: [], complete: false });
  board.emit('boardCall', { removed: 1 });
  frame();
  expect(store.callIds()).toEqual([2]);
  expect(store.agentIds()).not.toBe(agents);
  expect(store.agentIds()).toEqual([2, 1]);
});

test('filters apply to the lists and not to the figures', () => {
  board.calls = [
    aCall(1),
    aCall(2, { state: 'active', agent: { agentId: 1, agentRef: 'ada', name: 'Ada' }, waitingSince: null }),
    aCall(3, { queue: null }),
  ];
  board.queues = [aQueue(1, 1)];
  store.follow(board);
  frame();
  const shown = (filter: object) => {
    store.filterCalls({ ...allCalls, ...filter });
    return store.callIds();
  };
  expect(shown({ state: 'active' })).toEqual([2]);
  expect(shown({ search: ' ADA ' })).toEqual([2]);
  expect(shown({ search: '+443' })).toEqual([3]);
  expect(shown({ queueId: 1 })).toEqual([1, 2]);
  expect(shown({ order: 'newest' })).toEqual([3, 2, 1]);
  expect(store.totals()).toMatchObject({ calls: 3, talking: 1, waiting: 1 });
  store.filterAgents({ ...allAgents, search: 'nobody' });
  expect(store.agentIds()).toEqual([]);
});

test('the callers waiting in a queue are sorted by wait', () => {
  const since = (second: number) => ({ waitingSince: new Date(1_000 * second).toISOString() });
  board.calls = [aCall(1, since(30)), aCall(2, since(10)), aCall(3, since(20)), aCall(4, { queue: null })];
  store.follow(board);
  frame();
  expect(store.waitingIn(1)).toEqual([2, 3, 1]);
  expect(store.waitingIn(9)).toEqual([]);
});

test('after a reconnect, calls, agents and queues that no longer exist are removed', () => {
  board.calls = [aCall(1), aCall(2)];
  board.agents = [anAgent(1), anAgent(2)];
  board.queues = [aQueue(1), aQueue(2)];
  const stop = store.follow(board);
  frame();
  stop();
  const next = new TestBoard();
  next.calls = [aCall(2)];
  next.agents = [anAgent(2)];
  next.queues = [aQueue(2)];
  store.follow(next);
  frame();
  expect([store.callIds(), store.agentIds(), store.queueIds()]).toEqual([[2], [2], [2]]);
  expect(store.call(1)).toBeUndefined();
});
