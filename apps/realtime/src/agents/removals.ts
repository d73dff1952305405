/**
 * Acts on what the API changed, which it says by NOTIFY: sends away those who may no longer be here (deleted agents, suspended
 * tenants and accounts, revoked signing keys), and ends what they may no longer listen to or see.
 */
import { ApiError, unauthorized } from '@clarion/protocol';
import { dismiss } from '../auth.ts';
import type { AgentNamespace, AgentSocket, Deps } from '../deps.ts';
import type { Board } from '../board/board.ts';
import type { Engine } from '../engine/runner.ts';
import type { Monitoring } from './monitoring.ts';
import { tellAgent } from './tell.ts';

const KEY_REVOKED = unauthorized('The token is not signed with a valid key of this account.');

export class Removals {
  readonly #deps: Deps;
  readonly #engine: Engine;
  readonly #agents: AgentNamespace;
  readonly #monitoring: Monitoring;
  readonly #board: Board;

  constructor(
    deps: Deps,
    engine: Engine,
    agents: AgentNamespace,
    { monitoring, board }: { monitoring: Monitoring; board: Board },
  ) {
    this.#deps = deps;
    this.#engine = engine;
    this.#agents = agents;
    this.#monitoring = monitoring;
    this.#board = board;
  }

  /** The agent's row changed: deleted, renamed, another role, do-not-disturb. */
  async agentChanged(agentId: number): Promise<void> {
    await this.#board.agentChanged(agentId);
    await this.#monitoring.agentChanged(agentId);
    const agent = await this.#deps.db.agent.findUnique({ where: { id: agentId } });
    if (agent && !agent.deletedAt) {
      await tellAgent(this.#deps.db, this.#agents, agentId);
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

  /** A revoked key may have leaked: whoever came with a token of it is somebody else, perhaps. */
  async signingKeyChanged(signingKeyId: number): Promise<void> {
    const active = await this.#deps.db.signingKey.count({ where: { id: signingKeyId, revokedAt: null } });
    if (active > 0) return;
    this.#dismissAll((socket) => socket.data.signingKeyId === signingKeyId, KEY_REVOKED);
  }

  /** After notifications may have been missed: looks at everyone who is connected here. */
  async checkAll(): Promise<void> {
    const sockets = [...this.#agents.sockets.values()];
    const agentIds = [...new Set(sockets.map((socket) => socket.data.agentId))];
    const gone = await this.#deps.db.agent.findMany({
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
    for (const { id, tenantId, tenant } of gone) {
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
