/**
 * Captures the SIP ladder of every call: the messages of its legs, by their Call-ID, and what happens to their audio. A ladder is finished
 * when the call has left this node and the last response of its dialogs has arrived. Nothing here may disturb a call, and a crash loses the
 * ladders of the calls of that moment.
 */
import { randomUUID } from 'node:crypto';
import type { LadderLeg, LadderPart } from '@clarion/protocol/ladder';
import { forwardedIdOf } from '@clarion/protocol/media';
import type { MediaCommand, MediaFact, MediaFactPayload } from '@clarion/protocol/media';
import { factEntry, sdpOfCommand } from './call-facts.ts';
import { isOverAfter, LegTrace } from './leg-trace.ts';
import { cutMessage } from './mask-message.ts';
import { readFrame, type SipCapture } from './sip-frame.ts';

/** How long to wait for the last messages, such as the response to our BYE. */
const LINGER_MS = 2_000;
/** INVITEs that are neither a leg nor refused yet. */
const MAX_PENDING = 4_096;
/** Messages in memory, in characters; above it, no further message is captured. */
const MAX_CHARS = 64 * 1024 * 1024;
/** Refused INVITEs whose ladder is sent, per second. */
const MAX_REFUSALS_PER_SECOND = 20;

export interface FinishedLadder {
  ladderId: string;
  callId: number | null;
  inviteId: string | null;
  /** Monotonic time. */
  startedMs: number;
  part: LadderPart;
}

interface Dialog {
  trace: LegTrace;
  call: CallLadder | null;
  isOver: boolean;
  /** The INVITE was refused, and this is reported. */
  inviteId: string | null;
}

interface CallLadder {
  callId: number;
  legs: Map<string, LegTrace>;
  dialogs: Map<string, Dialog>;
  /** Runs once the call has left this node. */
  timer: NodeJS.Timeout | null;
}

export interface LaddersOptions {
  /** The monotonic clock. */
  nowMs: () => number;
  isLive: (callId: number) => boolean;
  onFinished: (ladder: FinishedLadder) => void;
}

export class Ladders {
  readonly #options: LaddersOptions;
  readonly #calls = new Map<number, CallLadder>();
  /** By Call-ID. */
  readonly #dialogs = new Map<string, Dialog>();
  /** Those without a leg, oldest first. */
  readonly #pending = new Map<string, Dialog>();
  #chars = 0;
  #refusals = { second: 0, count: 0 };

  constructor(options: LaddersOptions) {
    this.#options = options;
  }

  /** A frame of the control connection to the SIP server. */
  captureFrame(frame: string): void {
    const capture = readFrame(frame);
    if (!capture) return;
    const dialog =
      this.#dialogs.get(capture.callId) ?? (capture.isNewInvite ? this.#begin(capture.callId) : null);
    if (!dialog) return;
    if (this.#chars > MAX_CHARS) dialog.trace.leg.omitted += 1;
    else this.#counting(dialog.trace, (trace) => trace.sip(this.#options.nowMs(), capture));
    this.#follow(dialog, capture);
  }

  /** The INVITE with this Call-ID is, or becomes, this leg. One leg may have several, one after the other. */
  bindLeg(
    sipCallId: string | undefined,
    leg: { callId: number; legId: string; kind: LadderLeg['kind'] },
  ): void {
    const dialog = sipCallId === undefined ? undefined : this.#dialogs.get(sipCallId);
    if (sipCallId === undefined || !dialog || dialog.call) return;
    const call = this.#call(leg.callId);
    if (!call) return;
    this.#pending.delete(sipCallId);
    const trace = this.#leg(call, leg.legId, leg.kind);
    this.#chars -= dialog.trace.size;
    this.#counting(trace, () => trace.absorb(dialog.trace));
    Object.assign(dialog, { trace, call });
    call.dialogs.set(sipCallId, dialog);
  }

  /** The caller withholds the number: it is masked in all messages. */
  withhold(sipCallId: string | undefined): void {
    const dialog = sipCallId === undefined ? undefined : this.#dialogs.get(sipCallId);
    if (dialog) dialog.trace.withheld = true;
  }

  /** The INVITE is refused. @param inviteId by which the refusal is stored; null: it is not */
  refused(sipCallId: string | undefined, inviteId: string | null): void {
    const dialog = sipCallId === undefined ? undefined : this.#pending.get(sipCallId);
    if (sipCallId === undefined || !dialog) return;
    if (inviteId === null || !this.#mayReportRefusal()) {
      this.#drop(sipCallId, dialog);
      return;
    }
    dialog.inviteId = inviteId;
    if (dialog.isOver) this.#finishInvite(sipCallId, dialog);
    else setTimeout(() => this.#finishInvite(sipCallId, dialog), LINGER_MS).unref();
  }

  /** What happened to the audio of a leg. */
  note(
    callId: number,
    legId: string,
    what: string,
    data?: Record<string, string | number | boolean | null>,
  ): void {
    this.#calls.get(callId)?.legs.get(legId)?.fact(this.#options.nowMs(), what, data);
  }

  fact<F extends MediaFact>(fact: F, payload: MediaFactPayload<F>): void {
    const { callId, legId } = payload;
    if (callId === null || fact === 'recording:finished' || fact === 'recording:failed') return;
    const call = this.#call(callId);
    const kind = 'kind' in payload ? payload.kind : null;
    const trace = call && (call.legs.get(legId) ?? (kind && this.#leg(call, legId, kind)));
    if (!trace) return;
    trace.isConnected ||= fact === 'leg:connected';
    for (const { what, data } of factEntry(fact, payload))
      if (what !== 'quality' || trace.isConnected) trace.fact(this.#options.nowMs(), what, data);
  }

  /** A command of realtime, with our reply. @param startedMs when it was received */
  command(command: MediaCommand, payload: unknown, reply: unknown, startedMs: number): void {
    const exchange = sdpOfCommand(command, payload, reply);
    const call = exchange && this.#call(exchange.callId);
    if (!exchange || !call) return;
    const known = call.legs.has(exchange.legId);
    const trace = this.#leg(call, exchange.legId, exchange.kind);
    if (exchange.agentId !== null) trace.leg.agentId = exchange.agentId;
    for (const { what, data } of exchange.facts) trace.fact(startedMs, what, data);
    // A repeated command has the same answer.
    if (known) return;
    for (const { text, sent, type } of exchange.messages) {
      const ms = sent ? this.#options.nowMs() : startedMs;
      this.#counting(trace, () => trace.message({ kind: 'sdp', ms, ...cutMessage(text), sent, type }));
    }
  }

  /** The call has no leg on this node any more. */
  callRemoved(callId: number): void {
    const call = this.#calls.get(callId);
    if (!call || call.timer) return;
    call.timer = setTimeout(() => this.#finish(call), LINGER_MS);
    this.#finishIfOver(call);
  }

  /** Finishes all ladders: the node is stopping. */
  close(): void {
    for (const call of this.#calls.values()) this.#finish(call);
  }

  #begin(sipCallId: string): Dialog {
    const dialog = { trace: new LegTrace('invite', 'invite'), call: null, isOver: false, inviteId: null };
    this.#dialogs.set(sipCallId, dialog);
    this.#pending.set(sipCallId, dialog);
    for (const [oldest, unused] of this.#pending) {
      if (this.#pending.size <= MAX_PENDING) break;
      this.#drop(oldest, unused);
    }
    return dialog;
  }

  #follow(dialog: Dialog, capture: SipCapture): void {
    dialog.isOver = isOverAfter(capture, dialog.isOver);
    if (!dialog.isOver) return;
    if (dialog.inviteId !== null) this.#finishInvite(capture.callId, dialog);
    else if (dialog.call?.timer) this.#finishIfOver(dialog.call);
  }

  /** Null: the call is over, and its ladder is finished. */
  #call(callId: number): CallLadder | null {
    const known = this.#calls.get(callId);
    if (known) {
      // It has returned, for example with the INVITE of a callback.
      if (known.timer && this.#options.isLive(callId)) {
        clearTimeout(known.timer);
        known.timer = null;
      }
      return known;
    }
    if (!this.#options.isLive(callId)) return null;
    const call = { callId, legs: new Map(), dialogs: new Map(), timer: null };
    this.#calls.set(callId, call);
    return call;
  }

  #leg(call: CallLadder, legId: string, kind: LadderLeg['kind']): LegTrace {
    const known = call.legs.get(legId);
    if (known) return known;
    const trace = new LegTrace(legId, kind);
    call.legs.set(legId, trace);
    return trace;
  }

  #finishIfOver(call: CallLadder): void {
    if ([...call.dialogs.values()].every(({ isOver }) => isOver)) this.#finish(call);
  }

  #finish(call: CallLadder): void {
    if (this.#calls.get(call.callId) !== call) return;
    if (call.timer) clearTimeout(call.timer);
    this.#calls.delete(call.callId);
    for (const sipCallId of call.dialogs.keys()) this.#dialogs.delete(sipCallId);
    this.#report([...call.legs.values()], { callId: call.callId, inviteId: null });
  }

  #finishInvite(sipCallId: string, dialog: Dialog): void {
    if (!this.#drop(sipCallId, dialog, false)) return;
    this.#report([dialog.trace], { callId: null, inviteId: dialog.inviteId });
  }

  #drop(sipCallId: string, dialog: Dialog, release = true): boolean {
    if (this.#pending.get(sipCallId) !== dialog) return false;
    this.#pending.delete(sipCallId);
    this.#dialogs.delete(sipCallId);
    if (release) this.#chars -= dialog.trace.size;
    return true;
  }

  #report(traces: LegTrace[], of: { callId: number | null; inviteId: string | null }): void {
    for (const trace of traces) this.#chars -= trace.size;
    // Nobody stores it.
    if (of.callId !== null && forwardedIdOf(of.callId) !== null) return;
    const used = traces.filter((trace) => !trace.isEmpty);
    if (used.length === 0) return;
    const entries = used
      .flatMap((trace, leg) => trace.masked().map((entry) => ({ ...entry, leg })))
      .toSorted((a, b) => a.ms - b.ms);
    const startedMs = entries[0]?.ms ?? 0;
    for (const entry of entries) entry.ms = Math.round((entry.ms - startedMs) * 10) / 10;
    const part = { version: 1 as const, legs: used.map(({ leg }) => leg), entries };
    this.#options.onFinished({ ladderId: randomUUID(), ...of, startedMs, part });
  }

  #counting(trace: LegTrace, capture: (trace: LegTrace) => void): void {
    const before = trace.size;
    capture(trace);
    this.#chars += trace.size - before;
  }

  #mayReportRefusal(): boolean {
    const second = Math.floor(this.#options.nowMs() / 1_000);
    if (this.#refusals.second !== second) this.#refusals = { second, count: 0 };
    this.#refusals.count += 1;
    return this.#refusals.count <= MAX_REFUSALS_PER_SECOND;
  }
}
