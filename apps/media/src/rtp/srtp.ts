/**
 * SRTP and SRTCP (RFC 3711) with the suites of RFC 4568 and RFC 7714. Both ends of a call have their own master key: a
 * `SrtpSender` protects what we send, a `SrtpReceiver` verifies and decrypts what the remote party sends. No I/O.
 *
 * The index of a packet is its sequence number extended by a rollover counter that is not transmitted. The sender never
 * encrypts two packets with the same key and index, because that would reveal both.
 */
import { createSrtpCipher, rtpHeaderBytes, type SrtpCipher } from './srtp-cipher.ts';
import type { MasterKey } from './srtp-keys.ts';
import { sequenceDistance } from './packet.ts';

/** Packets that arrive later than this are rejected as possible replays. RFC 3711 §3.3.2: at least 64. */
export const REPLAY_WINDOW = 128;
/** Authenticated SSRCs whose state is kept. A call has two or three; each hand-over inside the carrier adds one. */
const MAX_STREAMS = 32;
const SEQUENCE_RANGE = 0x1_0000;
const ROLLOVER_RANGE = 2 ** 32;
const MAX_RTCP_INDEX = 2 ** 31 - 1;
const RTCP_HEADER_BYTES = 8;

export class SrtpSender {
  readonly #cipher: SrtpCipher;
  readonly #mki: Buffer;
  /** The highest index sent, by SSRC. */
  readonly #sent = new Map<number, number>();
  #rtcpIndex = 0;

  constructor(key: MasterKey) {
    this.#cipher = createSrtpCipher(key);
    this.#mki = key.mki;
  }

  /** Null for a packet whose index was used already. */
  protectRtp(datagram: Buffer): Buffer | null {
    const ssrc = datagram.readUInt32BE(8);
    const sequenceNumber = datagram.readUInt16BE(2);
    const highest = this.#sent.get(ssrc);
    const index = highest === undefined ? sequenceNumber : nearestIndex(highest, sequenceNumber);
    if (highest !== undefined && index <= highest) return null;
    this.#sent.set(ssrc, index);
    const headerBytes = rtpHeaderBytes(datagram);
    if (headerBytes === null) return null;
    return this.#cipher.protectRtp(datagram, headerBytes, ssrc, index, this.#mki);
  }

  protectRtcp(datagram: Buffer): Buffer | null {
    if (datagram.length < RTCP_HEADER_BYTES || this.#rtcpIndex > MAX_RTCP_INDEX) return null;
    const index = this.#rtcpIndex;
    this.#rtcpIndex += 1;
    return this.#cipher.protectRtcp(datagram, index, this.#mki);
  }
}

/** What is known of an authenticated stream: its highest index, and the indexes seen recently. */
class ReplayWindow {
  highest = -1;
  readonly #seen = new Float64Array(REPLAY_WINDOW).fill(-1);

  isReplay(index: number): boolean {
    return index <= this.highest - REPLAY_WINDOW || this.#seen[index % REPLAY_WINDOW] === index;
  }

  add(index: number): void {
    this.#seen[index % REPLAY_WINDOW] = index;
    if (index > this.highest) this.highest = index;
  }
}

export class SrtpReceiver {
  /** Packets that were not authentic, or had been received before. */
  rejected = 0;
  readonly key: MasterKey;
  readonly #cipher: SrtpCipher;
  readonly #streams = new Map<number, ReplayWindow>();
  readonly #rtcp = new Map<number, ReplayWindow>();
  readonly #before: SrtpReceiver | null;

  /** @param before the receiver of the previous key: remote parties differ in whether a new key resets the counter */
  constructor(key: MasterKey, before: SrtpReceiver | null = null) {
    this.key = key;
    this.#cipher = createSrtpCipher(key);
    this.#before = before;
  }

  /** The plain RTP packet, or null if it is not authentic. */
  unprotectRtp(datagram: Buffer): Buffer | null {
    const headerBytes = rtpHeaderBytes(datagram);
    if (headerBytes === null) return this.#reject();
    const ssrc = datagram.readUInt32BE(8);
    const sequenceNumber = datagram.readUInt16BE(2);
    const stream = this.#streams.get(ssrc);
    const indexes = stream
      ? [nearestIndex(stream.highest, sequenceNumber)]
      : this.#firstIndexes(ssrc, sequenceNumber);
    for (const index of indexes) {
      if (index < 0 || stream?.isReplay(index)) continue;
      const plain = this.#cipher.unprotectRtp(datagram, headerBytes, ssrc, index);
      if (!plain) continue;
      // Only an authentic packet changes the state.
      (stream ?? added(this.#streams, ssrc)).add(index);
      return plain;
    }
    return this.#reject();
  }

  /** The plain RTCP packet, or null if it is not authentic. */
  unprotectRtcp(datagram: Buffer): Buffer | null {
    const trailer = this.#cipher.rtcpIndexAt(datagram);
    if (trailer < RTCP_HEADER_BYTES) return this.#reject();
    const word = datagram.readUInt32BE(trailer);
    const index = word & MAX_RTCP_INDEX;
    const ssrc = datagram.readUInt32BE(4);
    const stream = this.#rtcp.get(ssrc);
    // Reports that are not encrypted would have to be negotiated (RFC 4568 §6.3.2).
    if (word >>> 31 === 0 || stream?.isReplay(index)) return this.#reject();
    const plain = this.#cipher.unprotectRtcp(datagram, trailer, ssrc, index);
    if (!plain) return this.#reject();
    (stream ?? added(this.#rtcp, ssrc)).add(index);
    return plain;
  }

  /** The rollover counter of a stream, if a packet of it was authentic. */
  rolloverOf(ssrc: number): number | null {
    const stream = this.#streams.get(ssrc);
    return stream ? Math.floor(stream.highest / SEQUENCE_RANGE) : null;
  }

  /**
   * The indexes that the first packet of a stream may have. The counter starts with 0. It is 1 if the stream started
   * shortly before a wrap and its first packets did not reach us, and continues if the remote party only changed its
   * key.
   */
  #firstIndexes(ssrc: number, sequenceNumber: number): number[] {
    const continued = this.#before?.rolloverOf(ssrc) ?? 0;
    const counters = new Set([continued, 0, ...(sequenceNumber < SEQUENCE_RANGE / 2 ? [continued + 1] : [])]);
    return [...counters].map((counter) => counter * SEQUENCE_RANGE + sequenceNumber);
  }

  #reject(): null {
    this.rejected += 1;
    return null;
  }
}

/** RFC 3711 §3.3.1: the index with this sequence number that is nearest to the highest one. Negative: before the start. */
export function nearestIndex(highest: number, sequenceNumber: number): number {
  const index = highest + sequenceDistance(sequenceNumber, highest & 0xffff);
  return index >= ROLLOVER_RANGE * SEQUENCE_RANGE ? -1 : index;
}

function added(streams: Map<number, ReplayWindow>, ssrc: number): ReplayWindow {
  const oldest = streams.size >= MAX_STREAMS ? streams.keys().next() : null;
  if (oldest && !oldest.done) streams.delete(oldest.value);
  const window = new ReplayWindow();
  streams.set(ssrc, window);
  return window;
}
