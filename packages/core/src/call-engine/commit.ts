/** Commits a step in one transaction: the state under its version, history, events and jobs, and the outbox entries of its effects. */
import { notifyAfterCommit } from '@clarion/db';
import type { Agent, Call, Prisma, Tx } from '@clarion/db';
import type { Flow } from '../ivr/flow-run.ts';
import { isOutside } from '../call-machine/effects.ts';
import type { Effect, HistoryEffect, OutsideEffect } from '../call-machine/effects.ts';
import { nextDeadline } from '../call-machine/machine.ts';
import type { Step } from '../call-machine/machine.ts';
import { activeQueueOf, awaitedOwnerOf, mediaNodeOf, waitOf } from '../call-machine/state.ts';
import type { CallState } from '../call-machine/state.ts';
import { VersionConflict } from '../retry-on-conflict.ts';
import { writeHistory } from './history.ts';
import { toJson } from './stored.ts';

/** For how long only the process that committed a step may run its effects. */
export const EFFECT_CLAIM_MS = 5_000;

/** Effects to run, with the outbox row that stores them until they are done. */
export interface Pending {
  outboxId: bigint;
  callId: number;
  effects: OutsideEffect[];
  /** The call as the step left it, for the messages about it; null: not known, so it must be read. */
  after: CallAfterStep | null;
}

export interface CallAfterStep {
  call: Call;
  tenantRef: string;
  state: CallState;
  /** The rows of agents that the step changed, as far as they are known. */
  agents?: readonly Agent[];
}

export interface CommitOptions {
  /**
   * True if the caller itself runs the effects after the commit (realtime). Otherwise (web, worker) a realtime node is notified and runs
   * them.
   */
  runsEffects: boolean;
}

/** Columns of LiveCall that are derived from the state. */
const columnsOf = ({ state, effects }: Step, now: Date) => {
  const deadline = nextDeadline(state);
  const wait = waitOf(state);
  return {
    state: toJson(state),
    ...lastEventOf(effects, now),
    mediaNodeId: mediaNodeOf(state),
    nextDeadlineAt: deadline === null ? null : new Date(deadline),
    waitingQueueId: wait?.stops[0]?.queueId ?? null,
    waitingSince: wait && new Date(wait.since),
    activeQueueId: activeQueueOf(state),
    awaitedOwnerId: awaitedOwnerOf(state),
  };
};

/** Events of one step are a millisecond apart, the first at the time of the step (event/record-event.ts). */
function lastEventOf(effects: readonly Effect[], now: Date): { lastEventAt?: Date } {
  const said = effects.filter(({ kind }) => kind === 'publish').length;
  return said === 0 ? {} : { lastEventAt: new Date(now.getTime() + said - 1) };
}

/**
 * The time of a step. The clocks of media and of the realtime nodes differ. The times of a call never decrease, so that its events, log and
 * rows are consistent and no conversation ends before it began.
 */
export const timeOfStep = (now: Date, lastEventAt: Date | null): Date =>
  lastEventAt && lastEventAt >= now ? new Date(lastEventAt.getTime() + 1) : now;

/** Writes the first state of a call whose row was just created. A call that ended on arrival never becomes live. */
export async function commitBeginning(
  tx: Tx,
  call: { id: number; consumerId: number; tenantId: number },
  { state, effects }: Step,
  now: Date,
  options: CommitOptions & { leaseNodeId: string | null; flow?: Flow | null },
): Promise<Pending | null> {
  if (state.phase !== 'ended') {
    await tx.liveCall.create({
      data: {
        callId: call.id,
        consumerId: call.consumerId,
        tenantId: call.tenantId,
        leaseNodeId: options.leaseNodeId,
        ...(options.flow && { flow: toJson(options.flow) }),
        ...columnsOf({ state, effects }, now),
      },
    });
  }
  return writeEffects(tx, call.tenantId, { state, effects }, now, options);
}

/** @throws VersionConflict if the call changed since it was loaded; the transaction must then be rolled back */
export async function commitStep(
  tx: Tx,
  loaded: { callId: number; tenantId: number; version: number },
  { state, effects }: Step,
  now: Date,
  options: CommitOptions,
): Promise<Pending | null> {
  const { callId, tenantId, version } = loaded;
  const where: Prisma.LiveCallWhereInput = { callId, version };
  const { count } =
    state.phase === 'ended'
      ? await tx.liveCall.deleteMany({ where })
      : await tx.liveCall.updateMany({
          where,
          data: { ...columnsOf({ state, effects }, now), version: version + 1 },
        });
  if (count === 0) throw new VersionConflict(`call ${callId} was changed by another process`);
  // A dial or route command repeated after the release would create the leg again.
  if (state.phase === 'ended') await tx.engineOutbox.deleteMany({ where: { callId } });
  return writeEffects(tx, tenantId, { state, effects }, now, options);
}

async function writeEffects(
  tx: Tx,
  tenantId: number,
  { state, effects }: Step,
  now: Date,
  { runsEffects }: CommitOptions,
): Promise<Pending> {
  const { callId } = state;
  const history = effects.filter((effect): effect is HistoryEffect => !isOutside(effect));
  // Every step may change what the board shows.
  const outside: OutsideEffect[] = [...effects.filter(isOutside), { kind: 'board', tenantId }];
  await writeHistory(tx, callId, history, now);
  const { id } = await tx.engineOutbox.create({
    data: {
      callId,
      effects: toJson(outside),
      claimedUntil: runsEffects ? new Date(Date.now() + EFFECT_CLAIM_MS) : null,
    },
    select: { id: true },
  });
  if (!runsEffects) await notifyAfterCommit(tx, 'clarion_call', id);
  return { outboxId: id, callId, effects: outside, after: null };
}
