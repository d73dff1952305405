/** Brings a leg, and if necessary its call, to an end when one of its facts could not be processed. */
import type { FailedFactOutcome } from '@clarion/core/call-engine/failed-facts';
import { forceEnd } from '@clarion/core/call-engine/force-end';
import type { CallEvent } from '@clarion/core/call-machine/event';
import type { CallState } from '@clarion/core/call-machine/state';
import type { LegEnd } from '@clarion/protocol/media';
import type { MediaContext } from './context.ts';
import { isTemporary } from './failed-facts.ts';
import { isLegOf, isMonitorOf } from './facts.ts';
import { readState } from './read-state.ts';

export interface FailedLeg {
  mediaNodeId: string;
  legId: string;
  /** Null: the call is found by the leg. */
  callId: number | null;
  /** The leg has ended, as reported (null: the report could not be read), or must be hung up. */
  ended: { end: LegEnd | null } | null;
}

/** @throws a temporary error: the fact must be repeated */
export async function endFailedLeg(context: MediaContext, leg: FailedLeg): Promise<FailedFactOutcome> {
  const { nodes } = context;
  const { mediaNodeId, legId, ended } = leg;
  const callId = leg.callId ?? (await callOfLeg(context, leg));
  if (callId === null) return 'NOTHING_TO_END';
  const outcome = await endAtCall(context, { ...leg, callId });
  // Not earlier: media reports the hang-up as the end of the leg, which would be the reason that the call records.
  if (!ended) void nodes.send(mediaNodeId, 'leg:hangup', { callId, legId });
  return outcome;
}

async function endAtCall(
  context: MediaContext,
  { mediaNodeId, legId, callId, ended }: FailedLeg & { callId: number },
): Promise<FailedFactOutcome> {
  const { deps, engine } = context;
  const end = ended ? (ended.end ? bare(ended.end) : UNKNOWN_END) : UNPROCESSED;
  const attempt = attempts(context, callId);
  const step = (event: CallEvent) => attempt(event.type, () => engine.step(callId, event));

  const stepped = await step({ type: 'leg-ended', legId, end, stats: null });
  if (stepped?.kind === 'not-live' || stepped?.changed === false) return 'NOTHING_TO_END';
  if (stepped) return stepped.state.phase === 'ended' ? 'CALL_ENDED' : 'LEG_ENDED';
  if (!(await callNeedsLeg(context, callId, legId))) return 'NOT_ENDED';
  // The call cannot continue without the leg, whatever could not be stored.
  const lost = await step({ type: 'media-lost', mediaNodeId });
  if (lost?.kind === 'not-live' || lost?.state.phase === 'ended') return 'CALL_ENDED';
  const forced = await attempt('forced end', async () => {
    engine.run(await forceEnd(deps.db, callId, UNPROCESSED.message, deps.now()));
    return true;
  });
  return forced ? 'CALL_ENDED' : 'NOT_ENDED';
}

/** The live call that has this leg on the media node; null: none. */
async function callOfLeg({ deps }: MediaContext, { mediaNodeId, legId }: FailedLeg): Promise<number | null> {
  const calls = await deps.db.liveCall.findMany({
    where: { mediaNodeId },
    select: { callId: true, state: true },
  });
  return calls.find((call) => isIn(readState(call.state), legId))?.callId ?? null;
}

const isIn = (state: CallState | null, legId: string) => state !== null && isLegOf(state, legId);

/** False for a monitor's leg. A call whose state cannot be read cannot continue either. */
async function callNeedsLeg({ deps }: MediaContext, callId: number, legId: string): Promise<boolean> {
  const row = await deps.db.liveCall.findUnique({ where: { callId }, select: { state: true } });
  if (!row) return false;
  const state = readState(row.state);
  return state === null || (isLegOf(state, legId) && !isMonitorOf(state, legId));
}

/** Null if the work failed for good. */
const attempts =
  ({ deps }: MediaContext, callId: number) =>
  async <T>(what: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (isTemporary(error)) throw error;
      deps.log.error({ err: error, callId, event: what }, 'failed to apply the end of a leg to its call');
      return null;
    }
  };

const UNKNOWN_END: LegEnd = {
  cause: 'media-error',
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: 'The details of how the leg ended could not be stored.',
};

const UNPROCESSED: LegEnd = {
  ...UNKNOWN_END,
  message: 'A media report for this call could not be processed.',
};

/** The fields that decide the outcome, without text from the far end. */
const bare = (end: LegEnd): LegEnd => ({ ...end, sipReason: null, message: UNKNOWN_END.message });
