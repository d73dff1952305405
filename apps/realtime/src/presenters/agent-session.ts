/** The complete state for an agent's app, sent on connect and after a resync. */
import { offersOf } from '@clarion/core/call-machine/state';
import { storedTenantSettings, tenantSettingsWithDefaults, unauthorized } from '@clarion/protocol';
import type { Session } from '@clarion/protocol/socket';
import type { CallWithState, Deps } from '../deps.ts';
import { monitorStates } from '../monitoring/monitored-calls.ts';
import type { AgentSocketData } from '../sockets/types.ts';
import { iceServersFor } from './ice-servers.ts';
import { presentAgent } from './present-agent.ts';
import { loadedFrom, presentAgentCall } from './present-call.ts';

/** The agent's current call and its version: what a message may have told the app since the session was read. */
type CallVersion = string;
const callVersionOf = (callId: number | null, call: CallWithState | null): CallVersion =>
  `${callId} ${call?.live?.version}`;

export async function currentCallVersion(
  { agentRows }: Pick<Deps, 'agentRows'>,
  { agentId }: Pick<AgentSocketData, 'agentId'>,
): Promise<CallVersion> {
  const callId = (await agentRows.connectable(agentId))?.currentCallId ?? null;
  return callVersionOf(callId, callId === null ? null : await agentRows.call(callId));
}

/** Reads the agent and their call last, so that a message which the app receives meanwhile is rarely newer. */
export async function buildAgentSession(
  { db, agentRows, names, turn }: Pick<Deps, 'db' | 'agentRows' | 'names' | 'turn'>,
  { agentId, tenantId, consumerId }: Pick<AgentSocketData, 'agentId' | 'tenantId' | 'consumerId'>,
  now: Date,
): Promise<{ session: Session; callVersion: CallVersion }> {
  const [lines, webPushKey] = await Promise.all([
    agentRows.dialLines({ id: agentId, tenantId }),
    agentRows.webPushKey(consumerId),
  ]);
  const agent = await agentRows.agent(agentId);
  if (!agent) throw unauthorized('The agent has been deleted.');
  const monitors = agent.role === 'SUPERVISOR' ? await monitorStates(db, tenantId, { agentId }) : [];
  // The agent's current call: it rings them, or they have it. Intents that no app has started are not shown.
  const row = agent.currentCallId === null ? null : await agentRows.call(agent.currentCallId);
  const current = row && (await loadedFrom(names, row));
  const offer = current?.state ? offersOf(current.state).find((made) => made.agentId === agentId) : undefined;
  const settings = tenantSettingsWithDefaults(storedTenantSettings.parse(agent.tenant.settings));
  const session: Session = {
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
    lines,
    iceServers: iceServersFor(turn, agentId, now),
    serverTime: now.toISOString(),
    monitors,
    webPushKey,
  };
  return { session, callVersion: callVersionOf(agent.currentCallId, row) };
}
