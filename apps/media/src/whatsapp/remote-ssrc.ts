/**
 * Follows the SSRC of the customer's audio, which mediasoup has to be told before it accepts a packet. Meta's descriptions
 * name it, but need not, and it may change. The RTP header is readable but not yet authenticated here, so a known SSRC is
 * given up only for one that has replaced it. Pure.
 */

/** RFC 5761 §4: these values of the second byte, without the marker bit, are RTCP. */
const RTCP_TYPE_FIRST = 64;
const RTCP_TYPE_LAST = 95;
const RTP_VERSION = 2;
const RTP_HEADER_BYTES = 12;
/** So many packets of a new SSRC, and none of the old one in between, are a change. */
const PACKETS_UNTIL_CHANGE = 5;
/** A call has one or two. Each change makes mediasoup create a producer. */
const MAX_CHANGES = 32;

export class RemoteSsrc {
  readonly #payloadType: number;
  readonly #onChange: (ssrc: number) => void;
  #current: number | null;
  #next: number | null = null;
  #packetsOfNext = 0;
  #changes = 0;

  /**
   * @param payloadType of the audio: telephone events may have an SSRC of their own
   * @param current as named by the description
   * @param onChange called with the SSRC that is expected from now on
   */
  constructor(payloadType: number, current: number | null, onChange: (ssrc: number) => void) {
    this.#payloadType = payloadType;
    this.#current = current;
    this.#onChange = onChange;
  }

  /** Whether mediasoup can use this datagram, which is SRTP or SRTCP. */
  accepts(datagram: Buffer): boolean {
    if (datagram.length < RTP_HEADER_BYTES || datagram.readUInt8(0) >> 6 !== RTP_VERSION) return false;
    const payloadType = datagram.readUInt8(1) & 0x7f;
    if (payloadType >= RTCP_TYPE_FIRST && payloadType <= RTCP_TYPE_LAST) return true;
    const ssrc = datagram.readUInt32BE(8);
    if (ssrc === this.#current) {
      this.#next = null;
      return true;
    }
    if (payloadType === this.#payloadType) this.#consider(ssrc);
    return false;
  }

  #consider(ssrc: number): void {
    if (ssrc === 0 || this.#changes === MAX_CHANGES) return;
    this.#packetsOfNext = this.#next === ssrc ? this.#packetsOfNext + 1 : 1;
    this.#next = ssrc;
    if (this.#current !== null && this.#packetsOfNext < PACKETS_UNTIL_CHANGE) return;
    this.#current = ssrc;
    this.#next = null;
    this.#changes += 1;
    this.#onChange(ssrc);
  }
}
