/** Commits a step by one statement: the state under its version, history, events and deliveries, and the outbox entry of its effects. */
import type { Call } from '@clarion/db';
import { isOutside } from '../call-machine/effects.ts';
import type { Effect, OutsideEffect } from '../call-machine/effects.ts';
import { nextDeadline } from '../call-machine/machine.ts';
import type { Step } from '../call-machine/machine.ts';
import {
  activeQueueOf,
  awaitedOwnerOf,
  isConnection,
  isInFlow,
  mediaNodeOf,
  waitOf,
} from '../call-machine/state.ts';
import type { CallState } from '../call-machine/state.ts';
import { firstBlocks, firstSeconds } from '../ledger/call-credit.ts';
import { commitDocument } from '../call-store/commit-step.ts';
import type { LoadedAgent, LoadedBeginning, LoadedStep } from '../call-store/loaded.ts';
import type {
  FirstLiveColumns,
  LiveColumns,
  NewCallRow,
  RememberedRows,
  StepDocument,
} from '../call-store/step-document.ts';
import type { StepSql } from '../call-store/step-sql.ts';
import { historyOf } from './history.ts';
import { pushesOf } from './history/pushes.ts';
import type { StepMemory } from './step-memory.ts';

/** For how long only the process that committed a step may run its effects. */
export const EFFECT_CLAIM_MS = 5_000;

/** Effects to run, with the outbox row that stores them until they are done. */
export interface Pending {
  outboxId: bigint;
  callId: number;
  effects: OutsideEffect[];
  /** Of the call's line, which decides how its customer is reached; null: the call was deleted. */
  channelType: Call['channelType'] | null;
  /** The call as the step left it, for the messages about it; null: not known, so it must be read. */
  after: CallAfterStep | null;
}

export interface CallAfterStep {
  call: Call;
  tenantRef: string;
  state: CallState;
  /** The rows of the agents whom the step changed. */
  agents: readonly LoadedAgent[];
}

/** What a step committed. */
export interface Committed extends Pending {
  after: CallAfterStep;
}

export interface CommitOptions {
  /**
   * True if the caller itself runs the effects after the commit (realtime). Otherwise (web, worker) a realtime node is notified and runs
   * them.
   */
  runsEffects: boolean;
  /** Where this process remembers what its steps committed; absent: every step loads. */
  memory?: StepMemory;
}

/** Columns of LiveCall that are derived from the state. */
function columnsOf({ state, effects }: Step, now: Date): LiveColumns {
  const deadline = nextDeadline(state);
  const wait = waitOf(state);
  return {
    state,
    ...lastEventOf(effects, now),
    mediaNodeId: mediaNodeOf(state),
    nextDeadlineAt: deadline === null ? null : new Date(deadline),
    waitingQueueId: wait?.stops[0]?.queueId ?? null,
    waitingSince: wait && new Date(wait.since),
    activeQueueId: activeQueueOf(state),
    awaitedOwnerId: awaitedOwnerOf(state),
  };
}

/**
 * Events of one step are a millisecond apart, the first at the time of the step (history/call-row.ts). The change of an agent's availability
 * is one too: who accepts a call whose caller has just hung up is released later than they became ON_CALL.
 */
function lastEventOf(effects: readonly Effect[], now: Date): { lastEventAt?: Date } {
  const said = effects.filter(({ kind }) => kind === 'publish').length;
  if (said === 0 && !effects.some(({ kind }) => kind === 'agent')) return {};
  return { lastEventAt: new Date(now.getTime() + Math.max(0, said - 1)) };
}

/**
 * The time of a step. The clocks of media and of the realtime nodes differ. The times of a call never decrease, so that its events, log and
 * rows are consistent and no conversation ends before it began.
 */
export const timeOfStep = (now: Date, lastEventAt: Date | null): Date =>
  lastEventAt && lastEventAt >= now ? new Date(lastEventAt.getTime() + 1) : now;

/**
 * Writes a call and its first state. A call that ended on arrival never becomes live.
 *
 * @throws VersionConflict if an agent changed since they were loaded
 */
export async function commitBeginning(
  sql: StepSql,
  { tenant, agents, remembered }: LoadedBeginning,
  row: NewCallRow,
  first: Step,
  now: Date,
  options: CommitOptions & Pick<FirstLiveColumns, 'leaseNodeId' | 'flow' | 'limitedTrunkIds'>,
): Promise<Committed> {
  const { leaseNodeId, flow, limitedTrunkIds } = options;
  const { consumerId, tenantId } = row;
  const call = { ...EMPTY_COLUMNS, ...row };
  const live = {
    consumerId,
    tenantId,
    leaseNodeId,
    flow,
    ...(limitedTrunkIds && { limitedTrunkIds }),
    ...columnsOf(first, now),
  };
  const base = { call, callRowVersion: '', tenant, agents, live: { ...BEFORE_THE_FIRST_STEP, flow } };
  const { state } = first;
  return commit(sql, base, null, first, now, options, {
    create: row,
    ...(remembered && { remembered: { agents: agents.map(versionOf) } }),
    ...(state.phase !== 'ended' && { live, ...(state.pricing && { credit: firstBlocks(state.pricing) }) }),
  });
}

const BEFORE_THE_FIRST_STEP = { state: null, version: -1, mediaNodeId: null, lastEventAt: null };

/** Columns of a new call's row that are set later. */
const EMPTY_COLUMNS = {
  terminationReason: null,
  terminatedBy: null,
  failureDetails: null,
  overflowed: false,
  eventSequence: 0,
  ringingAt: null,
  queuedAt: null,
  answeredAt: null,
  endedAt: null,
} satisfies Omit<Call, keyof NewCallRow>;

/**
 * @param previous null if the state could not be read
 * @throws VersionConflict if the call or an agent changed since it was loaded; a transaction must then be rolled back
 */
export async function commitStep(
  sql: StepSql,
  loaded: LoadedStep,
  previous: CallState | null,
  next: Step,
  now: Date,
  options: CommitOptions,
): Promise<Committed> {
  return commit(sql, loaded, previous, next, now, options, {
    version: loaded.live.version,
    ...(loaded.remembered && { remembered: versionsOf(loaded) }),
    ...(next.state.phase !== 'ended' && { live: columnsOf(next, now) }),
  });
}

const versionsOf = ({ callRowVersion, tenant, agents }: LoadedStep): RememberedRows => ({
  callRowVersion,
  tenantRowVersion: tenant.rowVersion,
  agents: agents.map(versionOf),
});

const versionOf = ({ id, rowVersion, deviceIds }: LoadedAgent): RememberedRows['agents'][number] => ({
  id,
  rowVersion,
  deviceIds,
});

async function commit(
  sql: StepSql,
  base: LoadedStep,
  previous: CallState | null,
  step: Step,
  now: Date,
  { runsEffects, memory }: CommitOptions,
  rows: Pick<StepDocument, 'create' | 'version' | 'remembered' | 'live' | 'credit'>,
): Promise<Committed> {
  const { id: callId, tenantId } = base.call;
  const { call, agentsAfter, ...history } = historyOf({ ...base, previous }, step, now);
  const effects = [...step.effects.filter(isOutside), ...boardEffects(step.state, tenantId)];
  const pushes = pushesOf(step, call, base.agents, now);
  const document = {
    callId,
    at: now,
    ...rows,
    ...history,
    ...connectionOf(previous, step.state, call),
    ...(pushes.length > 0 && { pushes }),
    effects,
    ...(runsEffects && { claimMs: EFFECT_CLAIM_MS }),
  };
  const { outboxId, rowVersion, asGiven } = await commitDocument(sql, document);
  // In a transaction that is still open, these rows may change again without a new version, or be rolled back.
  if (memory && sql.autocommit) {
    const after = rowsAfter(base, document, { call, agentsAfter, state: step.state }, rowVersion);
    if (!document.live) memory.end(callId, after.agents);
    else if (asGiven) memory.keep(after);
  }
  if (!runsEffects) await sql.notify('clarion_call', outboxId);
  return {
    outboxId,
    callId,
    effects,
    channelType: call.channelType,
    after: { call, agents: agentsAfter, tenantRef: base.tenant.ref, state: step.state },
  };
}

/**
 * Every step may change what the board shows, except while the call is only intended: a board that is told of a call which it does not show
 * remembers it as removed, and would not show it once it is started.
 */
const boardEffects = ({ phase }: CallState, tenantId: number): OutsideEffect[] =>
  phase === 'intent' ? [] : [{ kind: 'board', tenantId }];

/** The step in which the customer is connected starts the paid time of the call. */
function connectionOf(
  previous: CallState | null,
  state: CallState,
  { sipTrunkId }: Call,
): Pick<StepDocument, 'connected'> {
  if (!isConnection(previous, state)) return {};
  const { pricing, connectedAt } = state;
  return { connected: { at: new Date(connectedAt), seconds: firstSeconds(pricing, sipTrunkId) } };
}

/** What `load_step` would return after the step. */
function rowsAfter(
  { callRowVersion, tenant, agents, live }: LoadedStep,
  document: StepDocument,
  { call, agentsAfter, state }: { call: Call; agentsAfter: LoadedAgent[]; state: CallState },
  rowVersion: string,
): LoadedStep {
  const changed = new Map(agentsAfter.map((agent) => [agent.id, { ...agent, rowVersion }]));
  return {
    call,
    callRowVersion: document.create || document.patch ? rowVersion : callRowVersion,
    tenant,
    agents: agents.map((agent) => changed.get(agent.id) ?? agent),
    live: {
      state,
      flow: isInFlow(state) ? live.flow : null,
      version: live.version + 1,
      mediaNodeId: document.live?.mediaNodeId ?? null,
      lastEventAt: document.live?.lastEventAt ?? live.lastEventAt,
    },
  };
}
