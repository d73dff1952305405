/**
 * The life of calls. A user-initiated call: calling → (pre_accepted) → accepted → ended. A business-initiated call: connecting → ringing →
 * accepted → ended. Every call ends exactly once, with one terminate webhook.
 */
import { newCallId } from '../ids.ts';
import { sameSdp } from '../media/sdp.ts';
import type { MediaEvent } from '../media/customer-media.ts';
import { GraphError, invalidParameter, type GraphErrorCode } from '../protocol/errors.ts';
import { mediaTimeout } from '../protocol/media-watchdog.ts';
import { DAY_MS } from '../protocol/permissions.ts';
import type { CallsRequest } from '../protocol/requests.ts';
import { isLive, viewOf, type Call, type EndedBy } from './call.ts';
import type { BusinessNumber, Customer } from './people.ts';
import type { PermissionBook } from './permission-book.ts';
import { connectValue, statusValue, terminateValue } from './values.ts';
import { ControlError, type World } from './world.ts';

const WATCHDOG_INTERVAL_MS = 1000;

type AnswerRequest = Extract<CallsRequest, { action: 'pre_accept' | 'accept' }>;
type ConnectRequest = Extract<CallsRequest, { action: 'connect' }>;

export class CallBook {
  readonly #world: World;
  readonly #permissions: PermissionBook;
  readonly #calls = new Map<string, Call>();
  /** Pairs whose call is being created: a second request must not pass the checks meanwhile. */
  readonly #creating: { number: BusinessNumber; customer: Customer }[] = [];
  readonly #connects: { phoneNumberId: string; at: number }[] = [];

  constructor(world: World, permissions: PermissionBook) {
    this.#world = world;
    this.#permissions = permissions;
  }

  get all(): readonly Call[] {
    return [...this.#calls.values()];
  }

  /** Throws a ControlError for an unknown call. */
  get(id: string): Call {
    const call = this.#calls.get(id);
    if (!call) throw new ControlError(`no call ${id}`, 404);
    return call;
  }

  /** A customer calls. Over the limit of the number, or while calling is disabled, the business hears nothing of it. */
  async placeCall(number: BusinessNumber, customer: Customer): Promise<Call> {
    if (number.settings.status !== 'ENABLED') throw new ControlError('calling is not enabled on this number');
    if (this.#busy(number).length >= this.#world.limits.concurrentCalls)
      throw new ControlError('the number has reached its limit of concurrent calls');
    if (this.#busy(number).includes(customer))
      throw new ControlError('the customer is in a call with this number');
    customer.windowOpen = true;
    const call = await this.#create('USER_INITIATED', number, customer, 'calling');
    this.#changed(call);
    const offer = await this.#offerOf(call);
    if (!isLive(call)) throw new ControlError('the customer hung up before the call was placed');
    this.#world.publish(number, 'connect', call.id, connectValue(call, offer, this.#world.clock.now()));
    this.#permissions.customerCalled(number, customer, call.id);
    this.#after(call, this.#world.timeouts.acceptMs, () => {
      if (call.state === 'calling' || call.state === 'pre_accepted') this.#end(call, 'timeout');
    });
    return call;
  }

  /** `connect`: the business calls. Throws the error of the first rule that is violated. */
  async connect(number: BusinessNumber, request: ConnectRequest): Promise<Call> {
    this.#assertMayConnect(number);
    const customer = this.#world.recipient(request.recipient);
    if (this.#busy(number).includes(customer))
      throw new GraphError(138003, 'There is an active call with this user.');
    this.#permissions.assertMayCall(number, customer);
    this.#connects.push({ phoneNumberId: number.phoneNumberId, at: this.#world.clock.now() });
    const call = await this.#create('BUSINESS_INITIATED', number, customer, 'connecting');
    call.remoteSdp = request.sdp;
    call.opaqueData = request.opaqueData;
    this.#changed(call);
    // After the response with the call's ID.
    this.#after(call, 0, () => void this.#sendAnswer(call, request.sdp));
    return call;
  }

  async preAcceptOrAccept(number: BusinessNumber, request: AnswerRequest): Promise<void> {
    const call = this.#ofBusiness(number, request.callId);
    if (call.direction !== 'USER_INITIATED')
      throw invalidParameter(`${request.action} is possible only for a user-initiated call.`);
    const allowed = request.action === 'accept' ? ['calling', 'pre_accepted'] : ['calling'];
    if (!allowed.includes(call.state))
      throw invalidParameter(`${request.action} is not possible: the call is ${call.state}.`);
    if (call.remoteSdp !== null && !sameSdp(call.remoteSdp, request.sdp))
      throw invalidParameter('session.sdp of accept must be the same as that of pre_accept.');
    const isFirst = call.remoteSdp === null;
    call.remoteSdp = request.sdp;
    call.opaqueData = request.opaqueData ?? call.opaqueData;
    call.state = request.action === 'accept' ? 'accepted' : 'pre_accepted';
    if (isFirst) await call.media.applyRemote(request.sdp);
    if (request.action === 'accept') this.#accepted(call);
    else this.#changed(call);
  }

  /** `reject` before the accept, `terminate` at any time. */
  hangUpByBusiness(number: BusinessNumber, callId: string, action: 'reject' | 'terminate'): void {
    const call = this.#ofBusiness(number, callId);
    if (action === 'reject' && call.state !== 'calling' && call.state !== 'pre_accepted')
      throw invalidParameter(`reject is not possible: the call is ${call.state}.`);
    this.#end(call, 'business');
  }

  answer(call: Call): void {
    this.#assertState(call, 'answer', ['ringing']);
    call.state = 'accepted';
    this.#status(call, 'ACCEPTED');
    this.#accepted(call);
  }

  decline(call: Call): void {
    this.#assertState(call, 'decline', ['ringing']);
    this.#status(call, 'REJECTED');
    this.#end(call, 'customer');
  }

  hangUpByCustomer(call: Call): void {
    if (!isLive(call)) throw new ControlError('the call has ended');
    this.#end(call, 'customer');
  }

  /** The network or Meta ends the call with an error of the terminate webhook. */
  fail(call: Call, code: GraphErrorCode): void {
    if (!isLive(call)) throw new ControlError('the call has ended');
    this.#end(call, 'error', code);
  }

  async close(): Promise<void> {
    for (const call of this.all) for (const cancel of call.cancels) cancel();
    await Promise.all(this.all.map(({ media }) => media.close()));
  }

  #assertMayConnect(number: BusinessNumber): void {
    const { limits, clock, webhooks } = this.#world;
    const restricted = (name: BusinessNumber['restrictions'][number]): boolean =>
      number.restrictions.includes(name);
    if (number.settings.sip?.status === 'ENABLED') throw new GraphError(131055);
    if (number.settings.status !== 'ENABLED')
      throw new GraphError(138000, 'Calling is not enabled on this business phone number.');
    if (!webhooks.isSubscribed(number.wabaId))
      throw new GraphError(138018, 'No app is subscribed to the calls field of this account.');
    if (restricted('country_without_outbound_calls'))
      throw new GraphError(138013, 'Not available for business phone numbers of this country.');
    if (restricted('no_payment_method')) throw new GraphError(131044, 'The account has no payment method.');
    if (restricted('low_quality')) throw new GraphError(138014, 'Paused for 7 days because of feedback.');
    if (this.#busy(number).length >= limits.concurrentCalls)
      throw new GraphError(138002, `At most ${limits.concurrentCalls} concurrent calls.`);
    const recent = this.#connects.filter(
      ({ phoneNumberId, at }) => phoneNumberId === number.phoneNumberId && at > clock.now() - DAY_MS,
    );
    if (recent.length >= limits.connectsPerDay)
      throw new GraphError(138005, `At most ${limits.connectsPerDay} calls in 24 hours.`);
  }

  async #create(
    direction: Call['direction'],
    number: BusinessNumber,
    customer: Customer,
    state: Call['state'],
  ): Promise<Call> {
    const id = newCallId();
    const pair = { number, customer };
    this.#creating.push(pair);
    const factory = customer.speaksInPage ? this.#world.pageMedia : this.#world.media;
    const media = await factory({ callId: id, onEvent: (event) => this.#mediaEvent(id, event) }).finally(() =>
      this.#creating.splice(this.#creating.indexOf(pair), 1),
    );
    media.play(customer.audio);
    const call: Call = {
      id,
      direction,
      number,
      customer,
      media,
      createdAt: this.#world.clock.now(),
      state,
      opaqueData: null,
      remoteSdp: null,
      mediaConnected: false,
      acceptedAt: null,
      endedAt: null,
      endedBy: null,
      errorCode: null,
      violations: [],
      cancels: [],
    };
    this.#calls.set(id, call);
    return call;
  }

  async #offerOf(call: Call): Promise<string> {
    try {
      return await call.media.createOffer();
    } catch (error) {
      call.state = 'ended'; // the business has not heard of it
      await call.media.close();
      throw error;
    }
  }

  async #sendAnswer(call: Call, offer: string): Promise<void> {
    try {
      const answer = await call.media.createAnswer(offer);
      if (!isLive(call)) return;
      const value = connectValue(call, answer, this.#world.clock.now());
      this.#world.publish(call.number, 'connect', call.id, value);
      this.#after(call, this.#world.timeouts.ringingAfterMs, () => this.#ring(call));
    } catch {
      if (isLive(call)) this.#end(call, 'error', 138_019);
    }
  }

  #ring(call: Call): void {
    if (call.state !== 'connecting') return;
    call.state = 'ringing';
    this.#status(call, 'RINGING');
    this.#changed(call);
    this.#after(call, this.#world.timeouts.ringMs, () => {
      if (call.state === 'ringing') this.#end(call, 'timeout');
    });
    const { onCall, afterMs } = call.customer.behaviour;
    if (onCall !== 'answer' && onCall !== 'decline') return;
    this.#after(call, afterMs, () => {
      if (call.state !== 'ringing') return;
      if (onCall === 'answer') this.answer(call);
      else this.decline(call);
    });
  }

  #accepted(call: Call): void {
    if (!isLive(call)) return; // ended while the SDP was applied
    call.acceptedAt = this.#world.clock.now();
    call.media.open();
    this.#permissions.callConnected(call.number, call.customer, call.direction === 'BUSINESS_INITIATED');
    this.#changed(call);
    this.#watchMedia(call);
    const { hangUpAfterMs } = call.customer.behaviour;
    if (hangUpAfterMs !== null) this.#after(call, hangUpAfterMs, () => this.#end(call, 'customer'));
  }

  #watchMedia(call: Call): void {
    this.#after(call, WATCHDOG_INTERVAL_MS, () => {
      const since = this.#world.clock.now() - (call.acceptedAt ?? 0);
      const code = mediaTimeout(since, call.media.counters().silentForMs, this.#world.timeouts);
      if (code === null) this.#watchMedia(call);
      else this.#end(call, 'error', code);
    });
  }

  #mediaEvent(id: string, event: MediaEvent): void {
    const call = this.#calls.get(id);
    if (!call || !isLive(call)) return;
    switch (event.type) {
      case 'page':
        return this.#world.journal.record({ type: 'media', callId: id, step: event.step, sdp: event.sdp });
      case 'connected':
        call.mediaConnected = true;
        return this.#changed(call);
      case 'digit':
        return this.#world.journal.record({ type: 'digit', callId: id, digit: event.digit });
      case 'early-media':
        return this.#violation(call, 'sent audio before the call was accepted');
      case 'failed':
        if (call.state === 'accepted') this.#end(call, 'error', call.mediaConnected ? 138020 : 138019);
        else this.#violation(call, `media failed before the call was accepted: ${event.reason}`);
    }
  }

  #violation(call: Call, text: string): void {
    call.violations.push(text);
    this.#world.journal.record({ type: 'violation', callId: call.id, text });
  }

  #end(call: Call, by: EndedBy, errorCode: GraphErrorCode | null = null): void {
    if (!isLive(call)) return;
    for (const cancel of call.cancels.splice(0)) cancel();
    const wasUnanswered = call.direction === 'BUSINESS_INITIATED' && call.acceptedAt === null;
    call.state = 'ended';
    call.endedAt = this.#world.clock.now();
    call.endedBy = by;
    call.errorCode = errorCode;
    this.#changed(call);
    const value = terminateValue(call, `The call was ended by ${by}.`, call.endedAt);
    this.#world.publish(call.number, 'terminate', call.id, value);
    if (wasUnanswered && (by === 'timeout' || by === 'customer'))
      this.#permissions.callUnanswered(call.number, call.customer, call.id);
    void call.media.close();
  }

  #status(call: Call, status: 'RINGING' | 'ACCEPTED' | 'REJECTED'): void {
    const kind = status === 'RINGING' ? 'ringing' : status === 'ACCEPTED' ? 'accepted' : 'rejected';
    this.#world.publish(call.number, kind, call.id, statusValue(call, status, this.#world.clock.now()));
  }

  #ofBusiness(number: BusinessNumber, callId: string): Call {
    const call = this.#calls.get(callId);
    if (!call || call.number !== number)
      throw invalidParameter(`Param call_id is not a call of this number: ${callId}.`);
    if (!isLive(call)) throw invalidParameter('The call has ended.');
    return call;
  }

  #assertState(call: Call, verb: string, states: readonly Call['state'][]): void {
    if (!states.includes(call.state)) throw new ControlError(`cannot ${verb}: the call is ${call.state}`);
  }

  /** The customers who are in a call with this number. */
  #busy(number: BusinessNumber): Customer[] {
    return [...this.all.filter(isLive), ...this.#creating]
      .filter((each) => each.number === number)
      .map(({ customer }) => customer);
  }

  #after(call: Call, ms: number, run: () => void): void {
    call.cancels.push(this.#world.clock.after(ms, run));
  }

  #changed(call: Call): void {
    this.#world.journal.record({ type: 'call', call: viewOf(call) });
  }
}
