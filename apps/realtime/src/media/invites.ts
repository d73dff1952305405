/** Decides on INVITEs that media reports, and stores rejections for the trunks' diagnostics. */
import { createInboundCall, InviteExpired } from '@clarion/core/call-engine/create-inbound-call';
import type { InboundCallResult } from '@clarion/core/call-engine/create-inbound-call';
import { isFromUnknownSource } from '@clarion/core/call-engine/match-trunk';
import { recordRefusal, refusalReason } from '@clarion/core/call-engine/refusal';
import type { Refusal } from '@clarion/core/call-engine/refusal';
import {
  recordMediaRefusal,
  undecidedRefusal,
  withdrawalReason,
  withdrawInvite,
} from '@clarion/core/call-engine/withdraw-invite';
import { failures } from '@clarion/protocol';
import { forwardedIdOf } from '@clarion/protocol/media';
import type { InviteDecision, InviteRequest, MediaFactPayload } from '@clarion/protocol/media';
import { ArrivalOrder } from './arrival-order.ts';
import type { MediaContext } from './context.ts';
import { InviteGate } from './invite-gate.ts';
import type { Reconciler } from './reconcile.ts';
import { RefusalBudget } from './refusal-budget.ts';
import { LastInvites } from './last-invites.ts';
import { VerifiedNumbers } from './verified-numbers.ts';

/**
 * Part of media's time that is left for the reply: it must arrive before media gives up, even if media's event loop is late. A call that
 * is committed within the remaining time is not withdrawn, and may be offered immediately.
 */
const REPLY_RESERVE_MS = 500;
/** Media's time if its version does not say: INVITE_DECISION_TIMEOUT_MS of the first version. */
const DEFAULT_DECIDE_WITHIN_MS = 4_000;
/**
 * Retry-After of a 503. Short, because RFC 3261 section 21.5.4 forbids the carrier to send any further call to us for this time.
 */
const RETRY_AFTER_SECONDS = 1;
const SERVICE_UNAVAILABLE = 503;
/** For how long media need not ask again: the load monitor's interval. */
const OVERLOADED_MS = 500;

/** The media node's connection on which a request arrived. */
export interface InviteSource {
  /** Sends media the decision, before any command about the call. */
  reply: (answer: InviteDecision) => void;
  connected: () => boolean;
}

export class Invites {
  readonly #context: MediaContext;
  readonly #reconciler: Pick<Reconciler, 'checkLater'>;
  readonly #gate: InviteGate;
  readonly #order = new ArrivalOrder();
  readonly #budget = new RefusalBudget();
  readonly #lastInvites: LastInvites;
  readonly #verifiedNumbers: VerifiedNumbers;
  #recordingOverload = false;

  constructor(context: MediaContext, reconciler: Pick<Reconciler, 'checkLater'>) {
    this.#context = context;
    const { engine } = context;
    this.#gate = new InviteGate({ undispatched: () => engine.undispatched });
    engine.onDispatched = () => this.#gate.proceed();
    this.#lastInvites = new LastInvites(context.deps);
    this.#verifiedNumbers = new VerifiedNumbers(context.deps);
    this.#reconciler = reconciler;
  }

  /**
   * Decides within media's time, or rejects the INVITE immediately if this node is overloaded. After that time there is no reply: media
   * asks another node or withdraws the INVITE.
   */
  async receive(question: InviteRequest, source: InviteSource): Promise<void> {
    const { deps, load } = this.#context;
    const { decideWithinMs = DEFAULT_DECIDE_WITHIN_MS } = question;
    // The request may have waited in the socket's buffer while the event loop was late.
    const expiresAt = performance.now() + decideWithinMs - REPLY_RESERVE_MS - load.eventLoopDelayMs;
    const expired = () => performance.now() >= expiresAt || !source.connected();
    const isUnknownSource = isFromUnknownSource(deps, question);
    const overload = load.overload ?? (!isUnknownSource && this.#gate.isFull() ? 'invite-queue' : null);
    if (overload !== null) {
      this.#rejectOverloaded(question, source, overload);
      return;
    }
    const decide = () => this.#decide(question, source, expired);
    try {
      // A flood from addresses of no trunk takes no turn of a call.
      if (isUnknownSource) await decide();
      else await this.#gate.run(decide);
    } catch (error) {
      if (!(error instanceof InviteExpired)) throw error;
      this.#context.onInviteRefused('expired');
      deps.log.warn({ inviteId: question.inviteId }, 'no time left for the decision on an INVITE');
    }
  }

  /** Media has responded to the INVITE without a decision. A call that it became ends; a repetition changes nothing. */
  async withdraw(withdrawal: MediaFactPayload<'invite:withdrawn'>, at: Date): Promise<void> {
    const { deps, engine, lateLegEnds } = this.#context;
    const { db, ingressDomain, log, now } = deps;
    const { request, end, legId } = withdrawal;
    const mayRecord = (refusal: Refusal) => this.#budget.take(refusal, request.source.address, now());
    const why = withdrawalReason(end);
    const callId = await withdrawInvite({ db, ingressDomain, mayRecord }, { request, why }, at);
    log.info({ inviteId: request.inviteId, cause: end.cause, callId }, 'INVITE withdrawn');
    if (callId === null) return;
    const forwardedId = forwardedIdOf(callId);
    if (forwardedId !== null) {
      await this.#context.forwards.legEnded(request.mediaNodeId, forwardedId, { legId, end }, at);
      return;
    }
    const stepped = await engine.step(callId, { type: 'leg-ended', legId, end, stats: null }, at);
    if (stepped.kind === 'not-live')
      await lateLegEnds.keep({ callId, legId, kind: 'carrier-in', stats: null, at });
  }

  /** Media has rejected the INVITE because of what it contains; a repetition changes nothing. */
  async refusedByMedia(
    { request, status, code, message }: MediaFactPayload<'invite:refused'>,
    at: Date,
  ): Promise<void> {
    const { db, ingressDomain, trunks, log, now } = this.#context.deps;
    const mayRecord = (refusal: Refusal) => this.#budget.take(refusal, request.source.address, now());
    const sentence = `${failures[code].text.replace(/\.$/, '')}: ${message}.`;
    const why = { status, code, reason: sentence };
    await recordMediaRefusal({ db, ingressDomain, trunks, mayRecord }, { request, why }, at);
    log.info({ inviteId: request.inviteId, status, code }, 'INVITE rejected by media');
  }

  async #decide(question: InviteRequest, source: InviteSource, expired: () => boolean): Promise<void> {
    const { deps, engine } = this.#context;
    const turn = this.#order.begin();
    const offerTime = () => (engine.undispatched === 0 ? deps.now() : null);
    try {
      const context = { ...deps, expired, takeTurn: turn.take, offerTime };
      this.#carryOut(question, source, await createInboundCall(context, question, deps.now()));
    } finally {
      // Not before the call's dispatch has begun, which the next decision must know of.
      turn.end();
    }
  }

  #carryOut(question: InviteRequest, source: InviteSource, result: InboundCallResult): void {
    const { deps, engine } = this.#context;
    this.#log(question, result);
    const { answer, refusal, pending } = result;
    const isStored = refusal !== null && this.#budget.take(refusal, question.source.address, deps.now());
    source.reply(isStored && answer.action === 'reject' ? { ...answer, stored: isOfTrunk(refusal) } : answer);
    // A media node that lost this connection withdraws the INVITE, unless its process has died.
    if (result.forwarded) this.#context.forwards.begin(result.forwarded);
    else if (answer.action === 'accept' && !source.connected())
      this.#reconciler.checkLater(question.mediaNodeId, [{ callId: answer.callId, legId: question.legId }]);
    engine.run(pending);
    this.#lastInvites.decided(question, result);
    if (result.calledNumber) this.#verifiedNumbers.reached(result.calledNumber);
    if (isStored) this.#store(question, refusal);
  }

  /** Resolves once what was seen of trunks and numbers is stored. */
  async stop(): Promise<void> {
    await this.#lastInvites.flush();
    await this.#verifiedNumbers.flush();
  }

  #log({ inviteId }: InviteRequest, { answer, refusal, servedOn }: InboundCallResult): void {
    const { log } = this.#context.deps;
    if (answer.action === 'accept') {
      log.info({ inviteId, callId: answer.callId }, 'INVITE accepted');
      return;
    }
    const { status, contact } = answer;
    if (contact !== undefined) {
      log.info({ inviteId, trunkId: servedOn }, 'INVITE redirected by a call filter');
      return;
    }
    const facts = {
      inviteId,
      status,
      code: refusal?.code,
      reason: refusal?.reason,
      trunkIds: refusal?.trunkIds,
    };
    // Only the operator can fix this: by changing a trunk's addresses, or by giving the carrier the ingress host.
    if (refusal?.ambiguous) log.warn(facts, 'INVITE rejected: the number matches lines of several tenants');
    else log.info(facts, 'INVITE rejected');
  }

  /** Replies without the database, which may be what is overloaded. */
  #rejectOverloaded(question: InviteRequest, { reply }: InviteSource, overload: string): void {
    const { onInviteRefused, warnings } = this.#context;
    onInviteRefused(overload);
    warnings.warn({ inviteId: question.inviteId, overload }, 'INVITE rejected: overloaded');
    void this.#recordOverloaded(question);
    reply({
      action: 'reject',
      status: SERVICE_UNAVAILABLE,
      reason: 'Service Unavailable',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      // A full gate empties within milliseconds.
      ...(overload !== 'invite-queue' && { overloadedMs: OVERLOADED_MS }),
    });
  }

  /** One at a time, so that it adds little to the load; not every refusal is stored in any case. */
  async #recordOverloaded(question: InviteRequest): Promise<void> {
    if (this.#recordingOverload) return;
    this.#recordingOverload = true;
    const why = refusalReason(SERVICE_UNAVAILABLE, 'overloaded');
    try {
      this.#record(question, await undecidedRefusal(this.#context.deps, question, why));
    } catch (error) {
      this.#context.deps.log.warn({ err: error }, 'failed to store a rejected INVITE');
    } finally {
      this.#recordingOverload = false;
    }
  }

  /** Diagnostics do not delay the decision. */
  #record(question: InviteRequest, refusal: Refusal): void {
    if (this.#budget.take(refusal, question.source.address, this.#context.deps.now()))
      this.#store(question, refusal);
  }

  #store(question: InviteRequest, refusal: Refusal): void {
    const { db, log, now } = this.#context.deps;
    recordRefusal(db, refusal, question, now()).catch((error: unknown) =>
      log.warn({ err: error }, 'failed to store a rejected INVITE'),
    );
  }
}

/** Only these have diagnostics that show a ladder. */
const isOfTrunk = ({ trunkIds }: Refusal): boolean => trunkIds.length > 0;
