import type {
  BoardAgent,
  BoardCall,
  ClientMessage,
  ClientPayload,
  ClientReplies,
  QueueCounters,
} from '@clarion/protocol/socket';
import { reconnectDelayMs } from './backoff.ts';
import {
  applyAgents,
  applyChange,
  changesOf,
  emptyBoard,
  type AgentsChange,
  type BoardChange,
  type BoardModel,
} from './board-model.ts';
import { Emitter } from './emitter.ts';
import { ClarionError } from './errors.ts';

export interface BoardEvents extends Record<string, unknown[]> {
  /** The current state of a call, or a call that was removed. */
  boardCall: [change: BoardChange];
  counters: [queues: readonly QueueCounters[]];
  /** The current state of some agents, and the removed ones; with `complete`, the list contains all agents. */
  agents: [change: AgentsChange];
  /** The service no longer provides the board, because the role or the tenant's `team_view` changed. */
  ended: [];
}

/** What a board needs from its connection. */
export interface BoardHost {
  request<M extends ClientMessage>(message: M, payload: ClientPayload<M>): Promise<ClientReplies[M]>;
}

/** The live calls and queues of the tenant, kept up to date until `unsubscribe()`. */
export class Board extends Emitter<BoardEvents> {
  readonly #host: BoardHost;
  #model: BoardModel = emptyBoard;
  #queues: QueueCounters[] = [];
  #agents: ReadonlyMap<number, BoardAgent> = new Map();
  #active = true;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  /** @internal Use `agent.subscribeBoard()`. */
  constructor(host: BoardHost) {
    super();
    this.#host = host;
  }

  /** Oldest first. */
  get calls(): BoardCall[] {
    return [...this.#model.calls.values()].sort((a, b) => a.callId - b.callId);
  }
  get queues(): readonly QueueCounters[] {
    return this.#queues;
  }
  /** Oldest first. */
  get agents(): BoardAgent[] {
    return [...this.#agents.values()].sort((a, b) => a.agentId - b.agentId);
  }
  /** False once it has ended or was unsubscribed; its data is then no longer updated. */
  get active(): boolean {
    return this.#active;
  }

  async unsubscribe(): Promise<void> {
    if (!this.#active) return;
    this.#active = false;
    clearTimeout(this.#retryTimer);
    await this.#host.request('board:unsubscribe', {});
  }

  /** @internal Loads the whole board, initially and after every reconnection. */
  async refresh(): Promise<void> {
    const before = [...this.#model.calls.keys()];
    const snapshot = await this.#host.request('board:subscribe', {});
    if (!this.#active) return;
    for (const change of changesOf(this.#model, snapshot, before)) this.change(change);
    this.counters(snapshot.queues);
    this.changeAgents({ agents: snapshot.agents, removed: [], complete: true });
  }

  /** @internal Like `refresh`, but repeated after an error instead of reporting it. */
  async resubscribe(attempt = 0): Promise<void> {
    clearTimeout(this.#retryTimer);
    try {
      await this.refresh();
    } catch (error) {
      const code = error instanceof ClarionError ? error.code : null;
      if (code === 'forbidden') this.end();
      // After a lost connection, the next session refreshes the board.
      if (!this.#active || code === 'connection_lost' || code === 'disconnected') return;
      const waitMs = reconnectDelayMs(attempt + 1, Math.random());
      clearTimeout(this.#retryTimer);
      this.#retryTimer = setTimeout(() => void this.resubscribe(attempt + 1), waitMs);
    }
  }

  /** @internal */
  change(change: BoardChange): void {
    if (!this.#active) return;
    const model = applyChange(this.#model, change);
    if (!model) return;
    this.#model = model;
    this.emit('boardCall', change);
  }

  /** @internal */
  counters(queues: QueueCounters[]): void {
    if (!this.#active) return;
    this.#queues = queues;
    this.emit('counters', queues);
  }

  /** @internal */
  changeAgents(change: AgentsChange): void {
    if (!this.#active) return;
    this.#agents = applyAgents(this.#agents, change);
    this.emit('agents', change);
  }

  /** @internal */
  end(): void {
    if (!this.#active) return;
    this.#active = false;
    clearTimeout(this.#retryTimer);
    this.emit('ended');
  }
}
