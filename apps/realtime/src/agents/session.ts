/** The whole truth for one agent's app, on connect and after a resync. */
import { offersOf } from '@clarion/core/call-machine/state';
import type { Agent, Tx } from '@clarion/db';
import { storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { AgentState, DialLine, Session } from '@clarion/protocol/socket';
import type { AgentSocket, Deps } from '../deps.ts';
import { iceServersFor } from './ice-servers.ts';
import { monitorStates } from './monitoring.ts';
import { loadCall, presentAgentCall } from './present-call.ts';

export function presentAgent(agent: Agent): AgentState {
  return {
    agentId: agent.id,
    agentRef: agent.ref,
    name: agent.name,
    role: agent.role,
    availability: agent.currentCallId !== null && agent.onCall ? 'ON_CALL' : agent.shift,
    shift: agent.shift,
    doNotDisturb: agent.doNotDisturb,
    wrapUpUntil: agent.wrapUpUntil?.toISOString() ?? null,
  };
}

/** Tells an app how things stand. */
export async function sendSession(deps: Deps, socket: AgentSocket): Promise<void> {
  socket.emit('session', await buildSession(deps, socket.data.agentId, deps.now()));
}

export async function buildSession(
  { db, turn }: Pick<Deps, 'db' | 'turn'>,
  agentId: number,
  now: Date,
): Promise<Session> {
  const agent = await db.agent.findUniqueOrThrow({
    where: { id: agentId },
    include: {
      tenant: { select: { ref: true, name: true, settings: true } },
      memberships: { select: { queue: { select: { id: true, ref: true, name: true, strategy: true } } } },
    },
  });
  // The one call that holds the agent: it rings here, or it is theirs. Intents that nobody started are not shown.
  const held = agent.currentCallId === null ? null : await loadCall(db, agent.currentCallId);
  const offer = held?.state ? offersOf(held.state).find((made) => made.agentId === agentId) : undefined;
  const settings = tenantSettingsWithDefaults(storedTenantSettings.parse(agent.tenant.settings));
  return {
    agent: presentAgent(agent),
    tenant: {
      ref: agent.tenant.ref,
      name: agent.tenant.name,
      teamView: settings.teamView,
      monitoringModes: settings.monitoring.modes,
    },
    calls: held?.state ? [presentAgentCall(held, now, agentId)] : [],
    expiries: held && offer ? { [held.call.id]: new Date(offer.expiresAt).toISOString() } : {},
    queues: agent.memberships.map(({ queue }) => queue),
    lines: await dialLinesOf(db, agent),
    iceServers: iceServersFor(turn, agentId, now),
    serverTime: now.toISOString(),
    monitors: agent.role === 'SUPERVISOR' ? await monitorStates(db, agent.tenantId, { agentId }) : [],
  };
}

/** As outbound creation judges it: active SIP lines of the tenant, shared or this agent's own. */
async function dialLinesOf(db: Tx, agent: Agent): Promise<DialLine[]> {
  const lines = await db.channel.findMany({
    where: {
      tenantId: agent.tenantId,
      type: 'SIP',
      status: 'ACTIVE',
      sipTrunkId: { not: null },
      OR: [{ ownerAgentId: null }, { ownerAgentId: agent.id }],
    },
    orderBy: { id: 'asc' },
    select: { ref: true, address: true, displayName: true, ownerAgentId: true },
  });
  return lines.map(({ ownerAgentId, ...line }) => ({ ...line, personal: ownerAgentId !== null }));
}
