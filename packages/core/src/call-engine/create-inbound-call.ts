/**
 * Decides whether an INVITE becomes a call, and where it is routed (docs/requirements.md#trunks). A rejection reveals nothing to the
 * caller; its reason is stored for the trunk's diagnostics.
 */
import { randomUUID } from 'node:crypto';
import { ApiError, failureDetails, trunkQuirks } from '@clarion/protocol';
import type { TerminationReason, Terminator } from '@clarion/protocol';
import { codecsOfTrunk, mediaCallIdOf } from '@clarion/protocol/media';
import type { InviteDecision, InviteRequest } from '@clarion/protocol/media';
import type { Call, Database, ForwardedCall } from '@clarion/db';
import { isTrunkCallLimit } from '../call-store/commit-step.ts';
import { isKnownInvite } from '../call-store/load-invite.ts';
import type { CalledLine, CandidateTrunk } from '../call-store/load-invite.ts';
import type { LoadedBeginning } from '../call-store/loaded.ts';
import { stepSqlOf } from '../call-store/step-sql.ts';
import { beginForwardedCall } from '../forwarding/forwarded-calls.ts';
import { digitsOf } from '../numbers/address-forms.ts';
import { readCaller } from '../numbers/trunk-numbers.ts';
import { admitInboundCall, refusedByAccount } from './admit-inbound.ts';
import type { AdmitContext, ArrivingCall } from './admit-inbound.ts';
import { refusalOf } from './begin.ts';
import type { Pending } from './commit.ts';
import type { Redirection } from './filter-call.ts';
import type { Forwarding } from './forward-call.ts';
import { rulesOf } from './candidate-trunk.ts';
import { findLine } from './match-trunk.ts';
import type { LineContext } from './match-trunk.ts';
import { refusalReason } from './refusal.ts';
import type { Refusal, RefusalReason } from './refusal.ts';
import { isUniqueViolation } from '../sql-state.ts';

/** A number as a call has reached it: on a trunk, at a line. */
export interface CalledNumber {
  trunkId: number;
  channelId: number;
  number: string;
}

export interface InboundCallResult {
  answer: InviteDecision;
  /** To be stored for the diagnostics; null if the call was accepted or the request is a repetition. */
  refusal: Refusal | null;
  pending: Pending | null;
  /** The trunk on which a new call was accepted, forwarded or redirected. */
  servedOn?: number;
  /** The number by which it reached its line, also if that could not take it. */
  calledNumber?: CalledNumber;
  /** A call that this decision began to forward, and that its node is to dial. */
  forwarded?: ForwardedBeginning;
}

export interface ForwardedBeginning {
  call: ForwardedCall;
  forwarding: Forwarding;
}

export interface InboundCallContext extends LineContext, AdmitContext {
  /** Whether the time for the decision is over; absent: it is not limited. */
  expired?: () => boolean;
  /**
   * Waits until earlier INVITEs of the account have been decided, and exchanges the ID taken for the call for that of the turn; absent:
   * calls may be committed in any order.
   */
  takeTurn?: (consumerId: number, callId: number | null) => Promise<number | null>;
  /**
   * The time of an offer in the step that creates the call; null: an earlier call of this process waits for its dispatch; absent: every call
   * waits for its own.
   */
  offerTime?: () => Date | null;
}

/** The time for the decision was over before the call was committed. Nothing was changed; media asks another node or withdraws the INVITE. */
export class InviteExpired extends Error {
  constructor() {
    super('the time for the decision on an INVITE is over');
    this.name = 'InviteExpired';
  }
}

/** The same limit as for a customer's name in the API (docs/requirements.md#limits). */
const CUSTOMER_NAME_MAX_CHARS = 255;

/** RFC 3261 section 21.3.3. */
const MOVED_TEMPORARILY = 302;
/** Media ignores a decision on an INVITE that it has withdrawn. */
const WITHDRAWN_STATUS = 503;

const TRUNK_CALL_LIMIT = refusalReason(503, 'trunk_call_limit');

/** SIP reason phrases for unknown sources and carriers: the standard ones of RFC 3261, which reveal nothing. */
const PLAIN_PHRASES: Record<number, string> = {
  302: 'Moved Temporarily',
  403: 'Forbidden',
  404: 'Not Found',
  480: 'Temporarily Unavailable',
  483: 'Too Many Hops',
  486: 'Busy Here',
  503: 'Service Unavailable',
  603: 'Decline',
};

/**
 * Decides on the INVITE request of a media node. A request repeated with the same inviteId gets the same decision. A withdrawn INVITE
 * (withdraw-invite.ts) never becomes a call.
 *
 * @throws InviteExpired
 */
export async function createInboundCall(
  context: InboundCallContext,
  question: InviteRequest,
  now: Date,
): Promise<InboundCallResult> {
  const requireTime = () => {
    if (context.expired?.()) throw new InviteExpired();
  };
  requireTime();
  const found = await findLine(context, question);
  // Requests are rarely repeated. The commit of a second call for an INVITE would fail, so only refusals look for the earlier decision.
  const refusedUnlessDecided = async (refusal: Refusal) =>
    (await decided(context.db, question.inviteId)) ?? refused(refusal);
  if ('reason' in found) return refusedUnlessDecided(found);
  if ('toTrunkId' in found) return forward(context.db, question, found, now);
  if ('contact' in found) return (await decided(context.db, question.inviteId)) ?? redirected(found);
  const { trunk, line: channel, number } = found;
  const { tenant } = channel;
  const calledNumber = { trunkId: trunk.id, channelId: channel.id, number };
  const refusalOn = (why: RefusalReason) => refusalOnTrunk(trunk, why);
  const refusedAccount = refusedByAccount(channel);
  if (refusedAccount !== null) return refusedUnlessDecided(refusalOn(refusalReason(403, refusedAccount)));
  const caller = readCaller(question, rulesOf(trunk));
  // If two nodes request the same INVITE concurrently, the other one may have taken the last place for this very call.
  const overCapacity = () => refusedUnlessDecided(refusalOn(refusalReason(503, 'concurrent_call_limit')));
  const callId = await (context.takeTurn?.(tenant.consumerId, channel.newCallId) ?? channel.newCallId);
  requireTime();
  try {
    const arriving = {
      caller: { ...caller, name: nameOf(question) },
      sipTrunkId: trunk.id,
      number: digitsOf(number),
      pricedTrunk: { id: trunk.id, consumerId: trunk.consumerId, deckId: trunk.inboundBuyDeckId },
      limitedTrunkIds: trunk.maxCalls === null ? [] : [trunk.id],
      inviteId: question.inviteId,
      mediaNodeId: question.mediaNodeId,
      carrierLegId: question.legId,
      loaded: beginningOf(callId, tenant),
      ...mayOffer(channel, context.offerTime?.() ?? null),
      beforeInsert: requireTime,
    };
    const inserted = await admitInboundCall(context.db, context, channel, arriving, now);
    if (!inserted.refusal)
      return {
        answer: taken(inserted.call.id, trunk),
        refusal: null,
        pending: inserted.pending,
        servedOn: trunk.id,
        calledNumber,
      };
    return { ...refused(refusalOn(inserted.refusal)), pending: inserted.pending, calledNumber };
  } catch (error) {
    if (isTrunkCallLimit(error)) return refusedUnlessDecided(refusalOn(TRUNK_CALL_LIMIT));
    if (error instanceof ApiError && error.code === 'too_many_calls') return overCapacity();
    // Another node was faster with the same INVITE, or it was withdrawn.
    const other = isUniqueViolation(error) ? await decided(context.db, question.inviteId) : null;
    if (!other) throw error;
    return other;
  }
}

const mayOffer = ({ idleQueue }: CalledLine, at: Date | null): Pick<ArrivingCall, 'offer'> =>
  idleQueue && at ? { offer: { idleQueue, at } } : {};

const refusalOnTrunk = (trunk: Pick<CandidateTrunk, 'id'>, why: RefusalReason): Refusal => ({
  trunkIds: [trunk.id],
  ...why,
  unknownSource: false,
  ambiguous: false,
});

function beginningOf(
  callId: number | null,
  { ref, settings, rowVersion }: CalledLine['tenant'],
): LoadedBeginning | null {
  return callId === null ? null : { callId, tenant: { ref, settings, rowVersion }, agents: [] };
}

const nameOf = ({ fromName }: InviteRequest): string | null =>
  fromName?.trim().slice(0, CUSTOMER_NAME_MAX_CHARS) || null;

const taken = (
  callId: number,
  trunk: Pick<CandidateTrunk, 'inboundSourceCidrs' | 'quirks' | 'codecs' | 'srtp'>,
): InviteDecision => ({
  action: 'accept',
  callId,
  sourceCidrs: trunk.inboundSourceCidrs,
  localEndpointOnly: trunkQuirks.parse(trunk.quirks).noHeaderExtensions ?? false,
  codecs: trunk.codecs.length > 0 ? codecsOfTrunk(trunk.codecs) : [],
  srtp: trunk.srtp,
});

const plainAnswer = (status: number): Extract<InviteDecision, { action: 'reject' }> => ({
  action: 'reject',
  status,
  reason: PLAIN_PHRASES[status] ?? 'Temporarily Unavailable',
});

async function forward(
  db: Database,
  question: InviteRequest,
  forwarding: Forwarding,
  now: Date,
): Promise<InboundCallResult> {
  const { trunk, toTrunkId, caller, called, limitedTrunkIds } = forwarding;
  const started = { trunkId: trunk.id, toTrunkId, caller, called, limitedTrunkIds, outLegId: randomUUID() };
  let begun: Awaited<ReturnType<typeof beginForwardedCall>>;
  try {
    begun = await beginForwardedCall(db, started, question, now);
  } catch (error) {
    if (!isTrunkCallLimit(error)) throw error;
    return refused(refusalOnTrunk(trunk, TRUNK_CALL_LIMIT));
  }
  if (!begun) return { answer: plainAnswer(WITHDRAWN_STATUS), refusal: null, pending: null };
  const { call, isNew } = begun;
  const answer = taken(mediaCallIdOf(call), trunk);
  const accepted = { answer, refusal: null, pending: null, servedOn: trunk.id };
  return isNew ? { ...accepted, forwarded: { call, forwarding } } : accepted;
}

const redirected = ({ trunk, contact }: Redirection): InboundCallResult => ({
  answer: { ...plainAnswer(MOVED_TEMPORARILY), contact },
  refusal: null,
  pending: null,
  servedOn: trunk.id,
});

const refused = (refusal: Refusal): InboundCallResult => ({
  answer: plainAnswer(refusal.status),
  refusal,
  pending: null,
});

/** The decision on an INVITE that has become a call or was withdrawn, from which the media node expects none any more; null: neither. */
async function decided(db: Database, inviteId: string): Promise<InboundCallResult | null> {
  const isCall = await isKnownInvite(stepSqlOf(db).run, inviteId);
  if (isCall === null) return null;
  const call = isCall ? await db.call.findUnique({ where: { inviteId } }) : null;
  if (!call) return { answer: plainAnswer(WITHDRAWN_STATUS), refusal: null, pending: null };
  if (call.terminationReason !== null) {
    return { answer: plainAnswer(statusOf(call)), refusal: null, pending: null };
  }
  const trunk =
    call.sipTrunkId === null ? null : await db.sipTrunk.findUnique({ where: { id: call.sipTrunkId } });
  return trunk && { answer: taken(call.id, trunk), refusal: null, pending: null };
}

function statusOf(call: Call): number {
  const details = failureDetails.safeParse(call.failureDetails);
  return refusalOf({
    // Only the engine writes these columns, with values of the protocol's unions.
    terminationReason: call.terminationReason as TerminationReason,
    terminatedBy: call.terminatedBy as Terminator,
    failureDetails: details.success ? details.data : null,
  }).status;
}
