/**
 * Which agents are connected: one row per socket. When an agent's last socket closes, the grace period of their call starts; the next
 * socket ends it.
 */
import { unauthorized } from '@clarion/protocol';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { withRetries } from '../lib/retry.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { sendSession } from '../notify/send-session.ts';
import type { AgentNamespace, AgentSocket } from '../sockets/types.ts';

export class Presence {
  readonly #deps: Deps;
  readonly #engine: CallEngine;
  readonly #agents: AgentNamespace;
  readonly #monitoring: Monitoring;
  /** Closed sockets and when they closed, until that is recorded. */
  readonly #leaving = new Map<AgentSocket, Date>();
  /** Agents whose grace period is to end, because this node was declared dead although it lives. */
  readonly #returning = new Set<number>();

  constructor(deps: Deps, engine: CallEngine, agents: AgentNamespace, monitoring: Monitoring) {
    this.#deps = deps;
    this.#engine = engine;
    this.#agents = agents;
    this.#monitoring = monitoring;
  }

  async arrive(socket: AgentSocket): Promise<void> {
    const { db } = this.#deps;
    const { agentId, signingKeyId } = socket.data;
    await db.agentConnection.create({ data: this.#rowOf(socket) });
    this.#notifyBoard(socket.data.tenantId);
    // The socket may have closed before its row existed: `leave` found nothing to delete.
    if (!socket.connected) return this.leave(socket);
    await this.#endGrace(agentId, await this.#callOfAllowed(agentId, signingKeyId));
    await this.#sendSession(socket);
    // The app has all that it needs. What waits for its agent is offered when the database responds again.
    await withRetries(() => this.#engine.dispatchForAgent(agentId)).catch((error: unknown) =>
      this.#deps.log.warn({ err: error, agentId }, 'failed to offer what waits for an agent'),
    );
  }

  /** Messages to agents on this node may have been lost: sends every app its current state. */
  async resendAllSessions(): Promise<void> {
    for (const socket of [...this.#agents.sockets.values()]) {
      const { agentId } = socket.data;
      await this.#sendSession(socket).catch((error: unknown) =>
        this.#deps.log.warn({ err: error, agentId }, 'failed to send an app its current state'),
      );
    }
  }

  /** A session whose check for a newer state fails is followed by another one when the database responds again. */
  #sendSession(socket: AgentSocket): Promise<void> {
    return withRetries(() => sendSession(this.#deps, socket));
  }

  /** Notifications of a deletion, suspension or revocation since the handshake did not reach this socket. */
  async #callOfAllowed(agentId: number, signingKeyId: number): Promise<number | null> {
    const agent = await this.#deps.agentRows.connectable(agentId);
    if (!agent?.signingKeyIds.includes(signingKeyId))
      throw unauthorized('The agent is no longer allowed to connect.');
    return agent.currentCallId;
  }

  async leave(socket: AgentSocket): Promise<void> {
    const { agentId, deviceId } = socket.data;
    const since = this.#leaving.get(socket) ?? this.#deps.now();
    this.#leaving.set(socket, since);
    await this.#deps.db.agentConnection.deleteMany({ where: { socketId: socket.id } });
    await this.socketClosed(agentId, deviceId, since);
    this.#leaving.delete(socket);
  }

  /** Retries what the database did not accept: with a stale row queues would keep ringing an absent agent. */
  async retryLeaving(): Promise<void> {
    for (const socket of [...this.#leaving.keys()]) {
      await this.leave(socket).catch((error: unknown) => {
        const { agentId } = socket.data;
        this.#deps.log.warn({ err: error, agentId }, 'failed to record a closed socket; retrying');
      });
    }
  }

  /** The row of a socket of this device was deleted. */
  async socketClosed(agentId: number, deviceId: string, since?: Date): Promise<void> {
    const { db } = this.#deps;
    await this.startGraceIfDisconnected(agentId, since);
    const agent = await db.agent.findUnique({
      where: { id: agentId },
      select: { tenantId: true, role: true },
    });
    if (!agent) return;
    this.#notifyBoard(agent.tenantId);
    if (agent.role === 'SUPERVISOR') await this.#monitoring.socketClosed(agent.tenantId, agentId, deviceId);
  }

  /** Starts the grace period of an agent who has no socket on any node. */
  async startGraceIfDisconnected(agentId: number, since?: Date): Promise<void> {
    if (await this.#isConnected(agentId)) return;
    const callId = await this.#callOf(agentId);
    if (callId === null) return;
    await this.#engine.step(callId, { type: 'agent-gone', agentId }, since);
    // A socket that connected in between found no grace period to end.
    if (await this.#isConnected(agentId)) await this.#engine.step(callId, { type: 'agent-back', agentId });
  }

  /** Writes this node's rows again after other nodes declared it dead. `endGracePeriods` does the rest. */
  async reassert(): Promise<void> {
    const connected = [...this.#agents.sockets.values()].filter((socket) => socket.connected);
    await this.#deps.db.agentConnection.createMany({
      data: connected.map((socket) => this.#rowOf(socket)),
      skipDuplicates: true,
    });
    for (const socket of connected) this.#returning.add(socket.data.agentId);
    // A socket that closed meanwhile may have deleted its row before it was written.
    for (const socket of connected) if (!socket.connected) await this.leave(socket);
  }

  /** Ends the grace periods that began when this node was declared dead, and repeats what failed. */
  async endGracePeriods(): Promise<void> {
    for (const agentId of [...this.#returning]) {
      this.#returning.delete(agentId); // first: `reassert` may add it again meanwhile
      await this.#endGraceIfConnected(agentId).catch((error: unknown) => {
        this.#returning.add(agentId);
        this.#deps.log.warn({ err: error, agentId }, 'failed to end the grace period of an agent; retrying');
      });
    }
  }

  #notifyBoard(tenantId: number): void {
    this.#deps.boardFeed.changed(tenantId).catch((error: unknown) => {
      // The figures are read again in a few seconds.
      this.#deps.log.warn({ err: error, tenantId }, 'failed to notify a board of a socket');
    });
  }

  async #endGraceIfConnected(agentId: number): Promise<void> {
    if (!(await this.#isConnected(agentId))) return;
    await this.#endGrace(agentId, await this.#callOf(agentId));
    // The last socket may have closed in between.
    await this.startGraceIfDisconnected(agentId);
  }

  async #endGrace(agentId: number, callId: number | null): Promise<void> {
    if (callId !== null) await this.#engine.step(callId, { type: 'agent-back', agentId });
  }

  async #isConnected(agentId: number): Promise<boolean> {
    return (await this.#deps.db.agentConnection.count({ where: { agentId } })) > 0;
  }

  async #callOf(agentId: number): Promise<number | null> {
    const agent = await this.#deps.db.agent.findUnique({
      where: { id: agentId },
      select: { currentCallId: true },
    });
    return agent?.currentCallId ?? null;
  }

  #rowOf(socket: AgentSocket) {
    const { agentId, deviceId } = socket.data;
    return { socketId: socket.id, agentId, deviceId, nodeId: this.#deps.nodeId };
  }
}
