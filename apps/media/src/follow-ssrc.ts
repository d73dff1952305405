/**
 * A far end that sends what no producer takes, in a handed-over call. mediasoup drops it with a warning that does not name the transport,
 * so the leg is found by its counters: its packets arrive on the wire and reach no producer.
 *
 * A voice under a new SSRC takes the place of the one before it. Keys under an SSRC of their own (RFC 4733 §2.6.1 allows that) come beside
 * it. Where the warning leaves open what came, or whose it is, our endpoint takes the leg back and hears it itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Calls } from './calls.ts';
import type { Progress } from './endpoint/handed-over.ts';
import type { CarrierLeg } from './leg/carrier-leg.ts';
import { lawOf } from './rtp/g711.ts';
import type { Dropped, MediaWorker } from './worker-pool.ts';

/** Long enough for a 60 ms packet that is up to 40 ms late; a packet between the two counter reads affects one window only. */
const VOICE_WINDOW_MS = 100;
const VOICE_WINDOWS = 2;
/** Bytes of one G.711 packet of 20 ms with its header; RTCP is smaller than two of them. */
const MIN_GROWTH_BYTES = 172;
/** Two packets of an event, of which a short key has eight. */
const KEY_WINDOW_MS = 40;
/** What nobody was found for is not looked for again at once. */
const FORGET_MS = 500;

export class SsrcFollower {
  readonly #calls: Calls;
  readonly #log: Logger;
  readonly #looking = new Set<string>();

  constructor(calls: Calls, log: Logger) {
    this.#calls = calls;
    this.#log = log;
  }

  /** Called for every dropped packet; what is the same is looked for once at a time. */
  dropped(media: MediaWorker, dropped: Dropped): void {
    const key = `${media.worker.pid}:${JSON.stringify(dropped)}`;
    const legs = this.#handedOver(media);
    if (this.#looking.has(key) || !isFollowed(dropped, legs)) return;
    this.#looking.add(key);
    void this.#search(legs, dropped)
      .catch((error: unknown) => this.#log.warn({ err: error, ...dropped }, 'a stream could not be followed'))
      .then((found) => {
        if (found) this.#looking.delete(key);
        else setTimeout(() => this.#looking.delete(key), FORGET_MS).unref();
      });
  }

  #handedOver(media: MediaWorker): CarrierLeg[] {
    return this.#calls.legs.filter(
      (leg): leg is CarrierLeg => leg.side === 'carrier' && leg.media === media && leg.relay !== null,
    );
  }

  /** @returns whether its leg was found */
  async #search(legs: readonly CarrierLeg[], dropped: Dropped): Promise<boolean> {
    if (dropped.why === 'no-stream') return this.#takeBack(await withoutStream(legs, dropped.ssrc), dropped);
    if (dropped.why === 'unknown-codec') return this.#takeBack(await stalledOf(legs), dropped);
    const { ssrc, payloadType } = dropped;
    const withKeys = legs.filter((leg) => leg.relay?.keyPayloadTypes.includes(payloadType));
    if (withKeys.length > 0) return this.#followKeys(withKeys, ssrc, payloadType);
    const stalled = await stalledOf(legs);
    // Several at once, as when a carrier's border controller fails over: which of them it is, each finds out by itself.
    if (stalled.length > 1) return this.#takeBack(stalled, dropped);
    const [found] = stalled;
    if (!found?.relay) return false;
    this.#log.info({ callId: found.callId, legId: found.legId, ssrc }, 'the carrier changed its SSRC');
    await found.relay.followSsrc(ssrc, payloadType);
    return true;
  }

  #takeBack(legs: readonly CarrierLeg[], { why }: Dropped): boolean {
    for (const leg of legs) {
      this.#log.info({ callId: leg.callId, legId: leg.legId, why }, 'the carrier’s stream is learned anew');
      leg.learnAnew();
    }
    return legs.length > 0;
  }

  /** Every leg it may be listens: on the others nothing comes under this SSRC, and the key is over before we could be sure. */
  async #followKeys(legs: readonly CarrierLeg[], ssrc: number, payloadType: number): Promise<boolean> {
    const found = legs.length === 1 ? legs : await this.#withUnheard(legs);
    await Promise.all(found.map((leg) => leg.relay?.followKeys(ssrc, payloadType)));
    return found.length > 0;
  }

  async #withUnheard(legs: readonly CarrierLeg[]): Promise<readonly CarrierLeg[]> {
    const before = await progressOf(legs);
    await sleep(KEY_WINDOW_MS);
    const after = await progressOf(legs);
    return legs.filter((leg) => {
      const [first, second] = [before.get(leg), after.get(leg)];
      if (!first || !second) return false;
      return second.wireBytes - first.wireBytes > second.voiceBytes - first.voiceBytes;
    });
  }
}

/** Comfort noise may be the first of a new stream; its voice follows. */
function isFollowed(dropped: Dropped, legs: readonly CarrierLeg[]): boolean {
  if (dropped.why === 'no-stream') return true;
  if (lawOf(dropped.payloadType) !== null) return true;
  return (
    dropped.why === 'unknown-ssrc' &&
    legs.some((leg) => leg.relay?.keyPayloadTypes.includes(dropped.payloadType))
  );
}

/** Legs whose producer has this SSRC and took nothing yet; another call's may have the same. */
async function withoutStream(legs: readonly CarrierLeg[], ssrc: number): Promise<CarrierLeg[]> {
  const named = legs.filter((leg) => leg.relay?.ssrc === ssrc);
  const progress = await progressOf(named);
  return named.filter((leg) => progress.get(leg)?.packets === 0);
}

async function stalledOf(legs: readonly CarrierLeg[]): Promise<CarrierLeg[]> {
  const readings = [await progressOf(legs)];
  for (let window = 0; window < VOICE_WINDOWS; window += 1) {
    await sleep(VOICE_WINDOW_MS);
    readings.push(await progressOf(legs));
  }
  return legs.filter((leg) => isStalled(readings.map((reading) => reading.get(leg) ?? null)));
}

async function progressOf(legs: readonly CarrierLeg[]): Promise<Map<CarrierLeg, Progress | null>> {
  const readings = await Promise.all(legs.map((leg) => leg.relay?.progress().catch(() => null) ?? null));
  return new Map(legs.map((leg, index) => [leg, readings[index] ?? null]));
}

/** Packets arrived in every window, and none reached the producer. */
export function isStalled(readings: readonly (Progress | null)[]): boolean {
  return readings.every((reading, index) => {
    if (index === 0) return reading !== null;
    const before = readings[index - 1];
    return (
      reading !== null &&
      before !== null &&
      before !== undefined &&
      reading.packets === before.packets &&
      reading.wireBytes - before.wireBytes >= MIN_GROWTH_BYTES
    );
  });
}
