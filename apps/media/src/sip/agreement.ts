/** What both parties of a carrier leg agreed on in an offer and its answer (RFC 3264). Pure. */
import type { CarrierCodec } from '@clarion/protocol/media';
import { lawNamed, LAWS } from '../rtp/g711.ts';
import { newMasterKey, sameKey } from '../rtp/srtp-keys.ts';
import {
  parseCarrierSdp,
  requireReachable,
  type CarrierSdp,
  type LocalMedia,
  type NumberedCodec,
} from '../sdp/carrier.ts';
import {
  acceptCrypto,
  requirePolicy,
  type LocalKeys,
  type SessionKeyPair,
  type SrtpPolicy,
} from '../sdp/crypto.ts';
import { SdpError } from '../sdp/sdp-error.ts';

/** What the trunk allows in a session. */
export interface MediaTerms {
  /** In our order of preference; empty: G.711 in the remote party's order. */
  codecs: readonly CarrierCodec[];
  srtp: SrtpPolicy;
}

export interface Agreement {
  remote: CarrierSdp;
  /** The first is the one that we send. */
  codecs: NumberedCodec[];
  /** Null: the audio is not encrypted. */
  keys: SessionKeyPair | null;
}

/** The codecs of our offers. */
export const offeredCodecs = ({ codecs }: MediaTerms): readonly CarrierCodec[] =>
  codecs.length > 0 ? codecs : LAWS;

/** Fresh keys for one leg. */
export const newLocalKeys = (): LocalKeys => ({
  AES_CM_128_HMAC_SHA1_80: newMasterKey('AES_CM_128_HMAC_SHA1_80'),
  AES_CM_128_HMAC_SHA1_32: newMasterKey('AES_CM_128_HMAC_SHA1_32'),
  AEAD_AES_128_GCM: newMasterKey('AEAD_AES_128_GCM'),
  AEAD_AES_256_GCM: newMasterKey('AEAD_AES_256_GCM'),
});

/** Parses an offer of the remote party. Throws SdpError if the terms do not allow it. */
export function readOffer(sdp: string, terms: MediaTerms, boundAddress: string): CarrierSdp {
  const offer = parseCarrierSdp(sdp, terms.srtp);
  requirePolicy(offer.crypto, terms.srtp);
  codecsForOffer(offer, terms);
  requireReachable(offer, boundAddress);
  return offer;
}

export const agreeOnOffer = (offer: CarrierSdp, terms: MediaTerms, { keys }: LocalMedia): Agreement => ({
  remote: offer,
  codecs: codecsForOffer(offer, terms),
  keys: acceptCrypto(offer.crypto, keys),
});

/**
 * The remote party's answer to an offer of ours. Throws SdpError if it does not fit the offer.
 *
 * @param encrypted whether our offer was
 */
export function agreeOnAnswer(
  sdp: string,
  terms: MediaTerms,
  encrypted: boolean,
  local: LocalMedia,
): Agreement {
  const remote = parseCarrierSdp(sdp, encrypted ? 'required' : 'never');
  requirePolicy(remote.crypto, encrypted ? 'required' : 'never');
  requireReachable(remote, local.address);
  // RFC 3264 §7: the first codec of the answer is the one to send.
  const codecs = remote.codecs.filter(({ codec }) => offeredCodecs(terms).includes(codec));
  if (codecs.length === 0) throw noCommonCodec();
  return { remote, codecs, keys: acceptCrypto(remote.crypto, local.keys) };
}

/**
 * The codecs of an offer that our answer accepts. The trunk's order decides. G.722 is accepted only if it comes first,
 * because a leg that may receive it is not handed over to mediasoup.
 */
function codecsForOffer(offer: CarrierSdp, { codecs }: MediaTerms): NumberedCodec[] {
  const common =
    codecs.length === 0
      ? offer.codecs.filter(({ codec }) => lawNamed(codec) !== null)
      : codecs.flatMap((wanted) => offer.codecs.filter(({ codec }) => codec === wanted));
  const [first] = common;
  if (!first) throw noCommonCodec();
  return first.codec === 'G722' ? common : common.filter(({ codec }) => codec !== 'G722');
}

const noCommonCodec = () => new SdpError('no codec in common', 488, 'no_common_codec');

/**
 * Whether the remote party has changed its key. We then change ours too: remote parties differ in whether a new key
 * resets the counters of both directions, and a new key with a new SSRC starts from zero for all of them.
 */
export const hasNewKey = (before: Agreement | null, now: Agreement): boolean =>
  before?.keys !== undefined &&
  before.keys !== null &&
  !sameKey(before.keys.receive, now.keys?.receive ?? null);
