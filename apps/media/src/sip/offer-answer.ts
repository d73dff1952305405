/**
 * Offers and answers inside an established dialog (RFC 3264; RFC 3261 §14, RFC 3311 §5). It returns the response and
 * what was negotiated, and has no side effects but for the random numbers of new keys. At most one offer is open at a time, and one that fails leaves the session unchanged.
 */
import type { CarrierCodec } from '@clarion/protocol/media';
import { carrierAnswer, carrierOffer, isEncrypted, SdpError, type LocalMedia } from '../sdp/carrier.ts';
import {
  agreeOnAnswer,
  agreeOnOffer,
  hasNewKey,
  newLocalKeys,
  offeredCodecs,
  readOffer,
  type Agreement,
  type MediaTerms,
} from './agreement.ts';

/** A final response to a re-INVITE or UPDATE. */
export type SdpReply =
  { status: 200; body: string; agreed: Agreement | null } | { status: 400 | 488 | 491; reason: string };

/** The result of the ACK to a 2xx that carried our offer: an answer, or why there is no usable one. */
export type AckAnswer = { agreed: Agreement } | { unusable: string };

const GLARE: SdpReply = { status: 491, reason: 'Request Pending' };

export interface OfferAnswerStart {
  local: LocalMedia;
  terms: MediaTerms;
  /** Our description in the INVITE or its 200. */
  description: string;
  /** Null while our offer in the 200 is unanswered; the ACK with this CSeq number answers it. */
  agreed: Agreement | null;
  inviteCSeq: number;
}

export class OfferAnswer {
  #local: LocalMedia;
  readonly #terms: MediaTerms;
  #description: string;
  #agreed: Agreement | null;
  /** CSeq number of the INVITE whose 2xx carries our unanswered offer. */
  #openOffer: number | null;

  constructor({ local, terms, description, agreed, inviteCSeq }: OfferAnswerStart) {
    this.#local = local;
    this.#terms = terms;
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
    const encrypted = this.#terms.srtp === 'required' || isEncrypted(this.#description);
    // Fresh keys: see `hasNewKey`. The answer may contain a new key.
    this.#local = nextVersion({ ...this.#local, keys: newLocalKeys() });
    this.#description = carrierOffer(this.#local, this.#offeredCodecs, encrypted, this.#agreed?.remote);
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
      this.#agreed = agreeOnAnswer(body, this.#terms, isEncrypted(this.#description), this.#local);
      return { agreed: this.#agreed };
    } catch (error) {
      if (!(error instanceof SdpError)) throw error;
      return { unusable: error.message };
    }
  }

  /** The negotiated codecs come first, so that the codec does not change needlessly (RFC 3264 §8.3.2). */
  get #offeredCodecs(): CarrierCodec[] {
    const inUse = this.#agreed?.codecs.map(({ codec }) => codec) ?? [];
    return [...new Set([...inUse, ...offeredCodecs(this.#terms)])];
  }

  #answer(body: string): SdpReply {
    try {
      const offer = readOffer(body, this.#terms, this.#local.address);
      let agreed = agreeOnOffer(offer, this.#terms, this.#local);
      if (hasNewKey(this.#agreed, agreed)) {
        this.#local = { ...this.#local, keys: newLocalKeys() };
        agreed = agreeOnOffer(offer, this.#terms, this.#local);
      }
      // The version increases only if the description changes (RFC 3264 §8): a refresh gets the same text.
      const unchanged = carrierAnswer(this.#local, offer, agreed);
      if (unchanged !== this.#description) {
        this.#local = nextVersion(this.#local);
        this.#description = carrierAnswer(this.#local, offer, agreed);
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
