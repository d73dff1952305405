/**
 * Offers and answers inside an established dialog (RFC 3264; RFC 3261 §14, RFC 3311 §5). Pure: it returns the response
 * and what was negotiated. At most one offer is open at a time, and one that fails leaves the session unchanged.
 */
import type { Law } from '../rtp/g711.ts';
import {
  carrierAnswer,
  carrierOffer,
  parseCarrierSdp,
  requireReachable,
  SdpError,
  type CarrierSdp,
  type LocalMedia,
} from '../sdp/carrier.ts';

/** What both parties agreed on; the first codec is the one we send. */
export interface Agreement {
  remote: CarrierSdp;
  laws: CarrierSdp['laws'];
}

/** A final response to a re-INVITE or UPDATE. */
export type SdpReply =
  { status: 200; body: string; agreed: Agreement | null } | { status: 400 | 488 | 491; reason: string };

/** The result of the ACK to a 2xx that carried our offer: an answer, or why there is no usable one. */
export type AckAnswer = { agreed: Agreement } | { unusable: string };

/** The codecs that both parties support, in the remote party's order. Throws SdpError if there are none. */
export function agreedLaws(remote: CarrierSdp, allowed: readonly Law[]): CarrierSdp['laws'] {
  const laws = remote.laws.filter(({ law }) => allowed.includes(law));
  if (laws.length === 0) throw new SdpError('no codec in common', 488);
  return laws;
}

/** Throws SdpError if the remote address is unreachable from ours, or there is no common codec. */
export function agreementOn(sdp: string, allowed: readonly Law[], { address }: LocalMedia): Agreement {
  const remote = parseCarrierSdp(sdp);
  requireReachable(remote, address);
  return { remote, laws: agreedLaws(remote, allowed) };
}

const GLARE: SdpReply = { status: 491, reason: 'Request Pending' };

export interface OfferAnswerStart {
  local: LocalMedia;
  laws: readonly Law[];
  /** Our description in the INVITE or its 200. */
  description: string;
  /** Null while our offer in the 200 is unanswered; the ACK with this CSeq number answers it. */
  agreed: Agreement | null;
  inviteCSeq: number;
}

export class OfferAnswer {
  #local: LocalMedia;
  readonly #laws: readonly Law[];
  #description: string;
  #agreed: Agreement | null;
  /** CSeq number of the INVITE whose 2xx carries our unanswered offer. */
  #openOffer: number | null;

  constructor({ local, laws, description, agreed, inviteCSeq }: OfferAnswerStart) {
    this.#local = local;
    this.#laws = laws;
    this.#description = description;
    this.#agreed = agreed;
    this.#openOffer = agreed ? null : inviteCSeq;
  }

  get agreed(): Agreement | null {
    return this.#agreed;
  }

  /** Our current description, with its version. */
  get ours(): { local: LocalMedia; description: string } {
    return { local: this.#local, description: this.#description };
  }

  /**
   * A re-INVITE. Without a body it asks for an offer of everything we support, not only of what the session uses (RFC
   * 3261 §14.2).
   */
  receiveInvite(cseq: number, body: string): SdpReply {
    if (this.#openOffer !== null) return GLARE;
    if (body !== '') return this.#answer(body);
    this.#local = nextVersion(this.#local);
    this.#description = carrierOffer(this.#local, this.#offeredLaws, this.#agreed?.remote);
    this.#openOffer = cseq;
    return { status: 200, body: this.#description, agreed: null };
  }

  /** An UPDATE. Without a body it only refreshes the session or the target (RFC 3311 §5.2). */
  receiveUpdate(body: string): SdpReply {
    if (body === '') return { status: 200, body: '', agreed: null };
    return this.#openOffer === null ? this.#answer(body) : GLARE;
  }

  /** Null if no offer of ours was waiting for this ACK. */
  receiveAck(cseq: number, body: string): AckAnswer | null {
    if (this.#openOffer !== cseq) return null;
    this.#openOffer = null;
    try {
      this.#agreed = agreementOn(body, this.#laws, this.#local);
      return { agreed: this.#agreed };
    } catch (error) {
      if (!(error instanceof SdpError)) throw error;
      return { unusable: error.message };
    }
  }

  /** The negotiated codecs come first, so that the codec does not change needlessly (RFC 3264 §8.3.2). */
  get #offeredLaws(): Law[] {
    const inUse = this.#agreed?.laws.map(({ law }) => law) ?? [];
    return [...new Set([...inUse, ...this.#laws])];
  }

  #answer(body: string): SdpReply {
    try {
      const agreed = agreementOn(body, this.#laws, this.#local);
      // The version increases only if the description changes (RFC 3264 §8): a refresh gets the same text.
      const unchanged = carrierAnswer(this.#local, agreed.remote, agreed.laws);
      if (unchanged !== this.#description) {
        this.#local = nextVersion(this.#local);
        this.#description = carrierAnswer(this.#local, agreed.remote, agreed.laws);
      }
      this.#agreed = agreed;
      return { status: 200, body: this.#description, agreed };
    } catch (error) {
      if (!(error instanceof SdpError)) throw error;
      return { status: error.status, reason: error.message };
    }
  }
}

const nextVersion = (local: LocalMedia): LocalMedia => ({
  ...local,
  sessionVersion: local.sessionVersion + 1,
});
