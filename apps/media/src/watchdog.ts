/** Ends legs without audio, and legs whose call no realtime node claims. */
import { ORPHAN_LEG_MS, RTP_TIMEOUT_MS } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import type { Calls } from './calls.ts';
import type { AnyLeg } from './route/call-media.ts';
import { localEnd } from './sip/leg-end.ts';

const WATCHDOG_INTERVAL_MS = 1_000;
/** Reading the counters of handed-over legs takes a request to the worker, so not every second. */
const COUNT_EVERY_ROUNDS = 3;

export interface WatchdogOptions {
  calls: Calls;
  log: Logger;
  rtpTimeoutMs?: number;
  watchdogIntervalMs?: number;
  orphanMs?: number;
  /** The number of connected realtime nodes. */
  realtimeNodes: () => number;
  /** Whether a connected realtime node has claimed this call. */
  isClaimed: (callId: number) => boolean;
}

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #activity = new Map<AnyLeg, { count: number; sinceMs: number }>();
  readonly #unclaimedSinceMs = new Map<number, number>();
  #timer: NodeJS.Timeout | null = null;
  #rounds = 0;
  #busy = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(
      () => void this.#round(),
      this.#options.watchdogIntervalMs ?? WATCHDOG_INTERVAL_MS,
    );
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #round(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      this.#rounds += 1;
      this.#endOrphans();
      if (this.#rounds % COUNT_EVERY_ROUNDS === 0) await this.#endSilent();
    } finally {
      this.#busy = false;
    }
  }

  #endOrphans(): void {
    const { calls, isClaimed, realtimeNodes, orphanMs = ORPHAN_LEG_MS } = this.#options;
    const nowMs = performance.now();
    const live = new Set<number>();
    for (const call of calls.all) {
      live.add(call.callId);
      if (realtimeNodes() === 0 || isClaimed(call.callId)) {
        this.#unclaimedSinceMs.delete(call.callId);
        continue;
      }
      const sinceMs = this.#unclaimedSinceMs.get(call.callId) ?? nowMs;
      this.#unclaimedSinceMs.set(call.callId, sinceMs);
      if (nowMs - sinceMs < orphanMs) continue;
      this.#options.log.warn({ callId: call.callId }, 'no realtime node claimed the call, ending it');
      for (const leg of call.legs.values()) {
        calls.hangup(leg, { end: localEnd('local', 'no realtime node claimed the call') });
      }
    }
    for (const callId of this.#unclaimedSinceMs.keys()) {
      if (!live.has(callId)) this.#unclaimedSinceMs.delete(callId);
    }
  }

  /**
   * Audio is expected from a customer's leg that is not on hold, and from an agent leg that another leg hears. A customer
   * who puts the call on hold (RFC 3264 §8.4: `sendonly` or `inactive`) may send nothing; an OPTIONS probe notices the
   * loss of such a remote party. A lost network has its own fact.
   */
  #expectsAudio(leg: AnyLeg): boolean {
    if (leg.state !== 'CONNECTED') return false;
    // A silent supervisor is only listening.
    if (leg.kind === 'monitor') return false;
    if (leg.side === 'agent') return this.#options.calls.find(leg.callId)?.isHeard(leg.legId) ?? false;
    return leg.direction === 'sendrecv';
  }

  async #endSilent(): Promise<void> {
    const { calls, rtpTimeoutMs = RTP_TIMEOUT_MS } = this.#options;
    const legs = new Set(calls.legs);
    for (const leg of this.#activity.keys()) if (!legs.has(leg)) this.#activity.delete(leg);
    for (const leg of legs) {
      if (!this.#expectsAudio(leg)) {
        this.#activity.delete(leg);
        continue;
      }
      const count = await leg.activityCount().catch(() => 0);
      const nowMs = performance.now();
      const last = this.#activity.get(leg);
      if (!last || last.count !== count) {
        this.#activity.set(leg, { count, sinceMs: nowMs });
      } else if (nowMs - last.sinceMs >= rtpTimeoutMs) {
        calls.hangup(leg, { end: localEnd('rtp-timeout', `no audio for ${rtpTimeoutMs} ms`) });
      }
    }
  }
}
