/**
 * The state of the live board, outside React. Up to fifty changes per second reach the page in one batch per animation frame, and each
 * row is notified only of its own changes. A list is the same array until its order or its members change.
 *
 * Changes are applied immediately; only the notification waits for the frame. A hidden tab has no frames: the page is up to date
 * with the first one.
 */
import type { AgentsChange, BoardAgent, BoardCall, BoardChange, QueueCounters } from '@clarion/sdk';
import { customerNumber } from '@clarion/ui';
import { emptyTotals, totalsOf } from './totals.ts';
import type { Totals } from './totals.ts';

export type CallState = BoardCall['state'];
export interface CallFilter {
  /** Any text of the call: caller, line, queue, agent. */
  search: string;
  state: CallState | null;
  queueId: number | null;
  order: 'longest' | 'newest';
}
export interface AgentFilter {
  search: string;
  state: BoardAgent['state'] | null;
  queueId: number | null;
}

export const allCalls: CallFilter = { search: '', state: null, queueId: null, order: 'longest' };
export const allAgents: AgentFilter = { search: '', state: null, queueId: null };

/** The part of the SDK's `Board` that the store reads. */
export interface BoardSource {
  readonly calls: BoardCall[];
  readonly queues: readonly QueueCounters[];
  readonly agents: BoardAgent[];
  on<K extends keyof BoardEvents>(event: K, listener: (...args: BoardEvents[K]) => void): () => void;
}
export interface BoardEvents {
  boardCall: [change: BoardChange];
  counters: [queues: readonly QueueCounters[]];
  agents: [change: AgentsChange];
}

type Listener = () => void;
type Schedule = (work: () => void) => () => void;

const nextFrame: Schedule = (work) => {
  const frame = requestAnimationFrame(work);
  return () => cancelAnimationFrame(frame);
};

export class BoardStore {
  readonly #calls = new Map<number, BoardCall>();
  readonly #agents = new Map<number, BoardAgent>();
  readonly #queues = new Map<number, QueueCounters>();
  readonly #rows = new Map<string, Set<Listener>>();
  readonly #lists = new Set<Listener>();
  readonly #schedule: Schedule;
  #dirty = new Set<string>();
  #cancel: (() => void) | null = null;
  #callFilter = allCalls;
  #agentFilter = allAgents;
  #callIds: readonly number[] = [];
  #agentIds: readonly number[] = [];
  #queueIds: readonly number[] = [];
  #waiting: ReadonlyMap<number, readonly number[]> = new Map();
  #totals = emptyTotals;

  constructor(schedule: Schedule = nextFrame) {
    this.#schedule = schedule;
  }

  /** Loads the board and follows its changes. @returns a function that stops it */
  follow(board: BoardSource): () => void {
    const offs = [
      board.on('boardCall', (change) => this.#takeCall(change)),
      board.on('counters', (queues) => this.#takeQueues(queues)),
      board.on('agents', (change) => this.#takeAgents(change)),
    ];
    const live = new Set(board.calls.map(({ callId }) => callId));
    for (const callId of [...this.#calls.keys()]) if (!live.has(callId)) this.#takeCall({ removed: callId });
    for (const call of board.calls) this.#takeCall({ call });
    this.#takeQueues(board.queues);
    this.#takeAgents({ agents: board.agents, removed: [], complete: true });
    // The first state must be visible when the page shows the board as live.
    this.#cancel?.();
    this.#cancel = null;
    this.#rebuild();
    return () => {
      for (const off of offs) off();
      this.#cancel?.();
      this.#cancel = null;
    };
  }

  call = (callId: number): BoardCall | undefined => this.#calls.get(callId);
  agent = (agentId: number): BoardAgent | undefined => this.#agents.get(agentId);
  queue = (queueId: number): QueueCounters | undefined => this.#queues.get(queueId);
  /** The calls that match the filter, in its order. */
  callIds = (): readonly number[] => this.#callIds;
  agentIds = (): readonly number[] => this.#agentIds;
  queueIds = (): readonly number[] => this.#queueIds;
  /** The callers waiting in a queue, longest first. */
  waitingIn = (queueId: number): readonly number[] => this.#waiting.get(queueId) ?? none;
  totals = (): Totals => this.#totals;

  filterCalls(filter: CallFilter): void {
    this.#callFilter = filter;
    this.#rebuild();
  }
  filterAgents(filter: AgentFilter): void {
    this.#agentFilter = filter;
    this.#rebuild();
  }

  /** Subscribes to one row: `call:7`, `agent:3`, `queue:1`. */
  subscribeRow(name: string, listener: Listener): () => void {
    const listeners = this.#rows.get(name) ?? new Set();
    this.#rows.set(name, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#rows.get(name) === listeners) this.#rows.delete(name);
    };
  }
  /** Subscribes to the lists and totals. */
  subscribe = (listener: Listener): (() => void) => {
    this.#lists.add(listener);
    return () => this.#lists.delete(listener);
  };

  #takeCall(change: BoardChange): void {
    const callId = 'removed' in change ? change.removed : change.call.callId;
    if ('removed' in change) this.#calls.delete(callId);
    else this.#calls.set(callId, change.call);
    this.#changed(`call:${callId}`);
  }

  #takeAgents({ agents, removed, complete }: AgentsChange): void {
    const received = new Set(agents.map(({ agentId }) => agentId));
    const gone = complete ? [...this.#agents.keys()].filter((agentId) => !received.has(agentId)) : removed;
    for (const agentId of gone) {
      this.#agents.delete(agentId);
      this.#changed(`agent:${agentId}`);
    }
    for (const agent of agents) {
      if (isSame(this.#agents.get(agent.agentId), agent)) continue;
      this.#agents.set(agent.agentId, agent);
      this.#changed(`agent:${agent.agentId}`);
    }
  }

  #takeQueues(queues: readonly QueueCounters[]): void {
    const received = new Set(queues.map(({ queueId }) => queueId));
    for (const queueId of [...this.#queues.keys()]) {
      if (received.has(queueId)) continue;
      this.#queues.delete(queueId);
      this.#changed(`queue:${queueId}`);
    }
    for (const queue of queues) {
      if (isSame(this.#queues.get(queue.queueId), queue)) continue;
      this.#queues.set(queue.queueId, queue);
      this.#changed(`queue:${queue.queueId}`);
    }
  }

  #changed(row: string): void {
    this.#dirty.add(row);
    this.#cancel ??= this.#schedule(() => {
      this.#cancel = null;
      this.#rebuild();
    });
  }

  /** One batch: rebuilds the lists, then notifies the listeners of what changed. */
  #rebuild(): void {
    const dirty = this.#dirty;
    this.#dirty = new Set();
    const calls = [...this.#calls.values()];
    const agents = [...this.#agents.values()];
    this.#callIds = sameIfEqual(this.#callIds, idsOfCalls(calls, this.#callFilter));
    this.#agentIds = sameIfEqual(this.#agentIds, idsOfAgents(agents, this.#agentFilter));
    this.#queueIds = sameIfEqual(this.#queueIds, [...this.#queues.keys()].toSorted(byNumber));
    this.#waiting = waitingByQueue(calls, this.#waiting);
    const totals = totalsOf(calls, agents, [...this.#queues.values()]);
    if (!isSame(this.#totals, totals)) this.#totals = totals;
    for (const row of dirty) for (const listener of [...(this.#rows.get(row) ?? [])]) listener();
    for (const listener of [...this.#lists]) listener();
  }
}

const none: readonly number[] = [];
const byNumber = (a: number, b: number) => a - b;
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The previous value if it is equal. */
const sameIfEqual = (before: readonly number[], now: readonly number[]): readonly number[] =>
  before.length === now.length && before.every((id, index) => id === now[index]) ? before : now;

function idsOfCalls(calls: BoardCall[], { search, state, queueId, order }: CallFilter): number[] {
  const wanted = search.trim().toLowerCase();
  const sign = order === 'longest' ? 1 : -1;
  return calls
    .filter(
      (call) =>
        (state === null || call.state === state) &&
        (queueId === null || call.queue?.queueId === queueId) &&
        (wanted === '' || textOfCall(call).includes(wanted)),
    )
    .toSorted((a, b) => sign * (a.callId - b.callId))
    .map(({ callId }) => callId);
}

const textOfCall = ({ customer, channelRef, channelName, queue, agent }: BoardCall): string =>
  [customer.name, customerNumber(customer), channelName, channelRef, queue?.name, agent?.name]
    .filter(Boolean)
    .join('\n')
    .toLowerCase();

/** The order of agents in the list: busy ones first, offline ones last. */
const PLACES: Record<BoardAgent['state'], number> = {
  RINGING: 0,
  ON_CALL: 1,
  WRAP_UP: 2,
  AVAILABLE: 3,
  OFFLINE: 4,
};

function idsOfAgents(agents: BoardAgent[], { search, state, queueId }: AgentFilter): number[] {
  const wanted = search.trim().toLowerCase();
  return agents
    .filter(
      (agent) =>
        (state === null || agent.state === state) &&
        (queueId === null || agent.queueIds.includes(queueId)) &&
        (wanted === '' || `${agent.name}\n${agent.agentRef}`.toLowerCase().includes(wanted)),
    )
    .toSorted((a, b) => PLACES[a.state] - PLACES[b.state] || a.agentId - b.agentId)
    .map(({ agentId }) => agentId);
}

function waitingByQueue(
  calls: BoardCall[],
  before: ReadonlyMap<number, readonly number[]>,
): ReadonlyMap<number, readonly number[]> {
  const waiting = calls
    .filter(({ waitingSince, queue }) => waitingSince !== null && queue !== null)
    .toSorted((a, b) => Date.parse(a.waitingSince ?? '') - Date.parse(b.waitingSince ?? ''));
  const byQueue = Map.groupBy(waiting, ({ queue }) => queue?.queueId ?? 0);
  return new Map(
    [...byQueue].map(([queueId, waiters]) => [
      queueId,
      sameIfEqual(
        before.get(queueId) ?? none,
        waiters.map(({ callId }) => callId),
      ),
    ]),
  );
}
