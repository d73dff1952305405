/**
 * Which agents are connected: one row per socket. The last socket's going starts the grace of the agent's call, the first one's
 * coming ends it.
 */
import { unauthorized } from '@clarion/protocol';
import type { AgentNamespace, AgentSocket, Deps } from '../deps.ts';
import { repeated } from '../engine/repeated.ts';
import type { Engine } from '../engine/runner.ts';
import type { Monitoring } from './monitoring.ts';
import { sendSession } from './session.ts';

export class Presence {
  readonly #deps: Deps;
  readonly #engine: Engine;
  readonly #agents: AgentNamespace;
  readonly #monitoring: Monitoring;
  /** Sockets that are gone, since when, until that is noted. */
  readonly #leaving = new Map<AgentSocket, Date>();

  constructor(deps: Deps, engine: Engine, agents: AgentNamespace, monitoring: Monitoring) {
    this.#deps = deps;
    this.#engine = engine;
    this.#agents = agents;
    this.#monitoring = monitoring;
  }

  async arrive(socket: AgentSocket): Promise<void> {
    const { db } = this.#deps;
    const { agentId, signingKeyId } = socket.data;
    await db.agentConnection.create({ data: this.#rowOf(socket) });
    this.#showOnBoard(socket.data.tenantId);
    // The socket may be gone again before its row was there: its leaving found nothing to remove.
    if (!socket.connected) return this.leave(socket);
    await this.#assertStillAllowed(agentId, signingKeyId);
    await this.#back(agentId);
    await sendSession(this.#deps, socket);
    await this.#engine.dispatchForAgent(agentId);
  }

  /** Messages to agents on this node may have been lost: each of their apps is told how things stand. */
  async tellAll(): Promise<void> {
    for (const socket of [...this.#agents.sockets.values()]) {
      const { agentId } = socket.data;
      await repeated(() => sendSession(this.#deps, socket)).catch((error: unknown) =>
        this.#deps.log.warn({ err: error, agentId }, "failed to send an update to an agent's app"),
      );
    }
  }

  /** A deletion, suspension or revocation between the handshake and now was told to nobody: the socket was not there yet. */
  async #assertStillAllowed(id: number, signingKeyId: number): Promise<void> {
    const consumer = {
      status: 'ACTIVE',
      signingKeys: { some: { id: signingKeyId, revokedAt: null } },
    } as const;
    const allowed = await this.#deps.db.agent.count({
      where: { id, deletedAt: null, tenant: { status: 'ACTIVE', consumer } },
    });
    if (allowed === 0) throw unauthorized('The agent is no longer allowed to connect.');
  }

  async leave(socket: AgentSocket): Promise<void> {
    const { agentId, deviceId } = socket.data;
    const since = this.#leaving.get(socket) ?? this.#deps.now();
    this.#leaving.set(socket, since);
    await this.#deps.db.agentConnection.deleteMany({ where: { socketId: socket.id } });
    await this.socketGone(agentId, deviceId, since);
    this.#leaving.delete(socket);
  }

  /** What the database did not take: a row that stayed would say for ever that the agent is there, and queues would ring nobody. */
  async leaveAgain(): Promise<void> {
    for (const socket of [...this.#leaving.keys()]) {
      await this.leave(socket).catch((error: unknown) => {
        const { agentId } = socket.data;
        this.#deps.log.warn(
          { err: error, agentId },
          'failed to record a disconnected agent socket, will retry',
        );
      });
    }
  }

  /** The row of a socket of this device is gone. */
  async socketGone(agentId: number, deviceId: string, since?: Date): Promise<void> {
    const { db } = this.#deps;
    await this.goneIfUnconnected(agentId, since);
    const agent = await db.agent.findUnique({
      where: { id: agentId },
      select: { tenantId: true, role: true },
    });
    if (!agent) return;
    this.#showOnBoard(agent.tenantId);
    if (agent.role === 'SUPERVISOR') await this.#monitoring.socketGone(agent.tenantId, agentId, deviceId);
  }

  /** Starts the grace of an agent who has no socket left anywhere. */
  async goneIfUnconnected(agentId: number, since?: Date): Promise<void> {
    if (await this.#isConnected(agentId)) return;
    const callId = await this.#callOf(agentId);
    if (callId === null) return;
    await this.#engine.step(callId, { type: 'agent-gone', agentId }, since);
    // A socket that came in between found nobody gone.
    if (await this.#isConnected(agentId)) await this.#engine.step(callId, { type: 'agent-back', agentId });
  }

  /** Writes this node's rows again, after others took it for dead. */
  async reassert(): Promise<void> {
    const sockets = [...this.#agents.sockets.values()];
    await this.#deps.db.agentConnection.createMany({
      data: sockets.filter((socket) => socket.connected).map((socket) => this.#rowOf(socket)),
      skipDuplicates: true,
    });
    for (const agentId of new Set(sockets.map((socket) => socket.data.agentId))) await this.#back(agentId);
  }

  #showOnBoard(tenantId: number): void {
    this.#deps.boardFeed.changed(tenantId).catch((error: unknown) => {
      // The figures are read again in a few seconds.
      this.#deps.log.warn({ err: error, tenantId }, "failed to publish an agent's connection to the board");
    });
  }

  async #back(agentId: number): Promise<void> {
    const callId = await this.#callOf(agentId);
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
