/** The complete state for an agent's app, sent on connect and after a resync. */
import { offersOf } from '@clarion/core/call-machine/state';
import { webPushKeyOf } from '@clarion/core/push/push-credentials';
import type { Agent, Tx } from '@clarion/db';
import { storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { DialLine, Session } from '@clarion/protocol/socket';
import type { Deps } from '../deps.ts';
import { monitorStates } from '../monitoring/monitored-calls.ts';
import { iceServersFor } from './ice-servers.ts';
import { presentAgent } from './present-agent.ts';
import { loadCall, presentAgentCall } from './present-call.ts';

export async function buildAgentSession(
  { db, names, turn }: Pick<Deps, 'db' | 'names' | 'turn'>,
  agentId: number,
  now: Date,
): Promise<Session> {
  const agent = await db.agent.findUniqueOrThrow({
    where: { id: agentId },
    include: {
      tenant: { select: { ref: true, name: true, settings: true, consumerId: true } },
      memberships: { select: { queue: { select: { id: true, ref: true, name: true, strategy: true } } } },
    },
  });
  // The agent's current call: it rings them, or they have it. Intents that no app has started are not shown.
  const current = agent.currentCallId === null ? null : await loadCall({ db, names }, agent.currentCallId);
  const offer = current?.state ? offersOf(current.state).find((made) => made.agentId === agentId) : undefined;
  const settings = tenantSettingsWithDefaults(storedTenantSettings.parse(agent.tenant.settings));
  return {
    agent: presentAgent(agent),
    tenant: {
      ref: agent.tenant.ref,
      name: agent.tenant.name,
      teamView: settings.teamView,
      monitoringModes: settings.monitoring.modes,
    },
    calls: current?.state ? [presentAgentCall(current, now, agentId)] : [],
    expiries: current && offer ? { [current.call.id]: new Date(offer.expiresAt).toISOString() } : {},
    queues: agent.memberships.map(({ queue }) => queue),
    lines: await dialLinesOf(db, agent),
    iceServers: iceServersFor(turn, agentId, now),
    serverTime: now.toISOString(),
    monitors: agent.role === 'SUPERVISOR' ? await monitorStates(db, agent.tenantId, { agentId }) : [],
    webPushKey: await webPushKeyOf(db, agent.tenant.consumerId),
  };
}

/** The lines that outbound calls may use: active lines of the tenant that can place calls, shared or owned by this agent. */
async function dialLinesOf(db: Tx, agent: Agent): Promise<DialLine[]> {
  const lines = await db.channel.findMany({
    where: {
      tenantId: agent.tenantId,
      status: 'ACTIVE',
      AND: [
        {
          OR: [
            { type: 'SIP', sipTrunkId: { not: null } },
            { type: 'WHATSAPP', credentialsSealed: { not: null } },
          ],
        },
        { OR: [{ ownerAgentId: null }, { ownerAgentId: agent.id }] },
      ],
    },
    orderBy: { id: 'asc' },
    select: { ref: true, type: true, address: true, displayName: true, ownerAgentId: true },
  });
  return lines.map(({ ownerAgentId, ...line }) => ({ ...line, personal: ownerAgentId !== null }));
}
