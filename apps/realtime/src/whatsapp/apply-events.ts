/**
 * Applies a WhatsApp call's new webhook events to its call of ours, in the transaction in which they are taken: an event is never lost, and
 * is applied once, whatever dies meanwhile.
 */
import { randomUUID } from 'node:crypto';
import type { Pending } from '@clarion/core/call-engine/commit';
import { createWhatsAppCall, recordMissedWhatsAppCall } from '@clarion/core/call-engine/create-whatsapp-call';
import type { WhatsAppCallResult } from '@clarion/core/call-engine/create-whatsapp-call';
import { storePending } from '@clarion/core/call-engine/outbox';
import { applyStep } from '@clarion/core/call-engine/step-call';
import type { Stepped } from '@clarion/core/call-engine/step-call';
import type { CallMediaCommand } from '@clarion/core/call-machine/effects';
import type { CallEvent } from '@clarion/core/call-machine/event';
import { assertNever } from '@clarion/core/call-machine/outcome';
import { isBeingAnswered } from '@clarion/core/call-machine/state';
import type { CallState } from '@clarion/core/call-machine/state';
import { isStale, wasAnswered } from '@clarion/core/whatsapp-graph/call-progress';
import type { WhatsAppFact } from '@clarion/core/whatsapp-graph/call-progress';
import { legEndOf } from '@clarion/core/whatsapp-graph/leg-end';
import { mayBePlacing } from '@clarion/core/whatsapp/due-calls';
import type { MetaCall, TakenFacts } from '@clarion/core/whatsapp/whatsapp-call';
import type { Tx } from '@clarion/db';
import type { NodeLoad } from '../media/context.ts';
import { readState } from '../media/read-state.ts';
import type { WhatsAppContext } from './context.ts';

/** A customer's call that began. */
export interface Begun {
  result: WhatsAppCallResult;
  sdpOffer: string;
  mediaNodeId: string;
  legId: string;
  /** It was over before it could ring. */
  isMissed: boolean;
}

export interface AppliedEvents {
  taken: TakenFacts;
  begun: Begun | null;
  steps: { event: CallEvent['type']; stepped: Stepped }[];
  /** Commands to media that follow from no step. */
  pending: Pending[];
  /** The call of ours has ended, but Meta's goes on. */
  isStray: boolean;
}

/** The events cannot be applied now. They stay untaken. */
export class NotNow extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotNow';
  }
}

type ApplyContext = Pick<WhatsAppContext, 'deps' | 'nodes'> & { load: NodeLoad };

/** Of every WhatsApp leg, as media reports it. */
const CODEC = 'OPUS';

/** @throws NotNow; VersionConflict, after which the transaction is to be repeated */
export async function applyEvents(
  tx: Tx,
  context: ApplyContext,
  call: MetaCall,
  taken: TakenFacts,
): Promise<AppliedEvents> {
  const { deps } = context;
  const applied: AppliedEvents = { taken, begun: null, steps: [], pending: [], isStray: false };
  const { callId, facts, direction, since, endedAt } = taken;
  const isOurs = direction === 'BUSINESS_INITIATED';
  if (callId === null) {
    // The webhook may be faster than the response with the call's ID.
    if (isOurs && since && (await mayBePlacing(tx, call.channelId, since, deps.now())))
      throw new NotNow('a call of the line is being placed');
    const began = facts.find((fact) => fact.kind === 'began');
    if (began) applied.begun = await begin(tx, context, call, { taken, sdpOffer: began.sdp });
    return applied;
  }
  for (const fact of facts) {
    const leg = await customerLeg(tx, callId);
    if (!leg) {
      applied.isStray = !facts.some(({ kind }) => kind === 'ended');
      break;
    }
    await applyFact(tx, deps, { callId, fact, leg, isOurs, endedAt: endedAt ?? deps.now() }, applied);
  }
  return applied;
}

async function begin(
  tx: Tx,
  { deps, nodes, load }: ApplyContext,
  { channelId, whatsAppCallId }: MetaCall,
  { taken, sdpOffer }: { taken: TakenFacts; sdpOffer: string },
): Promise<Begun | null> {
  const { began, facts } = taken;
  if (!began) return null;
  const { db: _, ...context } = deps;
  const now = deps.now();
  const isMissed = facts.some(({ kind }) => kind === 'ended') || isStale(began, now);
  // Another node may take it, and so does this one, as long as the customer waits.
  if (load.overload !== null && !isMissed) throw new NotNow('this node is overloaded');
  const mediaNodeId = nodes.leastLoaded();
  if (mediaNodeId === null && !isMissed) throw new NotNow('no media node takes new calls');
  const arrival = {
    channelId,
    whatsAppCallId,
    customerAddress: began.customerAddress,
    name: began.name,
    mediaNodeId: mediaNodeId ?? '',
    carrierLegId: `whatsapp-${randomUUID()}`,
  };
  const create = isMissed ? recordMissedWhatsAppCall : createWhatsAppCall;
  const result = await create({ ...context, db: tx }, arrival, now);
  return { result, sdpOffer, mediaNodeId: arrival.mediaNodeId, legId: arrival.carrierLegId, isMissed };
}

interface Leg {
  state: CallState;
  legId: string;
  mediaNodeId: string;
}

/** Null: our call has ended, or has no leg of the customer yet. */
async function customerLeg(tx: Tx, callId: number): Promise<Leg | null> {
  const row = await tx.liveCall.findUnique({ where: { callId }, select: { state: true } });
  const state = row && readState(row.state);
  if (!state || !('carrierLegId' in state)) return null;
  return { state, legId: state.carrierLegId, mediaNodeId: state.mediaNodeId };
}

async function applyFact(
  tx: Tx,
  deps: WhatsAppContext['deps'],
  {
    callId,
    fact,
    leg,
    isOurs,
    endedAt,
  }: { callId: number; fact: WhatsAppFact; leg: Leg; isOurs: boolean; endedAt: Date },
  applied: AppliedEvents,
): Promise<void> {
  const { legId } = leg;
  const step = async (event: CallEvent, at = deps.now()) => {
    const stepped = await applyStep(tx, callId, event, at, {
      runsEffects: true,
      memory: deps.memory,
    });
    applied.steps.push({ event: event.type, stepped });
  };
  const command = async (order: CallMediaCommand) => {
    const effects = [{ kind: 'media', mediaNodeId: leg.mediaNodeId, order } as const];
    applied.pending.push(await storePending(tx, { callId, effects, channelType: 'WHATSAPP' }, deps.now()));
  };
  switch (fact.kind) {
    case 'began':
      return;
    case 'sdp-answer':
      return command({ command: 'whatsapp:remote', legId, sdpAnswer: fact.sdp });
    case 'ringing':
      return step({ type: 'leg-ringing', legId });
    case 'answered':
      return command({ command: 'whatsapp:open', legId });
    case 'ended':
      // Media has not reported the connection of a call that was answered and that the customer soon hung up.
      if (isBeingAnswered(leg.state) && wasAnswered(fact.end))
        await step({ type: 'leg-connected', legId, codec: CODEC }, endedAt);
      return step(
        {
          type: 'leg-ended',
          legId,
          end: legEndOf(fact.end, isOurs ? 'BUSINESS_INITIATED' : 'USER_INITIATED'),
          stats: null,
        },
        endedAt,
      );
    default:
      return assertNever(fact);
  }
}
