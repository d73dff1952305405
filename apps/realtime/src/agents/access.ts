/**
 * Rechecks agents' access when the API notifies of a change: disconnects deleted agents and those of suspended tenants, suspended
 * accounts and revoked signing keys, and ends monitoring and board subscriptions that are no longer allowed.
 */
import { ApiError, unauthorized } from '@clarion/protocol';
import type { Board } from '../board/board.ts';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { emitAgentUpdated } from '../notify/notify-agent.ts';
import { dismiss } from '../sockets/dismiss.ts';
import type { AgentNamespace, AgentSocket } from '../sockets/types.ts';

const KEY_REVOKED = unauthorized('The token is not signed with a valid key of this account.');

export class AgentAccess {
  readonly #deps: Deps;
  readonly #engine: CallEngine;
  readonly #agents: AgentNamespace;
  readonly #monitoring: Monitoring;
  readonly #board: Board;

  constructor(
    deps: Deps,
    engine: CallEngine,
    agents: AgentNamespace,
    { monitoring, board }: { monitoring: Monitoring; board: Board },
  ) {
    this.#deps = deps;
    this.#engine = engine;
    this.#agents = agents;
    this.#monitoring = monitoring;
    this.#board = board;
  }

  /** The agent's row changed: deleted, renamed, another role, do not disturb. */
  async agentChanged(agentId: number): Promise<void> {
    await this.#board.agentChanged(agentId);
    await this.#monitoring.agentChanged(agentId);
    const agent = await this.#deps.db.agent.findUnique({ where: { id: agentId } });
    if (agent && !agent.deletedAt) {
      emitAgentUpdated(this.#agents, agent);
      await this.#engine.dispatchForAgent(agentId);
      return;
    }
    this.#dismissAll(
      (socket) => socket.data.agentId === agentId,
      unauthorized('The agent has been deleted.'),
    );
    if (agent && agent.currentCallId !== null) {
      await this.#engine.step(agent.currentCallId, { type: 'agent-removed', agentId });
    }
  }

  async tenantChanged(tenantId: number): Promise<void> {
    const tenant = await this.#deps.db.tenant.findUnique({
      where: { id: tenantId },
      select: { status: true },
    });
    await this.#board.tenantChanged(tenantId);
    await this.#monitoring.tenantChanged(tenantId);
    if (tenant?.status === 'ACTIVE') return;
    this.#dismissAll((socket) => socket.data.tenantId === tenantId, new ApiError('tenant_suspended'));
  }

  async consumerChanged(consumerId: number): Promise<void> {
    const consumer = await this.#deps.db.consumer.findUnique({
      where: { id: consumerId },
      select: { status: true },
    });
    if (consumer?.status === 'ACTIVE') return;
    this.#dismissAll((socket) => socket.data.consumerId === consumerId, new ApiError('consumer_suspended'));
  }

  /** A revoked key may have leaked: anyone may hold a token that it signed. */
  async signingKeyChanged(signingKeyId: number): Promise<void> {
    const active = await this.#deps.db.signingKey.count({ where: { id: signingKeyId, revokedAt: null } });
    if (active > 0) return;
    this.#dismissAll((socket) => socket.data.signingKeyId === signingKeyId, KEY_REVOKED);
  }

  /** After notifications may have been missed: checks every agent who is connected here. */
  async checkAll(): Promise<void> {
    const sockets = [...this.#agents.sockets.values()];
    const agentIds = [...new Set(sockets.map((socket) => socket.data.agentId))];
    const removed = await this.#deps.db.agent.findMany({
      where: {
        id: { in: agentIds },
        OR: [
          { deletedAt: { not: null } },
          { tenant: { status: 'SUSPENDED' } },
          { tenant: { consumer: { status: 'SUSPENDED' } } },
        ],
      },
      select: { id: true, tenantId: true, tenant: { select: { consumerId: true } } },
    });
    for (const { id, tenantId, tenant } of removed) {
      await this.agentChanged(id);
      await this.tenantChanged(tenantId);
      await this.consumerChanged(tenant.consumerId);
    }
    await this.#monitoring.checkAll();
    await this.#board.refreshAll();
    for (const id of new Set(sockets.map((socket) => socket.data.signingKeyId)))
      await this.signingKeyChanged(id);
  }

  #dismissAll(which: (socket: AgentSocket) => boolean, error: ApiError): void {
    for (const socket of this.#agents.sockets.values()) if (which(socket)) dismiss(socket, error);
  }
}
