/**
 * Ends monitoring that is no longer possible or allowed: a device lost its socket, an agent is no longer a supervisor, or a tenant
 * changed its modes. Each call receives an event; all methods are idempotent.
 */
import { speaks } from '@clarion/core/call-machine/direct-path';
import { Prisma } from '@clarion/db';
import { ApiError, storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import { watcherOf } from '@clarion/core/realtime-ticket/watcher';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { callsMonitoredBy, monitorsIn } from './monitored-calls.ts';
import type { MonitorOwner } from './monitored-calls.ts';

export class Monitoring {
  readonly #deps: Deps;
  readonly #engine: CallEngine;

  constructor(deps: Deps, engine: CallEngine) {
    this.#deps = deps;
    this.#engine = engine;
  }

  /** A socket of this device closed. Another one may be open: an app replaces its socket before the token expires. */
  async socketClosed(tenantId: number, agentId: number, deviceId: string): Promise<void> {
    const { db } = this.#deps;
    if ((await db.agentConnection.count({ where: { agentId, deviceId } })) > 0) return;
    await this.stopAll(tenantId, { agentId, deviceId });
  }

  /** Ends all monitoring of an owner who disconnected or (`reason`) lost access. */
  async stopAll(tenantId: number | null, owner: MonitorOwner, reason?: 'NOT_ALLOWED'): Promise<void> {
    for (const { callId, monitor } of await callsMonitoredBy(this.#deps.db, tenantId, owner)) {
      const { legId } = monitor;
      await this.#engine.step(callId, { type: 'monitor-stop', legId, ...(reason && { reason }) });
    }
  }

  /** Ends the session's monitoring in tenants that it may no longer watch. */
  async sessionChanged(sessionId: number): Promise<void> {
    const { db, now } = this.#deps;
    const calls = await callsMonitoredBy(db, null, { sessionId });
    if (calls.length === 0) return;
    const rows = await db.liveCall.findMany({
      where: { callId: { in: calls.map(({ callId }) => callId) } },
      select: { tenantId: true },
    });
    for (const tenantId of new Set(rows.map((row) => row.tenantId))) {
      const mayWatch = await watcherOf(db, { sessionId, tenantId }, now()).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ApiError) return false;
          throw error;
        },
      );
      if (!mayWatch) await this.stopAll(tenantId, { sessionId }, 'NOT_ALLOWED');
    }
  }

  /** Ends the monitoring of an agent who was deleted or is no longer a supervisor. */
  async agentChanged(agentId: number): Promise<void> {
    const { db } = this.#deps;
    const agent = await db.agent.findUnique({
      where: { id: agentId },
      select: { tenantId: true, role: true, deletedAt: true },
    });
    if (!agent || (agent.role === 'SUPERVISOR' && !agent.deletedAt)) return;
    await this.stopAll(agent.tenantId, { agentId }, 'NOT_ALLOWED');
  }

  async tenantChanged(tenantId: number): Promise<void> {
    const { db } = this.#deps;
    const tenant = await db.tenant.findUnique({ where: { id: tenantId }, select: { settings: true } });
    if (!tenant) return;
    const settings = tenantSettingsWithDefaults(storedTenantSettings.parse(tenant.settings));
    const { modes } = settings.monitoring;
    const calls = await this.#monitoredCalls(Prisma.sql`"tenantId" = ${tenantId}`);
    const callIds = new Set(calls.map(({ callId }) => callId));
    if (speaks(modes)) for (const { callId } of await this.#onDirectPath({ tenantId })) callIds.add(callId);
    for (const callId of callIds) await this.#engine.step(callId, { type: 'monitor-modes', allowed: modes });
  }

  #onDirectPath(of: Prisma.LiveCallWhereInput): Promise<{ callId: number; tenantId: number }[]> {
    return this.#deps.db.liveCall.findMany({
      where: { ...of, state: { path: ['mediaPath'], equals: 'DIRECT' } },
      select: { callId: true, tenantId: true },
    });
  }

  /** After notifications may have been missed. */
  async checkAll(): Promise<void> {
    const monitored = await this.#monitoredCalls(Prisma.sql`true`);
    const direct = await this.#onDirectPath({});
    for (const tenantId of new Set([...monitored, ...direct].map((call) => call.tenantId)))
      await this.tenantChanged(tenantId);
    const monitors = monitored.flatMap(({ state }) => monitorsIn(state));
    for (const agentId of new Set(monitors.map((one) => one.agentId)))
      if (agentId !== null) await this.agentChanged(agentId);
    for (const sessionId of new Set(monitors.map((one) => one.sessionId)))
      if (sessionId !== undefined) await this.sessionChanged(sessionId);
  }

  /** Few calls are monitored at a time. */
  #monitoredCalls(which: Prisma.Sql): Promise<{ callId: number; tenantId: number; state: unknown }[]> {
    return this.#deps.db.$queryRaw`
      select "callId", "tenantId", "state" from "LiveCall"
      where ${which} and jsonb_array_length("state" -> 'monitors') > 0`;
  }
}
