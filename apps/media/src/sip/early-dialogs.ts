/**
 * Session descriptions received before our INVITE is answered. A proxy may fork the INVITE: each fork has its own To
 * tag and description, and the final answer need not repeat it (RFC 3261 §13.2.1, RFC 3262 §5). Pure.
 */
import { carrierOffer, isEncrypted, SdpError, type LocalMedia } from '../sdp/carrier.ts';
import { agreeOnAnswer, offeredCodecs, type Agreement, type MediaTerms } from './agreement.ts';
import { OfferAnswer, type SdpReply } from './offer-answer.ts';

/**
 * The number of forks of one INVITE that are tracked: more phones than ring at the same time, and a bound on memory.
 */
export const MAX_EARLY_DIALOGS = 16;
/**
 * The number of descriptions kept per fork. A fork may send only one before the answer, but any number of UPDATEs (RFC
 * 6337 §3.1).
 */
const MAX_DESCRIPTIONS = 4;

interface EarlyDialog {
  /** The first and the latest descriptions it sent, to detect repetitions. */
  descriptions: readonly string[];
  session: OfferAnswer;
}

export class EarlyDialogs {
  readonly offer: string;
  readonly #local: LocalMedia;
  readonly #terms: MediaTerms;
  readonly #byTag = new Map<string, EarlyDialog>();
  #answered: EarlyDialog | null = null;

  constructor(local: LocalMedia, terms: MediaTerms) {
    this.#local = local;
    this.#terms = terms;
    this.offer = carrierOffer(local, offeredCodecs(terms), terms.srtp === 'required');
  }

  /**
   * A 18x with a description. `repeated`: this fork has sent the same one before; a repeated 183 must not switch early
   * media back from another fork. `too many`: a fork above the limit, which is heard only if it answers. Throws
   * SdpError.
   */
  progress(tag: string, sdp: string): Agreement | null | 'repeated' | 'too many' {
    const early = this.#byTag.get(tag);
    if (early?.descriptions.includes(sdp)) return 'repeated';
    if (!early && this.#byTag.size >= MAX_EARLY_DIALOGS) return 'too many';
    return this.#accept(tag, sdp).session.agreed;
  }

  /** The 200. Without a description, the fork's earlier one is used. Throws SdpError if there is no usable one. */
  answered(tag: string, sdp: string): Agreement {
    const early = this.#byTag.get(tag);
    this.#answered =
      early && (sdp === '' || early.descriptions.includes(sdp)) ? early : this.#accept(tag, sdp);
    const { agreed } = this.#answered.session;
    if (!agreed) throw new SdpError('the answer has no SDP', 400);
    return agreed;
  }

  /** An UPDATE before the answer (RFC 3311 §5.2): an offer in it must wait until ours is answered. */
  update(tag: string, body: string): SdpReply {
    const early = this.#byTag.get(tag);
    if (body === '') return { status: 200, body: '', agreed: null };
    if (!early) return { status: 491, reason: 'Request Pending' };
    const reply = early.session.receiveUpdate(body);
    if (reply.status === 200) early.descriptions = withDescription(early.descriptions, body);
    return reply;
  }

  /** Our description for the fork that answered, and its version: an UPDATE may have changed it. */
  last(): { local: LocalMedia; description: string } {
    return this.#answered?.session.ours ?? { local: this.#local, description: this.offer };
  }

  #accept(tag: string, sdp: string): EarlyDialog {
    const before = this.#byTag.get(tag);
    const session = new OfferAnswer({
      ...(before?.session.ours ?? { local: this.#local, description: this.offer }),
      terms: this.#terms,
      agreed: agreeOnAnswer(sdp, this.#terms, isEncrypted(this.offer), this.#local),
      inviteCSeq: 0,
    });
    const early = { descriptions: withDescription(before?.descriptions ?? [], sdp), session };
    this.#byTag.set(tag, early);
    return early;
  }
}

/** The first is kept because the 200 repeats it, whatever UPDATEs came in between. */
function withDescription(descriptions: readonly string[], sdp: string): string[] {
  const all = [...descriptions, sdp];
  return all.length <= MAX_DESCRIPTIONS ? all : [...all.slice(0, 1), ...all.slice(1 - MAX_DESCRIPTIONS)];
}
