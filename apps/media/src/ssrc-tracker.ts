/**
 * Handles RTP of a handed-over call that no mediasoup producer accepts. mediasoup drops it with a warning that does not
 * name the transport, so the leg is identified by its counters: packets arrive but do not reach a producer.
 *
 * A voice with a new SSRC replaces the previous one. DTMF with its own SSRC (allowed by RFC 4733 §2.6.1) is received in
 * addition. If the warning does not identify the stream or its leg, the leg is taken back to the local endpoint, which
 * learns the stream itself.
 *
 * A remote party may send every packet with another SSRC, and a search reads the counters of every call of its worker.
 * Therefore searches are limited, and a leg with too many SSRC changes is taken back.
 */
import type { Logger } from 'pino';
import type { MediasoupEndpoint, ReceiveCounters } from './endpoint/mediasoup-endpoint.ts';
import { lawOf } from './rtp/g711.ts';
import type { DroppedPacket, MediaWorker } from './worker-pool.ts';

/**
 * Long enough for a 60 ms packet that is up to 40 ms late; a packet between the two counter reads affects one window
 * only.
 */
const VOICE_WINDOW_MS = 100;
const VOICE_WINDOWS = 2;
/** Bytes of one 20 ms G.711 packet with its header; RTCP is smaller than two of them. */
const MIN_GROWTH_BYTES = 172;
/** Two packets of an event; a short one has eight. */
const KEY_WINDOW_MS = 40;
/** Pause after a successful search: by then mediasoup has reported all packets that it dropped before. */
const PAUSE_MS = 20;
/** Pause after a search without a result: packets that belong to no leg keep arriving. */
const FAILED_SEARCH_PAUSE_MS = { stream: 40, voice: 500, keys: 40 } as const;
/** More SSRC changes than are plausible: each digit of a long number may have its own SSRC. */
export const MAX_SSRC_CHANGES = 8;
export const SSRC_CHANGE_WINDOW_MS = 4_000;

/** The part of a carrier leg that is used here. */
export interface TrackedLeg {
  readonly callId: number;
  readonly legId: string;
  /** Null while the leg is on the local endpoint. */
  readonly mediasoupEndpoint: Pick<
    MediasoupEndpoint,
    'ssrc' | 'dtmfPayloadTypes' | 'counters' | 'switchVoiceSsrc' | 'addDtmfSsrc'
  > | null;
  relearnStream: () => void;
}

/** What is searched for. Each kind has its own limit, so that DTMF, which is short, does not wait for a voice. */
type SearchKind = 'stream' | 'voice' | 'keys';

export class SsrcTracker {
  readonly #legsOnMediasoup: (media: MediaWorker) => readonly TrackedLeg[];
  readonly #log: Logger;
  /** Searches in progress, and those that ended so recently that none of the same kind may start. */
  readonly #searches = new WeakMap<MediaWorker, Set<SearchKind>>();
  /** The times of recent SSRC changes per leg. */
  readonly #recentChanges = new WeakMap<TrackedLeg, readonly number[]>();

  /** @param legsOnMediasoup returns the legs that this worker serves */
  constructor(legsOnMediasoup: (media: MediaWorker) => readonly TrackedLeg[], log: Logger) {
    this.#legsOnMediasoup = legsOnMediasoup;
    this.#log = log;
  }

  /**
   * Called for every dropped packet. It is ignored if its kind may not be searched for at the moment, because packets
   * repeat.
   */
  dropped(media: MediaWorker, dropped: DroppedPacket): void {
    const kind = kindOf(dropped);
    const searches = this.#searches.get(media) ?? new Set();
    if (searches.has(kind)) return;
    const legs = this.#legsOnMediasoup(media);
    if (!needsSearch(dropped, legs)) return;
    this.#searches.set(media, searches.add(kind));
    void this.#search(legs, dropped)
      .catch((error: unknown) =>
        this.#log.warn({ err: error, ...dropped }, 'failed to follow the new SSRC of a stream'),
      )
      .then((found) => {
        const pauseMs = found ? PAUSE_MS : FAILED_SEARCH_PAUSE_MS[kind];
        setTimeout(() => searches.delete(kind), pauseMs).unref();
      });
  }

  /** @returns whether the leg was found */
  async #search(legs: readonly TrackedLeg[], dropped: DroppedPacket): Promise<boolean> {
    if (dropped.reason === 'no-stream')
      return this.#takeBack(await legsWithoutStream(legs, dropped.ssrc), dropped);
    if (dropped.reason === 'unknown-codec') return this.#takeBack(await stalledLegs(legs), dropped);
    const { ssrc, payloadType } = dropped;
    if (lawOf(payloadType) === null) {
      const withKeys = legs.filter((leg) => leg.mediasoupEndpoint?.dtmfPayloadTypes.includes(payloadType));
      return this.#addDtmfSsrc(withKeys, dropped);
    }
    const stalled = await stalledLegs(legs);
    // Several at the same time, for example when a carrier's border controller fails over: each local endpoint learns
    // its own stream.
    if (stalled.length > 1) return this.#takeBack(stalled, dropped);
    const [found] = stalled;
    if (!found?.mediasoupEndpoint) return false;
    if (this.#exceedsChangeLimit(found)) return this.#takeBack([found], dropped);
    this.#log.info({ callId: found.callId, legId: found.legId, ssrc }, 'the carrier changed its SSRC');
    await found.mediasoupEndpoint.switchVoiceSsrc(ssrc, payloadType);
    return true;
  }

  #takeBack(legs: readonly TrackedLeg[], { reason }: DroppedPacket): boolean {
    for (const leg of legs) {
      this.#log.info({ callId: leg.callId, legId: leg.legId, reason }, 'learning the carrier’s stream again');
      leg.relearnStream();
    }
    return legs.length > 0;
  }

  /**
   * Every candidate listens: on the wrong legs nothing arrives with this SSRC, and the event would be over before we
   * could be sure.
   */
  async #addDtmfSsrc(legs: readonly TrackedLeg[], dropped: UnknownSsrc): Promise<boolean> {
    const found = legs.length === 1 ? legs : await this.#withUnreceivedPackets(legs);
    const tooOften = found.filter((leg) => this.#exceedsChangeLimit(leg));
    this.#takeBack(tooOften, dropped);
    const followed = found.filter((leg) => !tooOften.includes(leg));
    await Promise.all(
      followed.map((leg) => leg.mediasoupEndpoint?.addDtmfSsrc(dropped.ssrc, dropped.payloadType)),
    );
    return found.length > 0;
  }

  #exceedsChangeLimit(leg: TrackedLeg): boolean {
    const nowMs = performance.now();
    const lately = (this.#recentChanges.get(leg) ?? []).filter(
      (atMs) => nowMs - atMs < SSRC_CHANGE_WINDOW_MS,
    );
    const tooOften = lately.length >= MAX_SSRC_CHANGES;
    this.#recentChanges.set(leg, tooOften ? [] : [...lately, nowMs]);
    return tooOften;
  }

  async #withUnreceivedPackets(legs: readonly TrackedLeg[]): Promise<readonly TrackedLeg[]> {
    const before = await countersOf(legs);
    await sleep(KEY_WINDOW_MS);
    const after = await countersOf(legs);
    return legs.filter((leg) => {
      const [first, second] = [before.get(leg), after.get(leg)];
      if (!first || !second) return false;
      return second.wireBytes - first.wireBytes > second.voiceBytes - first.voiceBytes;
    });
  }
}

type UnknownSsrc = Extract<DroppedPacket, { reason: 'unknown-ssrc' }>;

function kindOf(dropped: DroppedPacket): SearchKind {
  if (dropped.reason === 'no-stream') return 'stream';
  return dropped.reason === 'unknown-codec' || lawOf(dropped.payloadType) !== null ? 'voice' : 'keys';
}

/**
 * Comfort noise may start a new stream, but its voice follows. A stream that has a producer by now was reported before
 * that.
 */
function needsSearch(dropped: DroppedPacket, legs: readonly TrackedLeg[]): boolean {
  if (dropped.reason === 'no-stream') return true;
  if (dropped.reason === 'unknown-codec') return lawOf(dropped.payloadType) !== null;
  const { ssrc, payloadType } = dropped;
  if (lawOf(payloadType) !== null) return legs.every((leg) => leg.mediasoupEndpoint?.ssrc !== ssrc);
  return legs.some((leg) => leg.mediasoupEndpoint?.dtmfPayloadTypes.includes(payloadType));
}

/** Legs whose producer has this SSRC and has not accepted any packet; another call may use the same SSRC. */
async function legsWithoutStream(legs: readonly TrackedLeg[], ssrc: number): Promise<TrackedLeg[]> {
  const named = legs.filter((leg) => leg.mediasoupEndpoint?.ssrc === ssrc);
  const counters = await countersOf(named);
  return named.filter((leg) => counters.get(leg)?.packets === 0);
}

async function stalledLegs(legs: readonly TrackedLeg[]): Promise<TrackedLeg[]> {
  const readings = [await countersOf(legs)];
  let stalled = [...legs];
  for (let window = 0; window < VOICE_WINDOWS && stalled.length > 0; window += 1) {
    await sleep(VOICE_WINDOW_MS);
    readings.push(await countersOf(stalled));
    stalled = stalled.filter((leg) => isStalled(readings.map((reading) => reading.get(leg) ?? null)));
  }
  return stalled;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function countersOf(legs: readonly TrackedLeg[]): Promise<Map<TrackedLeg, ReceiveCounters | null>> {
  const readings = await Promise.all(
    legs.map((leg) => leg.mediasoupEndpoint?.counters().catch(() => null) ?? null),
  );
  return new Map(legs.map((leg, index) => [leg, readings[index] ?? null]));
}

/** Whether packets arrived in every window and none reached the producer. */
export function isStalled(readings: readonly (ReceiveCounters | null)[]): boolean {
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
