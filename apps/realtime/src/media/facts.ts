/** Media's facts become events of their call. Acked once the engine has committed them; until then media repeats them. */
import { mediaFacts } from '@clarion/protocol/media';
import type { MediaFact, MediaFactPayload } from '@clarion/protocol/media';
import { keepLateLegEnd } from '@clarion/core/call/engine/late-leg-end';
import type { CallEvent } from '@clarion/core/call/event';
import { failRecording, finishRecording } from '@clarion/core/recording/finish-recording';
import { agentSidesOf } from '@clarion/core/call/state';
import type { CallState } from '@clarion/core/call/state';
import { assertNever } from '@clarion/core/call/outcome';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { Engine } from '../engine/runner.ts';
import type { MediaNodes } from './nodes.ts';

export type Fact = { [F in MediaFact]: { fact: F; payload: MediaFactPayload<F> } }[MediaFact];

/** Facts that a call's machine hears of. */
export type LegFact = Exclude<Fact, { fact: 'recording:finished' | 'recording:failed' }>;

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
]);

/** What became of a recording: its call has mostly ended long before. */
export type RecordingFact = Exclude<Fact, LegFact>;

export const readFact = (message: unknown): z.ZodSafeParseResult<Fact> => factMessage.safeParse(message);

function eventOf({ fact, payload }: LegFact): CallEvent {
  const { legId } = payload;
  switch (fact) {
    case 'leg:ringing':
      return { type: 'leg-ringing', legId };
    case 'leg:connected':
      return { type: 'leg-connected', legId, codec: payload.codec };
    case 'leg:interrupted':
      return { type: 'leg-interrupted', legId };
    case 'leg:restored':
      return { type: 'leg-restored', legId };
    case 'leg:ended':
      return { type: 'leg-ended', legId, end: payload.end, stats: payload.stats };
    case 'leg:dtmf':
      return { type: 'leg-dtmf', legId, digit: payload.digit, at: Date.parse(payload.at) };
    case 'leg:played':
      return { type: 'leg-played', legId, playId: payload.playId, played: payload.played };
    default:
      return assertNever(fact);
  }
}

/** The media node's clock, but never the future: a fact kept through our absence tells when it truly happened. */
export function momentOf(at: string, now: Date): Date {
  const told = new Date(at);
  return Number.isNaN(told.getTime()) || told > now ? now : told;
}

export async function takeFact(
  { deps, nodes, engine }: { deps: Deps; nodes: MediaNodes; engine: Engine },
  nodeId: string,
  fact: Fact,
): Promise<void> {
  if (isOfRecording(fact)) return takeRecordingFact(deps, fact);
  const { callId, legId, at } = fact.payload;
  const moment = momentOf(at, deps.now());
  const stepped = await engine.step(callId, eventOf(fact), moment);
  if (fact.fact === 'leg:ended') {
    const { kind, stats } = fact.payload;
    // Who stops monitoring leaves before their leg has ended.
    if (stepped.kind === 'not-live' || kind === 'monitor')
      await keepLateLegEnd(deps.db, { callId, legId, kind, stats, at: moment });
    return;
  }
  // A leg that lives without its call, or beside it, is ended; not waited for: media asks nothing by a fact.
  if (stepped.kind === 'not-live') void nodes.send(nodeId, 'call:release', { callId });
  else if (!isLegOf(stepped.state, legId)) void nodes.send(nodeId, 'leg:hangup', { callId, legId });
}

export function isLegOf(state: CallState, legId: string): boolean {
  const sides = agentSidesOf(state);
  const carrier = 'carrierLegId' in state ? state.carrierLegId : null;
  const monitors = state.phase === 'talking' ? state.monitors : [];
  return (
    legId === carrier ||
    sides.some((side) => legId === side.legId || legId === side.previous?.legId) ||
    monitors.some((monitor) => monitor.legId === legId)
  );
}

export const isOfRecording = (fact: Fact): fact is RecordingFact =>
  fact.fact === 'recording:finished' || fact.fact === 'recording:failed';

async function takeRecordingFact({ db, log, now }: Deps, fact: RecordingFact): Promise<void> {
  const { callId } = fact.payload;
  const taken =
    fact.fact === 'recording:finished'
      ? await finishRecording(db, fact.payload, now())
      : await failRecording(db, fact.payload, now());
  log.info({ callId, fact: fact.fact, taken }, 'recording reported by the media node');
}
