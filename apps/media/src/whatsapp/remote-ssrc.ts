/**
 * Follows the SSRC of the customer's audio, which mediasoup has to be told before it accepts a packet. Meta's descriptions
 * name it, but need not, and it may change. The RTP header is readable but not yet authenticated here, so a known SSRC is
 * given up only for one that has replaced it.
 *
 * The packets of an SSRC that mediasoup is not prepared for yet are kept rather than lost: if the sequence number wrapped
 * within lost ones, mediasoup would count one wrap less than the sender, and could authenticate nothing that follows
 * (RFC 3711 §3.3.1). Pure.
 */
import type { MediaVerdict } from '../ice/ice-bridge.ts';

/** RFC 5761 §4: these values of the second byte, without the marker bit, are RTCP. */
const RTCP_TYPE_FIRST = 64;
const RTCP_TYPE_LAST = 95;
const RTP_VERSION = 2;
const RTP_HEADER_BYTES = 12;
/** So many packets of a new SSRC, and none of the old one in between, are a change. */
const PACKETS_UNTIL_CHANGE = 5;
/** A call has one or two. Each change makes mediasoup create a producer. */
const MAX_CHANGES = 32;
/** A second of audio; mediasoup is prepared within milliseconds. */
const MAX_KEPT = 50;

export class RemoteSsrc {
  readonly #payloadType: number;
  readonly #onChange: (ssrc: number) => void;
  #current: number | null;
  /** Whether mediasoup is prepared for `current`. */
  #isPrepared = false;
  #next: number | null = null;
  /** Of `next`, or of `current` until mediasoup is prepared for it. */
  #kept: Buffer[] = [];
  #changes = 0;

  /**
   * @param payloadType of the audio: telephone events may have an SSRC of their own
   * @param current as named by the description
   * @param onChange called with the SSRC that mediasoup has to be prepared for
   */
  constructor(payloadType: number, current: number | null, onChange: (ssrc: number) => void) {
    this.#payloadType = payloadType;
    this.#current = current;
    this.#onChange = onChange;
  }

  /** What becomes of this datagram, which is SRTP or SRTCP. What is kept is returned by `prepared`, or else dropped. */
  judge(datagram: Buffer): MediaVerdict {
    if (datagram.length < RTP_HEADER_BYTES || datagram.readUInt8(0) >> 6 !== RTP_VERSION) return 'drop';
    const payloadType = datagram.readUInt8(1) & 0x7f;
    if (payloadType >= RTCP_TYPE_FIRST && payloadType <= RTCP_TYPE_LAST) return 'relay';
    const ssrc = datagram.readUInt32BE(8);
    if (ssrc === this.#current) {
      if (!this.#isPrepared) return this.#keep(datagram);
      this.#forgetNext();
      return 'relay';
    }
    if (payloadType !== this.#payloadType) return 'drop';
    return this.#consider(ssrc, datagram);
  }

  /** From now on mediasoup accepts the SSRC of the description, or the one reported last. Returns its packets until now. */
  prepared(): Buffer[] {
    const kept = this.#kept;
    this.#isPrepared = true;
    this.#kept = [];
    return kept;
  }

  #consider(ssrc: number, datagram: Buffer): MediaVerdict {
    const isBeingPrepared = this.#current !== null && !this.#isPrepared;
    if (ssrc === 0 || isBeingPrepared || this.#changes === MAX_CHANGES) return 'drop';
    if (this.#next !== ssrc) this.#forgetNext();
    this.#next = ssrc;
    const verdict = this.#keep(datagram);
    if (this.#current === null || this.#kept.length === PACKETS_UNTIL_CHANGE) {
      this.#current = ssrc;
      this.#isPrepared = false;
      this.#next = null;
      this.#changes += 1;
      this.#onChange(ssrc);
    }
    return verdict;
  }

  #keep(datagram: Buffer): MediaVerdict {
    if (this.#kept.length === MAX_KEPT) return 'drop';
    this.#kept.push(datagram);
    return 'keep';
  }

  #forgetNext(): void {
    this.#next = null;
    this.#kept = [];
  }
}
