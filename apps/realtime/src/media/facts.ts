/** Turns media's facts into call events. A fact is acknowledged once the engine has committed it; until then media repeats it. */
import { forwardedIdOf, mediaFacts } from '@clarion/protocol/media';
import type { MediaFact, MediaFactPayload } from '@clarion/protocol/media';
import { sent } from '@clarion/protocol/media-clock';
import type { Sent } from '@clarion/protocol/media-clock';
import type { CallEvent } from '@clarion/core/call-machine/event';
import { failRecording, finishRecording } from '@clarion/core/recording/finish-recording';
import { agentSidesOf } from '@clarion/core/call-machine/state';
import type { CallState } from '@clarion/core/call-machine/state';
import { assertNever } from '@clarion/core/call-machine/outcome';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { MediaContext } from './context.ts';
import type { Invites } from './invites.ts';

export type Fact = { [F in MediaFact]: { fact: F; payload: MediaFactPayload<F> } }[MediaFact];

/** Facts that become events of a call. */
export type LegFact = Exclude<Fact, RecordingFact | InviteFact>;

const factMessage = z.discriminatedUnion('fact', [
  z.object({ fact: z.literal('leg:ringing'), payload: mediaFacts['leg:ringing'] }),
  z.object({ fact: z.literal('leg:connected'), payload: mediaFacts['leg:connected'] }),
  z.object({ fact: z.literal('leg:interrupted'), payload: mediaFacts['leg:interrupted'] }),
  z.object({ fact: z.literal('leg:restored'), payload: mediaFacts['leg:restored'] }),
  z.object({ fact: z.literal('leg:ended'), payload: mediaFacts['leg:ended'] }),
  z.object({ fact: z.literal('leg:dtmf'), payload: mediaFacts['leg:dtmf'] }),
  z.object({ fact: z.literal('leg:played'), payload: mediaFacts['leg:played'] }),
  z.object({ fact: z.literal('recording:finished'), payload: mediaFacts['recording:finished'] }),
  z.object({ fact: z.literal('recording:failed'), payload: mediaFacts['recording:failed'] }),
  z.object({ fact: z.literal('invite:withdrawn'), payload: mediaFacts['invite:withdrawn'] }),
  z.object({ fact: z.literal('invite:refused'), payload: mediaFacts['invite:refused'] }),
]);

const timedMessage = z.object({ sent });

/** Absent from a message of a media node of an earlier version. */
export const sentOf = (message: unknown): Sent | undefined => timedMessage.safeParse(message).data?.sent;

/** Facts about a recording. Its call has usually ended long before. */
export type RecordingFact = Extract<Fact, { fact: 'recording:finished' | 'recording:failed' }>;
/** An INVITE that got its final response without a decision. */
type InviteFact = Extract<Fact, { fact: 'invite:withdrawn' | 'invite:refused' }>;

export const readFact = (message: unknown): z.ZodSafeParseResult<Fact> => factMessage.safeParse(message);

const carriedBy = ({ trunkId }: { trunkId?: number | undefined }): { trunkId?: number } =>
  trunkId === undefined ? {} : { trunkId };

function eventOf({ fact, payload }: LegFact): CallEvent {
  const { legId } = payload;
  switch (fact) {
    case 'leg:ringing':
      return { type: 'leg-ringing', legId, ...carriedBy(payload) };
    case 'leg:connected':
      return {
        type: 'leg-connected',
        legId,
        codec: payload.codec,
        ...carriedBy(payload),
        ...(payload.agent && { agent: payload.agent }),
        ...(payload.answered && { answered: payload.answered }),
      };
    case 'leg:interrupted':
      return { type: 'leg-interrupted', legId };
    case 'leg:restored':
      return { type: 'leg-restored', legId };
    case 'leg:ended':
      return { type: 'leg-ended', legId, end: payload.end, stats: payload.stats };
    case 'leg:dtmf':
      // By the media node's clock, because it identifies the digit when the fact is sent again.
      return { type: 'leg-dtmf', legId, digit: payload.digit, at: Date.parse(payload.at) };
    case 'leg:played':
      return { type: 'leg-played', legId, playId: payload.playId, played: payload.played };
    default:
      return assertNever(fact);
  }
}

export async function processFact(
  { deps, nodes, engine, forwards, lateLegEnds, invites }: MediaContext & { invites: Invites },
  nodeId: string,
  fact: Fact,
  at: Date,
): Promise<void> {
  if (isOfRecording(fact)) return processRecordingFact(deps, fact);
  if (fact.fact === 'invite:withdrawn') return invites.withdraw(fact.payload, at);
  if (fact.fact === 'invite:refused') return invites.refusedByMedia(fact.payload, at);
  const { callId, legId } = fact.payload;
  const forwardedId = forwardedIdOf(callId);
  if (forwardedId !== null) return forwards.process(nodeId, forwardedId, fact, at);
  const stepped = await engine.step(callId, eventOf(fact), at);
  if (fact.fact === 'leg:ended') {
    const { kind, stats } = fact.payload;
    // A monitor leaves the call before their leg ends.
    if (stepped.kind === 'not-live' || kind === 'monitor')
      await lateLegEnds.keep({ callId, legId, kind, stats, at });
    return;
  }
  // A leg whose call has ended, or that is not part of its call, is ended. Media does not wait for the result.
  if (stepped.kind === 'not-live') void nodes.send(nodeId, 'call:release', { callId });
  else if (!isLegOf(stepped.state, legId)) void nodes.send(nodeId, 'leg:hangup', { callId, legId });
}

export function isLegOf(state: CallState, legId: string): boolean {
  const sides = agentSidesOf(state);
  const carrier = 'carrierLegId' in state ? state.carrierLegId : null;
  return (
    legId === carrier ||
    sides.some((side) => legId === side.legId || legId === side.previous?.legId) ||
    isMonitorOf(state, legId)
  );
}

export const isMonitorOf = (state: CallState, legId: string): boolean =>
  state.phase === 'talking' && state.monitors.some((monitor) => monitor.legId === legId);

export const isOfRecording = (fact: Fact): fact is RecordingFact =>
  fact.fact === 'recording:finished' || fact.fact === 'recording:failed';

async function processRecordingFact({ db, log, now }: Deps, fact: RecordingFact): Promise<void> {
  const { callId } = fact.payload;
  const stored =
    fact.fact === 'recording:finished'
      ? await finishRecording(db, fact.payload, now())
      : await failRecording(db, fact.payload, now());
  log.info({ callId, fact: fact.fact, stored }, 'recording reported');
}
