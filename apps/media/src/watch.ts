/** What must end by itself: legs without audio, and legs whose call no realtime node claims. */
import { ORPHAN_LEG_MS, RTP_TIMEOUT_MS } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import type { Calls } from './calls.ts';
import type { AnyLeg } from './route/apply.ts';
import { localEnd } from './sip/leg-end.ts';

const WATCH_INTERVAL_MS = 1_000;
/** Handed-over legs must be asked for their counters: not every second. */
const COUNT_EVERY_ROUNDS = 3;

export interface WatchOptions {
  calls: Calls;
  log: Logger;
  rtpTimeoutMs?: number;
  watchIntervalMs?: number;
  orphanMs?: number;
  /** Realtime nodes connected now. */
  realtimeNodes: () => number;
  /** A connected realtime node has spoken for this call since it connected. */
  isClaimed: (callId: number) => boolean;
}

export class Watch {
  readonly #options: WatchOptions;
  readonly #heard = new Map<AnyLeg, { signs: number; sinceMs: number }>();
  readonly #unclaimedSinceMs = new Map<number, number>();
  #timer: NodeJS.Timeout | null = null;
  #rounds = 0;
  #busy = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#round(), this.#options.watchIntervalMs ?? WATCH_INTERVAL_MS);
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

  /** A carrier that is not on hold; an agent that somebody is to hear. A lost network has its own fact. */
  #mustBeHeard(leg: AnyLeg): boolean {
    if (leg.state !== 'CONNECTED') return false;
    // A supervisor who says nothing only listens.
    if (leg.kind === 'monitor') return false;
    if (leg.side === 'agent') return this.#options.calls.find(leg.callId)?.isWanted(leg.legId) ?? false;
    return leg.direction === 'sendrecv' || leg.direction === 'sendonly';
  }

  async #endSilent(): Promise<void> {
    const { calls, rtpTimeoutMs = RTP_TIMEOUT_MS } = this.#options;
    const legs = new Set(calls.legs);
    for (const leg of this.#heard.keys()) if (!legs.has(leg)) this.#heard.delete(leg);
    for (const leg of legs) {
      if (!this.#mustBeHeard(leg)) {
        this.#heard.delete(leg);
        continue;
      }
      const signs = await leg.signsOfLife().catch(() => 0);
      const nowMs = performance.now();
      const last = this.#heard.get(leg);
      if (!last || last.signs !== signs) {
        this.#heard.set(leg, { signs, sinceMs: nowMs });
      } else if (nowMs - last.sinceMs >= rtpTimeoutMs) {
        calls.hangup(leg, { end: localEnd('rtp-timeout', `no audio for ${rtpTimeoutMs} ms`) });
      }
    }
  }
}
