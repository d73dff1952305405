/**
 * Takes the webhook events of WhatsApp calls: when the process that stored them notifies, and periodically those that were left behind.
 * Concurrent nodes wait for one another at the call's row, and only the first finds the events.
 */
import { retryOnConflict } from '@clarion/core/retry-on-conflict';
import { legEndOfInterruption } from '@clarion/core/whatsapp-graph/leg-end';
import { dueCalls } from '@clarion/core/whatsapp/due-calls';
import { settleCall, takeCallEvents } from '@clarion/core/whatsapp/whatsapp-call';
import type { MetaCall, TakenFacts } from '@clarion/core/whatsapp/whatsapp-call';
import type { Tx } from '@clarion/db';
import type { LegEnd } from '@clarion/protocol/media';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { LimitedWarnings } from '../lib/limited-warnings.ts';
import type { NodeLoad } from '../media/context.ts';
import { readState } from '../media/read-state.ts';
import { answerOffer, preAccept } from './answer-call.ts';
import { applyEvents, NotNow } from './apply-events.ts';
import type { AppliedEvents, Begun } from './apply-events.ts';
import type { WhatsAppContext } from './context.ts';
import { endAtMeta, rejectAtMeta } from './end-call.ts';
import { legEnded } from './leg-events.ts';

type Take = (tx: Tx, call: MetaCall, now: Date) => Promise<TakenFacts>;

export class WhatsAppArrivals {
  readonly #context: WhatsAppContext;
  readonly #warnings: LimitedWarnings;
  readonly #load: NodeLoad;
  readonly #calls: Counter<'result'>;
  readonly #timers = new Set<NodeJS.Timeout>();
  #stopped = false;

  constructor(
    context: WhatsAppContext,
    { warnings, load, metrics }: { warnings: LimitedWarnings; load: NodeLoad; metrics: Registry },
  ) {
    this.#context = context;
    this.#warnings = warnings;
    this.#load = load;
    this.#calls = new Counter({
      name: 'clarion_whatsapp_inbound_calls_total',
      help: 'Calls of WhatsApp customers, by result: created, missed (over before they could ring), or refused',
      labelNames: ['result'],
      registers: [metrics],
    });
    context.onNamed = (call) => context.background.start('take WhatsApp events', {}, () => this.#take(call));
  }

  /** An event was stored. Several events of a call may be taken together, and another node may be faster. */
  async eventStored(eventId: bigint): Promise<void> {
    const event = await this.#context.deps.db.whatsAppEvent.findUnique({
      where: { id: eventId },
      select: { channelId: true, whatsAppCallId: true, takenAt: true },
    });
    if (event?.takenAt === null) await this.#take(event);
  }

  /** What notifications and processes that died have left behind. */
  async sweep(): Promise<void> {
    const { deps } = this.#context;
    const { untaken, unsettled, interrupted } = await dueCalls(deps.db, deps.now());
    for (const call of untaken) await this.#attempt(() => this.#take(call));
    for (const call of unsettled) await this.#attempt(() => this.#take(call, settleCall));
    for (const { callId, request } of interrupted) {
      deps.log.warn({ callId, request }, 'a request to WhatsApp was interrupted');
      await this.#attempt(() => this.#endInterrupted(callId));
    }
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** One call that fails does not keep the others waiting. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#context.deps.log.warn({ err: error }, 'failed to handle a WhatsApp call');
    }
  }

  async #take(call: MetaCall, take: Take = takeCallEvents): Promise<void> {
    const { deps } = this.#context;
    let applied: AppliedEvents;
    try {
      applied = await retryOnConflict(deps.db, async (tx) =>
        applyEvents(tx, { ...this.#context, load: this.#load }, call, await take(tx, call, deps.now())),
      );
    } catch (error) {
      if (!(error instanceof NotNow)) throw error;
      this.#warnings.warn({ reason: error.message }, 'WhatsApp events wait');
      return;
    }
    await this.#carryOut(call, applied);
  }

  async #carryOut(call: MetaCall, { taken, begun, steps, pending, isStray }: AppliedEvents): Promise<void> {
    const { engine } = this.#context;
    for (const { event, stepped } of steps) await engine.carryOut(event, async () => stepped);
    for (const one of pending) engine.run(one);
    if (isStray && taken.callId !== null) await endAtMeta(this.#context, taken.callId);
    if (begun) await this.#begin(call, begun);
    if (taken.settleAt !== null) this.#settleAt(call, taken.settleAt);
  }

  async #begin(call: MetaCall, begun: Begun): Promise<void> {
    const { deps, engine } = this.#context;
    const { result, isMissed } = begun;
    const { channelId } = call;
    this.#calls.inc({ result: isMissed ? 'missed' : result.kind });
    switch (result.kind) {
      case 'known':
        return;
      case 'refused':
        deps.log.info({ channelId, callId: result.callId, reason: result.reason }, 'WhatsApp call refused');
        engine.run(result.pending);
        if (!isMissed) rejectAtMeta(this.#context, result.callId, call);
        return;
      case 'created':
        deps.log.info({ channelId, callId: result.callId, isMissed }, 'WhatsApp call arrived');
        // The leg exists before the effects that concern it, and before an agent can accept the call.
        if (!isMissed) await this.#answerOffer(call, begun, result);
        engine.run(result.pending);
    }
  }

  async #answerOffer(
    call: MetaCall,
    { sdpOffer, mediaNodeId: nodeId, legId }: Begun,
    { callId, pending }: Extract<Begun['result'], { kind: 'created' }>,
  ): Promise<void> {
    const answered = await answerOffer(this.#context, { callId, legId, nodeId }, sdpOffer);
    if (answered.kind === 'refused') {
      const { message } = answered;
      await legEnded(this.#context, { callId, legId }, mediaError(message));
    }
    const isAcceptedNow = pending?.effects.some(
      (effect) => effect.kind === 'media' && effect.order.command === 'carrier:answer',
    );
    if (answered.kind === 'ok' && !isAcceptedNow)
      preAccept(this.#context, callId, call, answered.reply.sdpAnswer);
  }

  /** Any node settles the call a little later if this one dies. */
  #settleAt(call: MetaCall, at: Date): void {
    if (this.#stopped) return;
    const { deps, background } = this.#context;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        background.start('settle a WhatsApp call', {}, () => this.#take(call, settleCall));
      },
      Math.max(0, at.getTime() - deps.now().getTime()) + TIMER_EARLY_MS,
    );
    this.#timers.add(timer);
  }

  async #endInterrupted(callId: number): Promise<void> {
    const { deps } = this.#context;
    const row = await deps.db.liveCall.findUnique({ where: { callId }, select: { state: true } });
    const state = row && readState(row.state);
    if (state && 'carrierLegId' in state)
      await legEnded(this.#context, { callId, legId: state.carrierLegId }, legEndOfInterruption());
  }
}

/** Timers may fire a millisecond early, and a call that is settled too early changes nothing. */
const TIMER_EARLY_MS = 2;

const mediaError = (message: string): LegEnd => ({
  cause: 'media-error',
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message,
});
