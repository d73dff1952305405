/**
 * Who listens to what, and when they may or can no longer: a device without a socket, a supervisor who is none any more, a
 * tenant that allows other modes. Said to each call; asking twice changes nothing.
 */
import { parseState } from '@clarion/core/call/engine/stored';
import type { Monitor } from '@clarion/core/call/state';
import { Prisma } from '@clarion/db';
import type { Tx } from '@clarion/db';
import { storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { Deps } from '../deps.ts';
import type { Engine } from '../engine/runner.ts';

export interface Monitored {
  callId: number;
  monitor: Monitor;
}

/** Live calls of the tenant that this agent monitors, on one device or on any. */
export async function monitoredBy(
  db: Tx,
  tenantId: number,
  who: { agentId: number; deviceId?: string },
): Promise<Monitored[]> {
  const rows = await db.liveCall.findMany({
    where: { tenantId, state: { path: ['monitors'], array_contains: [who] } },
    select: { callId: true, state: true },
  });
  return rows.flatMap(({ callId, state }) =>
    monitorsIn(state)
      .filter(
        ({ agentId, deviceId }) =>
          agentId === who.agentId && (who.deviceId === undefined || deviceId === who.deviceId),
      )
      .map((monitor) => ({ callId, monitor })),
  );
}

function monitorsIn(json: unknown): Monitor[] {
  const state = parseState(json);
  return state.phase === 'talking' ? state.monitors : [];
}

export class Monitoring {
  readonly #deps: Deps;
  readonly #engine: Engine;

  constructor(deps: Deps, engine: Engine) {
    this.#deps = deps;
    this.#engine = engine;
  }

  /** A socket of this device went. Another one may be there: a socket is replaced before its token runs out. */
  async socketGone(tenantId: number, agentId: number, deviceId: string): Promise<void> {
    const { db } = this.#deps;
    if ((await db.agentConnection.count({ where: { agentId, deviceId } })) > 0) return;
    for (const { callId, monitor } of await monitoredBy(db, tenantId, { agentId, deviceId })) {
      await this.#engine.step(callId, { type: 'monitor-stop', legId: monitor.legId });
    }
  }

  /** A deleted agent listens to nothing, nor does one who is no supervisor. */
  async agentChanged(agentId: number): Promise<void> {
    const { db } = this.#deps;
    const agent = await db.agent.findUnique({
      where: { id: agentId },
      select: { tenantId: true, role: true, deletedAt: true },
    });
    if (!agent || (agent.role === 'SUPERVISOR' && !agent.deletedAt)) return;
    for (const { callId, monitor } of await monitoredBy(db, agent.tenantId, { agentId })) {
      await this.#engine.step(callId, {
        type: 'monitor-stop',
        legId: monitor.legId,
        reason: 'NOT_ALLOWED',
      });
    }
  }

  async tenantChanged(tenantId: number): Promise<void> {
    const { db } = this.#deps;
    const tenant = await db.tenant.findUnique({ where: { id: tenantId }, select: { settings: true } });
    if (!tenant) return;
    const settings = tenantSettingsWithDefaults(storedTenantSettings.parse(tenant.settings));
    for (const { callId } of await this.#monitoredCalls(Prisma.sql`"tenantId" = ${tenantId}`)) {
      await this.#engine.step(callId, { type: 'monitor-modes', allowed: settings.monitoring.modes });
    }
  }

  /** After notifications may have been missed. */
  async checkAll(): Promise<void> {
    const monitored = await this.#monitoredCalls(Prisma.sql`true`);
    for (const tenantId of new Set(monitored.map((call) => call.tenantId)))
      await this.tenantChanged(tenantId);
    const agentIds = monitored.flatMap(({ state }) => monitorsIn(state).map(({ agentId }) => agentId));
    for (const agentId of new Set(agentIds)) if (agentId !== null) await this.agentChanged(agentId);
  }

  /** Few calls are monitored at a time. */
  #monitoredCalls(which: Prisma.Sql): Promise<{ callId: number; tenantId: number; state: unknown }[]> {
    return this.#deps.db.$queryRaw`
      select "callId", "tenantId", "state" from "LiveCall"
      where ${which} and jsonb_array_length("state" -> 'monitors') > 0`;
  }
}
