/**
 * A carrier that changes its SSRC in a handed-over call. mediasoup drops the new one with a warning that names the SSRC but not
 * the transport; the leg it belongs to is the one whose packets arrive on the wire and reach no producer.
 */
import type { Logger } from 'pino';
import type { Calls } from './calls.ts';
import type { CarrierLeg } from './leg/carrier-leg.ts';
import type { MediaWorker } from './worker-pool.ts';

/** Two packets' time: enough for one of them to arrive between two readings of the counters. */
const OBSERVE_MS = 45;
/** Bytes of one G.711 packet of 20 ms with its header; RTCP is smaller than two of them. */
const MIN_GROWTH_BYTES = 172;
/** An SSRC that nobody was found for is not looked for again at once. */
const FORGET_MS = 2_000;

export class SsrcFollower {
  readonly #calls: Calls;
  readonly #log: Logger;
  readonly #looking = new Set<string>();

  constructor(calls: Calls, log: Logger) {
    this.#calls = calls;
    this.#log = log;
  }

  /** Called for every dropped packet; the search runs once per SSRC. */
  unknown(media: MediaWorker, ssrc: number, payloadType: number): void {
    const key = `${media.worker.pid}:${ssrc}`;
    if (this.#looking.has(key)) return;
    this.#looking.add(key);
    void this.#search(media, ssrc, payloadType)
      .catch((error: unknown) => this.#log.warn({ err: error, ssrc }, 'an SSRC could not be followed'))
      .then((found) => {
        if (found) this.#looking.delete(key);
        else setTimeout(() => this.#looking.delete(key), FORGET_MS).unref();
      });
  }

  async #search(media: MediaWorker, ssrc: number, payloadType: number): Promise<boolean> {
    const candidates = this.#calls.legs.filter(
      (leg): leg is CarrierLeg => leg.side === 'carrier' && leg.media === media && leg.relay !== null,
    );
    const only = candidates.length === 1 ? candidates[0] : undefined;
    const leg = only ?? (await this.#stalled(candidates));
    if (!leg?.relay) return false;
    this.#log.info({ callId: leg.callId, legId: leg.legId, ssrc }, 'the carrier changed its SSRC');
    await leg.relay.followSsrc(ssrc, payloadType);
    return true;
  }

  async #stalled(candidates: readonly CarrierLeg[]): Promise<CarrierLeg | undefined> {
    const before = await Promise.all(candidates.map((leg) => leg.relay?.progress()));
    await new Promise((resolve) => setTimeout(resolve, OBSERVE_MS));
    const after = await Promise.all(candidates.map((leg) => leg.relay?.progress()));
    return candidates.find((_leg, index) => {
      const [first, second] = [before[index], after[index]];
      return (
        first !== undefined &&
        second !== undefined &&
        second.packets === first.packets &&
        second.wireBytes - first.wireBytes >= MIN_GROWTH_BYTES
      );
    });
  }
}
