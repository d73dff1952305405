/**
 * A far end that sends what no producer takes, in a handed-over call. mediasoup drops it with a warning that does not name the transport,
 * so the leg is found by its counters: its packets arrive on the wire and reach no producer.
 *
 * A voice under a new SSRC takes the place of the one before it. Keys under an SSRC of their own (RFC 4733 §2.6.1 allows that) come beside
 * it. Where the warning leaves open what came, or whose it is, our endpoint takes the leg back and hears it itself.
 *
 * A far end may send as many SSRCs as packets, and a search reads the counters of every call of its worker: searches are limited, and a leg
 * that is followed too often is taken back.
 */
import type { Logger } from 'pino';
import type { HandedOver, Progress } from './endpoint/handed-over.ts';
import { lawOf } from './rtp/g711.ts';
import type { Dropped, MediaWorker } from './worker-pool.ts';

/** Long enough for a 60 ms packet that is up to 40 ms late; a packet between the two counter reads affects one window only. */
const VOICE_WINDOW_MS = 100;
const VOICE_WINDOWS = 2;
/** Bytes of one G.711 packet of 20 ms with its header; RTCP is smaller than two of them. */
const MIN_GROWTH_BYTES = 172;
/** Two packets of an event, of which a short key has eight. */
const KEY_WINDOW_MS = 40;
/** Between searches that find their leg: what mediasoup dropped before it was followed is told by then. */
const PAUSE_MS = 20;
/** After a search that found nobody: packets that belong to no leg keep coming. */
const FRUITLESS_PAUSE_MS = { stream: 40, voice: 500, keys: 40 } as const;
/** More new SSRCs than a far end has reason to use: each digit of a long number may have its own. */
export const MAX_FOLLOWED = 8;
export const FOLLOWED_WITHIN_MS = 4_000;

/** The part of a carrier leg that is used here. */
export interface FollowedLeg {
  readonly callId: number;
  readonly legId: string;
  /** Null while our endpoint has it. */
  readonly relay: Pick<
    HandedOver,
    'ssrc' | 'keyPayloadTypes' | 'progress' | 'followSsrc' | 'followKeys'
  > | null;
  learnAnew: () => void;
}

/** What is searched for. Each kind has its own turns, so that keys, which are over soon, do not wait for a voice. */
type Kind = 'stream' | 'voice' | 'keys';

export class SsrcFollower {
  readonly #handedOver: (media: MediaWorker) => readonly FollowedLeg[];
  readonly #log: Logger;
  /** Searches under way, or over so recently that none of their kind may begin. */
  readonly #searches = new WeakMap<MediaWorker, Set<Kind>>();
  /** When each leg was followed lately. */
  readonly #followed = new WeakMap<FollowedLeg, readonly number[]>();

  /** @param handedOver the legs that this worker relays */
  constructor(handedOver: (media: MediaWorker) => readonly FollowedLeg[], log: Logger) {
    this.#handedOver = handedOver;
    this.#log = log;
  }

  /** Called for every dropped packet. While its kind may not be searched for it is ignored: packets repeat. */
  dropped(media: MediaWorker, dropped: Dropped): void {
    const kind = kindOf(dropped);
    const searches = this.#searches.get(media) ?? new Set();
    if (searches.has(kind)) return;
    const legs = this.#handedOver(media);
    if (!isFollowed(dropped, legs)) return;
    this.#searches.set(media, searches.add(kind));
    void this.#search(legs, dropped)
      .catch((error: unknown) =>
        this.#log.warn({ err: error, ...dropped }, 'failed to follow the new SSRC of a stream'),
      )
      .then((found) => {
        const pauseMs = found ? PAUSE_MS : FRUITLESS_PAUSE_MS[kind];
        setTimeout(() => searches.delete(kind), pauseMs).unref();
      });
  }

  /** @returns whether its leg was found */
  async #search(legs: readonly FollowedLeg[], dropped: Dropped): Promise<boolean> {
    if (dropped.why === 'no-stream') return this.#takeBack(await withoutStream(legs, dropped.ssrc), dropped);
    if (dropped.why === 'unknown-codec') return this.#takeBack(await stalledOf(legs), dropped);
    const { ssrc, payloadType } = dropped;
    if (lawOf(payloadType) === null) {
      const withKeys = legs.filter((leg) => leg.relay?.keyPayloadTypes.includes(payloadType));
      return this.#followKeys(withKeys, dropped);
    }
    const stalled = await stalledOf(legs);
    // Several at once, as when a carrier's border controller fails over: which of them it is, each finds out by itself.
    if (stalled.length > 1) return this.#takeBack(stalled, dropped);
    const [found] = stalled;
    if (!found?.relay) return false;
    if (this.#isFollowedTooOften(found)) return this.#takeBack([found], dropped);
    this.#log.info({ callId: found.callId, legId: found.legId, ssrc }, 'the carrier changed its SSRC');
    await found.relay.followSsrc(ssrc, payloadType);
    return true;
  }

  #takeBack(legs: readonly FollowedLeg[], { why }: Dropped): boolean {
    for (const leg of legs) {
      this.#log.info({ callId: leg.callId, legId: leg.legId, why }, 'learning the carrier’s stream again');
      leg.learnAnew();
    }
    return legs.length > 0;
  }

  /** Every leg it may be listens: on the others nothing comes under this SSRC, and the key is over before we could be sure. */
  async #followKeys(legs: readonly FollowedLeg[], dropped: Keys): Promise<boolean> {
    const found = legs.length === 1 ? legs : await this.#withUnheard(legs);
    const tooOften = found.filter((leg) => this.#isFollowedTooOften(leg));
    this.#takeBack(tooOften, dropped);
    const followed = found.filter((leg) => !tooOften.includes(leg));
    await Promise.all(followed.map((leg) => leg.relay?.followKeys(dropped.ssrc, dropped.payloadType)));
    return found.length > 0;
  }

  #isFollowedTooOften(leg: FollowedLeg): boolean {
    const nowMs = performance.now();
    const lately = (this.#followed.get(leg) ?? []).filter((atMs) => nowMs - atMs < FOLLOWED_WITHIN_MS);
    const tooOften = lately.length >= MAX_FOLLOWED;
    this.#followed.set(leg, tooOften ? [] : [...lately, nowMs]);
    return tooOften;
  }

  async #withUnheard(legs: readonly FollowedLeg[]): Promise<readonly FollowedLeg[]> {
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

type Keys = Extract<Dropped, { why: 'unknown-ssrc' }>;

function kindOf(dropped: Dropped): Kind {
  if (dropped.why === 'no-stream') return 'stream';
  return dropped.why === 'unknown-codec' || lawOf(dropped.payloadType) !== null ? 'voice' : 'keys';
}

/** Comfort noise may be the first of a new stream; its voice follows. A stream that has its producer by now was told of before. */
function isFollowed(dropped: Dropped, legs: readonly FollowedLeg[]): boolean {
  if (dropped.why === 'no-stream') return true;
  if (dropped.why === 'unknown-codec') return lawOf(dropped.payloadType) !== null;
  const { ssrc, payloadType } = dropped;
  if (lawOf(payloadType) !== null) return legs.every((leg) => leg.relay?.ssrc !== ssrc);
  return legs.some((leg) => leg.relay?.keyPayloadTypes.includes(payloadType));
}

/** Legs whose producer has this SSRC and took nothing yet; another call's may have the same. */
async function withoutStream(legs: readonly FollowedLeg[], ssrc: number): Promise<FollowedLeg[]> {
  const named = legs.filter((leg) => leg.relay?.ssrc === ssrc);
  const progress = await progressOf(named);
  return named.filter((leg) => progress.get(leg)?.packets === 0);
}

async function stalledOf(legs: readonly FollowedLeg[]): Promise<FollowedLeg[]> {
  const readings = [await progressOf(legs)];
  let stalled = [...legs];
  for (let window = 0; window < VOICE_WINDOWS && stalled.length > 0; window += 1) {
    await sleep(VOICE_WINDOW_MS);
    readings.push(await progressOf(stalled));
    stalled = stalled.filter((leg) => isStalled(readings.map((reading) => reading.get(leg) ?? null)));
  }
  return stalled;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function progressOf(legs: readonly FollowedLeg[]): Promise<Map<FollowedLeg, Progress | null>> {
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
