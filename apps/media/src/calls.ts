/** The calls and legs of this node, and the only place where a leg ends. */
import { EventEmitter, once } from 'node:events';
import type { LegEnd, LegSummary, MediaFact, MediaFactPayload } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import type { AgentLeg } from './leg/agent-leg.ts';
import type { CarrierLeg } from './leg/carrier-leg.ts';
import type { PortAllocator } from './ports.ts';
import { monotonicTime } from './monotonic-time.ts';
import { CallMedia, type AnyLeg } from './route/call-media.ts';
import { localEnd } from './sip/leg-end.ts';
import type { InboundCall } from './sip/inbound.ts';
import type { OutboundCall } from './sip/outbound.ts';
import type { MediaWorker, WorkerPool } from './worker-pool.ts';

export type AnySignalling = InboundCall | OutboundCall;

export interface CallsOptions {
  pool: WorkerPool;
  ports: PortAllocator;
  log: Logger;
  report: <F extends MediaFact>(fact: F, payload: MediaFactPayload<F>) => void;
  onLegRemoved: (legId: string) => void;
  onCallRemoved: (callId: number) => void;
  /** Called when a leg was added to or removed from the call. */
  onLegsChanged: (callId: number) => void;
}

export class Calls {
  readonly #options: CallsOptions;
  readonly #calls = new Map<number, CallMedia>();
  /** The number of operations that are using each call. */
  readonly #operations = new WeakMap<CallMedia, number>();
  readonly #signalling = new Map<string, AnySignalling>();
  /** Legs whose resources are still being released. */
  readonly #closing = new Set<Promise<void>>();
  readonly #removals = new EventEmitter();

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  get all(): CallMedia[] {
    return [...this.#calls.values()];
  }

  get legs(): AnyLeg[] {
    return this.all.flatMap((call) => [...call.legs.values()]);
  }

  get legCount(): number {
    let count = 0;
    for (const call of this.#calls.values()) count += call.legs.size;
    return count;
  }

  find(callId: number): CallMedia | undefined {
    return this.#calls.get(callId);
  }

  leg(callId: number, legId: string): AnyLeg | undefined {
    return this.#calls.get(callId)?.legs.get(legId);
  }

  carrier(callId: number, legId: string): CarrierLeg | undefined {
    const leg = this.leg(callId, legId);
    return leg && leg.side === 'carrier' ? leg : undefined;
  }

  /** The legs of this worker that are handed over to mediasoup. */
  legsOnMediasoup(media: MediaWorker): CarrierLeg[] {
    return this.legs.filter(
      (leg): leg is CarrierLeg =>
        leg.side === 'carrier' && leg.media === media && leg.mediasoupEndpoint !== null,
    );
  }

  signalling(legId: string): AnySignalling | undefined {
    return this.#signalling.get(legId);
  }

  /**
   * Runs `work` on a call, which is created if this node does not have it. The call and its reservation on a worker are
   * kept until no operation uses it and its last leg has ended.
   */
  async withCall<T>(callId: number, work: (call: CallMedia) => Promise<T>): Promise<T> {
    let call = this.#calls.get(callId);
    if (!call) {
      call = new CallMedia(callId, this.#options.pool.acquire(), this.#options.log);
      this.#calls.set(callId, call);
    }
    this.#operations.set(call, (this.#operations.get(call) ?? 0) + 1);
    try {
      return await work(call);
    } finally {
      this.#operations.set(call, (this.#operations.get(call) ?? 1) - 1);
      this.#removeIfUnused(call);
    }
  }

  add(call: CallMedia, leg: AnyLeg, signalling?: AnySignalling): void {
    call.legs.set(leg.legId, leg);
    if (signalling) this.#signalling.set(leg.legId, signalling);
    call.changed();
    this.#options.onLegsChanged(call.callId);
  }

  #removeIfUnused(call: CallMedia): void {
    if (call.legs.size > 0 || (this.#operations.get(call) ?? 0) > 0 || this.#calls.get(call.callId) !== call)
      return;
    this.#calls.delete(call.callId);
    this.#options.pool.release(call.media);
    this.#options.onCallRemoved(call.callId);
    this.#removals.emit('removed');
  }

  /** Ends a leg in the way its state requires; the fact follows. Does nothing if the leg has already ended. */
  hangup(leg: AnyLeg, how: { status?: number; end?: LegEnd } = {}): void {
    if (leg.side === 'carrier') this.#signalling.get(leg.legId)?.hangup(how);
    else this.end(leg, how.end ?? localEnd('local', `the ${leg.side} leg was closed`));
  }

  /** Reports the one `leg:ended` of a leg and releases its resources. */
  end(leg: AnyLeg, end: LegEnd): void {
    const call = this.#calls.get(leg.callId);
    if (!call || call.legs.get(leg.legId) !== leg) return;
    call.legs.delete(leg.legId);
    this.#options.onLegsChanged(leg.callId);
    this.#signalling.delete(leg.legId);
    const endedAt = monotonicTime();
    this.#options.log.info(
      { callId: leg.callId, legId: leg.legId, kind: leg.kind, cause: end.cause, sipStatus: end.sipStatus },
      'leg ended',
    );
    const closing = this.withCall(leg.callId, () => this.#close(call, leg, end, endedAt)).catch(
      (error: unknown) => {
        this.#options.log.error({ err: error, legId: leg.legId }, 'failed to close a leg');
      },
    );
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  workerDied(worker: MediaWorker): void {
    for (const call of this.all) {
      if (call.media !== worker) continue;
      for (const leg of call.legs.values()) {
        this.hangup(leg, { status: 500, end: localEnd('media-error', 'the media worker died') });
      }
    }
  }

  summaries(): LegSummary[] {
    return this.legs.map((leg) => ({
      callId: leg.callId,
      legId: leg.legId,
      kind: leg.kind,
      state: leg.state,
    }));
  }

  /** Resolves when this node has no call. */
  async ended(): Promise<void> {
    while (this.#calls.size > 0) await once(this.#removals, 'removed');
  }

  /** Resolves when all legs that were closing are closed. */
  async closed(): Promise<void> {
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  async #close(call: CallMedia, leg: AnyLeg, end: LegEnd, at: string): Promise<void> {
    const stats = await leg.stats().catch(() => null);
    const { callId, legId, kind } = leg;
    this.#options.report('leg:ended', { callId, legId, kind, at, end, stats });
    // Other legs that hear this one are moved away from it before it closes, and no hand-over is in progress when it
    // does.
    call.changed();
    await call.settled();
    await leg.close();
    if (leg.side !== 'agent') this.#options.ports.release(leg.port);
    this.#options.onLegRemoved(leg.legId);
  }
}

export type { AgentLeg, CarrierLeg };
