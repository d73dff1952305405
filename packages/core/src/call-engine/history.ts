/** What a step's history effects commit: the call's row, its log, the rows around it, agents and events. Pure but for random IDs. */
import { randomUUID } from 'node:crypto';
import { recordingKey } from '@clarion/store/file-key';
import type { Call } from '@clarion/db';
import { isOutside } from '../call-machine/effects.ts';
import type { Effect, HistoryEffect } from '../call-machine/effects.ts';
import type { Step } from '../call-machine/machine.ts';
import { mediaNodeOf, waitOf } from '../call-machine/state.ts';
import type { CallState } from '../call-machine/state.ts';
import type { OverflowHop } from '../queue-routing/overflow-hop.ts';
import type { LoadedAgent, LoadedTenant } from '../call-store/loaded.ts';
import type { HistoryEntry, LifecycleEntry, StepDocument } from '../call-store/step-document.ts';
import { usageOfCall } from '../rating/call-pricing.ts';
import { eventToRecord } from '../event/record-event.ts';
import type { EventToRecord } from '../event/record-event.ts';
import { changeAgents } from './history/agents.ts';
import type { AgentChanges } from './history/agents.ts';
import { changeCallRow } from './history/call-row.ts';
import { entryOf } from './history/entries.ts';

export { AgentTaken } from './history/agents.ts';

/** What the step begins from. */
export interface HistoryBase {
  call: Call;
  tenant: LoadedTenant;
  agents: LoadedAgent[];
  /** The state before the step; null: the step begins the call, or the state could not be read. */
  previous: CallState | null;
}

export interface History extends Pick<
  StepDocument,
  | 'patch'
  | 'previousEventSequence'
  | 'eventSequence'
  | 'history'
  | 'lifecycle'
  | 'agents'
  | 'events'
  | 'ended'
  | 'usage'
> {
  /** The call's row after the step, and those of the agents whom it changed. */
  call: Call;
  agentsAfter: LoadedAgent[];
}

/** @throws AgentTaken */
export function historyOf(base: HistoryBase, { state, effects }: Step, now: Date): History {
  const own = effects.filter((effect): effect is HistoryEffect => !isOutside(effect));
  const agents = new Map(base.agents.map((agent) => [agent.id, agent]));
  const refOfAgent = (agentId: number): string => {
    const agent = agents.get(agentId);
    if (!agent) throw new Error(`the step of call ${base.call.id} did not load agent ${agentId}`);
    return agent.ref;
  };
  const refOfQueue = (queueId: number) => refAmong([state, base.previous], queueId);
  const about = changeCallRow(base.call, own, { tenant: base.tenant, now, refOfAgent, refOfQueue });
  const changes = changeAgents(base.call.id, own.filter(isOfAgent), agents, base.tenant, now);
  const entries = entriesOf(base.call, own, state, refOfAgent);
  const ended = own.some((effect) => effect.kind === 'patch' && effect.patch.endedAt !== undefined);
  return {
    call: about.call,
    agentsAfter: changes.after,
    previousEventSequence: base.call.eventSequence,
    eventSequence: about.call.eventSequence,
    ...(about.patch && { patch: about.patch }),
    ...(entries.length > 0 && { history: entries }),
    lifecycle: own.flatMap(lifecycleOf),
    ...(changes.rows.length > 0 && { agents: changes.rows }),
    events: [...eventsOf(base, changes, now), ...about.events],
    ...(ended && { ended: true, ...usageOf(base.previous, own, about.call, now) }),
  };
}

const MS_PER_SECOND = 1000;

/** With the prices that the call began with. A call that ends on arrival was not connected, so it costs nothing. */
function usageOf(
  previous: CallState | null,
  effects: readonly HistoryEffect[],
  { sipTrunkId }: Call,
  now: Date,
): Pick<StepDocument, 'usage'> {
  if (previous === null || previous.phase === 'ended' || !previous.pricing) return {};
  const { pricing, connectedAt } = previous;
  const isConnected = connectedAt !== undefined || effects.some(connectsCustomer);
  const seconds = Math.ceil((now.getTime() - (connectedAt ?? now.getTime())) / MS_PER_SECOND);
  return { usage: usageOfCall(pricing, sipTrunkId, isConnected ? Math.max(1, seconds) : 0) };
}

/** If the step ends the call too, both have happened since the step before: the carrier charges for such a call. */
const connectsCustomer = (effect: HistoryEffect): boolean =>
  effect.kind === 'leg' && effect.leg === 'CUSTOMER' && effect.state === 'CONNECTED';

const isOfAgent = (effect: Effect): effect is Extract<HistoryEffect, { kind: 'agent' }> =>
  effect.kind === 'agent';

function entriesOf(
  { id, tenantId }: Call,
  effects: readonly HistoryEffect[],
  state: CallState,
  refOf: (agentId: number) => string,
): HistoryEntry[] {
  const storageKey = recordingKey(tenantId, id, randomUUID());
  const facts = { refOf, recording: { storageKey, mediaNodeId: mediaNodeOf(state) } };
  return effects.flatMap((effect) => {
    switch (effect.kind) {
      case 'join':
      case 'leave':
      case 'leg':
      case 'ivr':
      case 'transfer':
      case 'recording':
        return [entryOf(effect, facts)];
      default:
        return [];
    }
  });
}

function lifecycleOf(effect: HistoryEffect): LifecycleEntry[] {
  if (effect.kind !== 'record') return [];
  const { kind: _, ...entry } = effect;
  return [entry];
}

const eventsOf = ({ call, tenant }: HistoryBase, { turned }: AgentChanges, now: Date): EventToRecord[] =>
  turned.map((agent) =>
    eventToRecord({
      type: 'agent.availability_changed',
      data: { agent },
      consumerId: call.consumerId,
      tenant: { id: call.tenantId, ref: tenant.ref },
      occurredAt: now,
      now,
    }),
  );

/** Calls keep the refs of the queues in their overflow chain. */
function refAmong(states: (CallState | null)[], queueId: number): string | null {
  const stops = states.flatMap((state) => (state ? stopsOf(state) : []));
  return stops.find((stop) => stop.queueId === queueId)?.ref ?? null;
}

function stopsOf(state: CallState): OverflowHop[] {
  const wait = 'wait' in state ? state.wait : waitOf(state);
  return wait?.stops ?? [];
}
