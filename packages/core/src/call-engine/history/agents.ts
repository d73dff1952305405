/** The agents' rows during a step: reservation, conversation, release, wrap-up and auto-offline. Pure. */
import { storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import { presentAgent } from '../../agent/present.ts';
import type { HistoryEffect } from '../../call-machine/effects.ts';
import { assertNever } from '../../call-machine/outcome.ts';
import type { LoadedAgent, LoadedTenant } from '../../call-store/loaded.ts';
import type { AgentRowChange } from '../../call-store/step-document.ts';

/** The agent is reserved by another call or deleted. The step is not committed. */
export class AgentTaken extends Error {
  readonly agentId: number;
  constructor(agentId: number) {
    super(`agent ${agentId} is taken`);
    this.name = 'AgentTaken';
    this.agentId = agentId;
  }
}

type AgentEffect = Extract<HistoryEffect, { kind: 'agent' }>;
type AgentView = ReturnType<typeof presentAgent>;

export interface AgentChanges {
  rows: AgentRowChange[];
  /** The same agents, as they are after the step. */
  after: LoadedAgent[];
  /** Those whose availability changed, as they are then: one event each. */
  turned: AgentView[];
}

/**
 * Agents in ascending order of ID, the order in which every step locks them.
 *
 * @throws AgentTaken
 */
export function changeAgents(
  callId: number,
  effects: readonly AgentEffect[],
  loaded: ReadonlyMap<number, LoadedAgent>,
  tenant: LoadedTenant,
  now: Date,
): AgentChanges {
  const changes: AgentChanges = { rows: [], after: [], turned: [] };
  for (const id of new Set(effects.map(({ agentId }) => agentId).toSorted((a, b) => a - b))) {
    const own = effects.filter(({ agentId }) => agentId === id);
    const agent = new AgentDuringStep(callId, id, loaded.get(id), tenant, now);
    for (const effect of own) agent.change(effect);
    changes.turned.push(...agent.turned);
    if (agent.changed) changes.rows.push(agent.changed);
    if (agent.changed && agent.row) changes.after.push(agent.row);
  }
  return changes;
}

class AgentDuringStep {
  readonly turned: AgentView[] = [];
  readonly #callId: number;
  readonly #id: number;
  readonly #tenant: LoadedTenant;
  readonly #now: Date;
  readonly #before: LoadedAgent | undefined;
  #row: LoadedAgent | undefined;

  constructor(callId: number, id: number, row: LoadedAgent | undefined, tenant: LoadedTenant, now: Date) {
    this.#callId = callId;
    this.#id = id;
    this.#tenant = tenant;
    this.#now = now;
    this.#before = row;
    this.#row = row;
  }

  get row(): LoadedAgent | undefined {
    return this.#row;
  }

  get changed(): AgentRowChange | null {
    if (!this.#row || !this.#before || this.#row === this.#before) return null;
    const { id, rowVersion, currentCallId, onCall, idleSince, wrapUpUntil, consecutiveMissed, shift } =
      this.#row;
    const shiftEnds = shift !== this.#before.shift;
    return {
      id,
      rowVersion,
      currentCallId,
      onCall,
      idleSince,
      wrapUpUntil,
      consecutiveMissed,
      shift,
      shiftEnds,
    };
  }

  change({ change, wrapUpSeconds = 0 }: AgentEffect): void {
    const released = { currentCallId: null, onCall: false };
    const idleFromNow = { ...released, idleSince: this.#now };
    switch (change) {
      case 'reserve':
        this.#reserve();
        return;
      case 'engage':
        this.#set({ onCall: true });
        return;
      case 'answered':
        this.#set({ onCall: true, consecutiveMissed: 0 });
        return;
      case 'free':
        this.#set(released);
        return;
      case 'talked':
        this.#set({ ...idleFromNow, ...this.#wrappingUp(wrapUpSeconds) });
        return;
      case 'declined':
      case 'unreached':
      case 'failed':
        this.#set(idleFromNow);
        return;
      case 'missed':
        this.#set({ ...idleFromNow, consecutiveMissed: (this.#row?.consecutiveMissed ?? 0) + 1 });
        this.#autoOffline();
        return;
      default:
        assertNever(change);
    }
  }

  #reserve(): void {
    if (!this.#row || this.#row.currentCallId !== null || this.#row.deletedAt) throw new AgentTaken(this.#id);
    this.#row = { ...this.#row, currentCallId: this.#callId, onCall: false };
  }

  /** Only while the call has the agent. An event is recorded if they become ON_CALL or stop being so; ringing does not count. */
  #set(columns: Partial<LoadedAgent>): void {
    const before = this.#row;
    if (before?.currentCallId !== this.#callId) return;
    this.#row = { ...before, ...columns };
    if (this.#row.onCall !== before.onCall) this.#turn();
  }

  #turn(): void {
    if (!this.#row) return;
    const { deviceIds } = this.#row;
    const connections = deviceIds.map((deviceId) => ({ deviceId }));
    this.turned.push(presentAgent({ ...this.#row, connections }, this.#tenant.ref));
  }

  /**
   * Queues offer the agent no call until this time, when their idle time starts. A call without wrap-up does not shorten one that is
   * running.
   */
  #wrappingUp(seconds: number): Partial<LoadedAgent> {
    if (seconds === 0) return {};
    const wrapUpUntil = new Date(this.#now.getTime() + seconds * 1000);
    return { wrapUpUntil, idleSince: wrapUpUntil };
  }

  /** Sets the agent to OFFLINE after too many missed offers in a row, if the tenant has auto-offline enabled. */
  #autoOffline(): void {
    const row = this.#row;
    if (!row || row.shift !== 'AVAILABLE') return;
    const { autoOffline: rule } = tenantSettingsWithDefaults(
      storedTenantSettings.parse(this.#tenant.settings),
    );
    if (!rule.enabled || row.consecutiveMissed < rule.missedThreshold) return;
    this.#row = { ...row, shift: 'OFFLINE', consecutiveMissed: 0 };
    if (!row.onCall) this.#turn();
  }
}
