/**
 * The supervisors' board on this node: which sockets watch, and what they receive. Each node is notified of every change
 * (board-feed.ts), reads the rows of a tenant only while one of its own sockets watches it, and sends the result to those
 * sockets. Reads and messages have the same order, so the last message is the newest.
 *
 * No change is lost. A socket joins the room before its snapshot is read: a step that was committed earlier is in the snapshot, a later
 * one is sent as a change. When LISTEN was interrupted, everything is read again (`refreshAll`).
 */
import { boardCalls } from '@clarion/core/call-engine/board';
import type { BoardNames } from '@clarion/core/call-engine/board';
import { boardAgents } from '@clarion/core/call-engine/board-agents';
import { queueFigures } from '@clarion/core/report/queue-figures';
import { ApiError } from '@clarion/protocol';
import type { BoardSnapshot, QueueCounters } from '@clarion/protocol/socket';
import type { Deps } from '../deps.ts';
import { boardRoom } from '../sockets/rooms.ts';
import type { AgentNamespace, DashboardNamespace } from '../sockets/types.ts';
import { readBoardChange } from './board-feed.ts';
import type { BoardChange } from './board-feed.ts';
import { agentViewer } from './viewer.ts';
import type { BoardNamespace, BoardViewer } from './viewer.ts';
import { Watch } from './watch.ts';

export class Board {
  readonly #deps: Deps;
  readonly #agents: AgentNamespace;
  readonly #namespaces: readonly BoardNamespace[];
  readonly #watches = new Map<number, Watch>();

  constructor(deps: Deps, agents: AgentNamespace, dashboards: DashboardNamespace) {
    this.#deps = deps;
    this.#agents = agents;
    this.#namespaces = [agents, dashboards];
  }

  /** @throws ApiError forbidden */
  async subscribe({ socket, tenantId, maySee }: BoardViewer): Promise<BoardSnapshot> {
    if (!(await maySee())) throw forbidden();
    // A closed socket would stay in the room forever.
    if (!socket.connected) return { calls: [], queues: [], agents: [] };
    await socket.join(boardRoom(tenantId));
    const watch = this.#watches.get(tenantId) ?? this.#open(tenantId);
    const { db, now } = this.#deps;
    const calls = await boardCalls(db, tenantId, undefined, boardNames(this.#deps));
    const queues = await queueCounters(this.#deps, tenantId);
    const agents = await boardAgents(db, tenantId, now());
    watch.shown(calls);
    // Figures have no version: newer ones that were sent before this reply are sent again after it.
    setImmediate(() => watch.resendFigures());
    return { calls, queues, agents };
  }

  async unsubscribe({ socket, tenantId }: BoardViewer): Promise<void> {
    await socket.leave(boardRoom(tenantId));
  }

  /** A change on this node. */
  onChange({ tenantId, callIds }: BoardChange): void {
    this.#watches.get(tenantId)?.changed(callIds);
  }

  /** A notification of a node's feed. The changes of this node were reported to `onChange` when they happened. */
  onNotification(payload: string): void {
    const change = readBoardChange(payload);
    if (change.nodeId !== this.#deps.nodeId) this.onChange(change);
  }

  /** The agent's row changed: the figures may differ, or the agent may no longer see the board. */
  async agentChanged(agentId: number): Promise<void> {
    if (this.#watches.size === 0) return;
    const agent = await this.#deps.db.agent.findUnique({
      where: { id: agentId },
      select: { tenantId: true },
    });
    const watch = agent && this.#watches.get(agent.tenantId);
    if (!watch) return;
    watch.changed([]);
    await this.#removeUnauthorized(watch, agentId);
  }

  /** The queue or its members changed. The tenant of a deleted queue is unknown, so every board is updated. */
  async queueChanged(queueId: number): Promise<void> {
    if (this.#watches.size === 0) return;
    const queue = await this.#deps.db.queue.findUnique({
      where: { id: queueId },
      select: { tenantId: true },
    });
    for (const watch of this.#watches.values()) {
      if (!queue || watch.tenantId === queue.tenantId) watch.changed([]);
    }
  }

  /** Its settings may have changed: `team_view` decides whether agents see the board. */
  async tenantChanged(tenantId: number): Promise<void> {
    const watch = this.#watches.get(tenantId);
    if (watch) await this.#removeUnauthorized(watch, null);
  }

  /** After notifications may have been missed. */
  async refreshAll(): Promise<void> {
    for (const watch of this.#watches.values()) {
      watch.refresh();
      await this.#removeUnauthorized(watch, null);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#watches.values()].map((watch) => watch.stop()));
  }

  #open(tenantId: number): Watch {
    const { db, log, now } = this.#deps;
    const room = boardRoom(tenantId);
    const watch: Watch = new Watch(tenantId, {
      readCalls: (callIds) => boardCalls(db, tenantId, callIds, boardNames(this.#deps)),
      readFigures: async () => ({
        queues: await queueCounters(this.#deps, tenantId),
        agents: await boardAgents(db, tenantId, now()),
      }),
      send: (message, payload) => {
        for (const namespace of this.#namespaces) {
          // The namespaces' types do not accept a generic message name; the options' type enforces the contract.
          const watchers = namespace.local.to(room) as { emit(name: string, payload: unknown): unknown };
          watchers.emit(message, payload);
        }
      },
      isWatched: () => this.#namespaces.some(({ adapter }) => (adapter.rooms.get(room)?.size ?? 0) > 0),
      onClosed: () => {
        if (this.#watches.get(tenantId) === watch) this.#watches.delete(tenantId);
      },
      onError: (error) => log.warn({ err: error, tenantId }, 'failed to read a board; retrying'),
    });
    this.#watches.set(tenantId, watch);
    return watch;
  }

  /** Rechecks the sockets of one agent or (null) of all. Dashboard pages that lose access are disconnected elsewhere. */
  async #removeUnauthorized({ tenantId }: Watch, agentId: number | null): Promise<void> {
    const ids = this.#agents.adapter.rooms.get(boardRoom(tenantId)) ?? new Set<string>();
    for (const id of [...ids]) {
      const socket = this.#agents.sockets.get(id);
      if (!socket || (agentId !== null && socket.data.agentId !== agentId)) continue;
      if (await agentViewer(socket, this.#deps).maySee()) continue;
      await socket.leave(boardRoom(tenantId));
      socket.emit('board:ended', { reason: 'NOT_ALLOWED' });
    }
  }
}

function boardNames({ names }: Deps): BoardNames {
  const all = async <T>(ids: number[], nameOf: (id: number) => Promise<T | null>): Promise<T[]> =>
    (await Promise.all(ids.map((id) => nameOf(id)))).filter((name) => name !== null);
  return {
    agents: (ids) => all(ids, names.agent),
    queues: (ids) => all(ids, names.queue),
    channels: (ids) => all(ids, names.channel),
  };
}

const forbidden = () =>
  new ApiError('forbidden', { message: 'Only supervisors can see the board of this tenant.' });

async function queueCounters({ db }: Deps, tenantId: number): Promise<QueueCounters[]> {
  const queues = await queueFigures(db, tenantId);
  return queues.map(({ longestWaitingSince, ...queue }) => ({
    ...queue,
    longestWaitingSince: longestWaitingSince?.toISOString() ?? null,
  }));
}
