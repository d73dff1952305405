/**
 * A far end that sends under an SSRC we do not know, in a handed-over call. mediasoup drops it with a warning that names SSRC and payload
 * type but not the transport, so the leg is found by its counters: its packets arrive on the wire and reach no producer.
 *
 * A new voice replaces the previous one. Keys under an SSRC of their own (allowed by RFC 4733 §2.6.1) are added beside it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Calls } from './calls.ts';
import type { Progress } from './endpoint/handed-over.ts';
import type { CarrierLeg } from './leg/carrier-leg.ts';
import { lawOf } from './rtp/g711.ts';
import type { MediaWorker } from './worker-pool.ts';

/** Long enough for a 60 ms packet that is up to 40 ms late; a packet between the two counter reads affects one window only. */
const VOICE_WINDOW_MS = 100;
const VOICE_WINDOWS = 2;
/** Bytes of one G.711 packet of 20 ms with its header; RTCP is smaller than two of them. */
const MIN_GROWTH_BYTES = 172;
/** Two packets of an event, of which a short key has eight. */
const KEY_WINDOW_MS = 40;
/** An SSRC that nobody was found for is not looked for again at once. */
const FORGET_MS = 500;

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
    const handedOver = this.#calls.legs.filter(
      (leg): leg is CarrierLeg => leg.side === 'carrier' && leg.media === media && leg.relay !== null,
    );
    const withKeys = handedOver.filter((leg) => leg.relay?.keyPayloadTypes.includes(payloadType));
    if (withKeys.length > 0) return this.#followKeys(withKeys, ssrc, payloadType);
    // Comfort noise may be the first of a new stream; its voice follows.
    return lawOf(payloadType) !== null && this.#followVoice(handedOver, ssrc, payloadType);
  }

  async #followVoice(legs: readonly CarrierLeg[], ssrc: number, payloadType: number): Promise<boolean> {
    const readings = [await progressOf(legs)];
    for (let window = 0; window < VOICE_WINDOWS; window += 1) {
      await sleep(VOICE_WINDOW_MS);
      readings.push(await progressOf(legs));
    }
    const found = legs.find((leg) => isStalled(readings.map((reading) => reading.get(leg) ?? null)));
    if (!found?.relay) return false;
    this.#log.info({ callId: found.callId, legId: found.legId, ssrc }, 'the carrier changed its SSRC');
    await found.relay.followSsrc(ssrc, payloadType);
    return true;
  }

  /** Follows on every candidate leg: the others receive nothing under this SSRC, and the key would end before we could be certain. */
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
