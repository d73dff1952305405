/**
 * SDES (RFC 4568): the master keys of SRTP in `a=crypto` lines. Each party sends with the key of its own description.
 * Pure.
 */
import { isSrtpSuite, SRTP_SUITES, type MasterKey, type SrtpSuite } from '../rtp/srtp-keys.ts';
import { SdpError } from './sdp-error.ts';

/** Whether audio of a session may, or must, be encrypted. The keys are readable unless the signalling is encrypted. */
export type SrtpPolicy = 'never' | 'allowed' | 'required';

/** RTP without encryption, and SRTP (RFC 4568 §5). */
export const PLAIN_PROTOCOL = 'RTP/AVP';
export const SECURE_PROTOCOL = 'RTP/SAVP';

export interface CryptoLine {
  /** In an answer, that of the accepted line of the offer. */
  tag: number;
  key: MasterKey;
}

/** Our master key of each suite, for one leg. */
export type LocalKeys = Readonly<Record<SrtpSuite, MasterKey>>;

/** The keys of a session: `send` is ours, `receive` the remote party's. */
export interface SessionKeyPair {
  /** Of the remote party's line, which our answer repeats. */
  tag: number;
  send: MasterKey;
  receive: MasterKey;
}

const SUITES = Object.keys(SRTP_SUITES) as SrtpSuite[];
/** RFC 4568 §9.2: tag, suite, keys, session parameters. */
const CRYPTO_LINE = /^(\d{1,9})[ \t]+(\S+)[ \t]+inline:([^\s;]+)((?:[ \t]+\S+)*)[ \t]*$/;
/** Key and salt, lifetime and MKI. */
const INLINE = /^([A-Za-z\d+/]+=*)(?:\|(2\^\d{1,2}|\d{1,15}))?(?:\|(\d{1,10}):(\d{1,3}))?$/;
/** A hint for the replay window; all other session parameters change how packets are protected (RFC 4568 §6.3). */
const HARMLESS_PARAMETER = /^WSH=\d+$/;
/** RFC 3711 allows more; a number of the size of an integer is enough for the identifier of one key. */
const MAX_MKI_BYTES = 4;

/** The lines of an audio description that we can use, in the remote party's order of preference. */
export function usableCryptoLines(attributes: readonly string[]): CryptoLine[] {
  return attributes.flatMap((attribute) => parseCryptoLine(attribute) ?? []);
}

/**
 * Null for a line that has to be ignored (RFC 4568 §7.1.2): an unknown suite, several keys, a parameter that changes
 * the protection. The lifetime of a key concerns the party that sends with it.
 */
function parseCryptoLine(text: string): CryptoLine | null {
  const [, tag = '', suite = '', inline = '', parameters = ''] = CRYPTO_LINE.exec(text) ?? [];
  const [, encoded = '', , mkiValue, mkiLength] = INLINE.exec(inline) ?? [];
  if (!isSrtpSuite(suite)) return null;
  const { keyBytes, saltBytes } = SRTP_SUITES[suite];
  // Some implementations omit the padding.
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== keyBytes + saltBytes) return null;
  if (parameters.split(/[ \t]+/).some((one) => one !== '' && !HARMLESS_PARAMETER.test(one))) return null;
  const mki = mkiValue === undefined ? Buffer.alloc(0) : mkiOf(mkiValue, Number(mkiLength));
  if (!mki) return null;
  return {
    tag: Number(tag),
    key: { suite, key: bytes.subarray(0, keyBytes), salt: bytes.subarray(keyBytes), mki },
  };
}

function mkiOf(value: string, length: number): Buffer | null {
  if (length < 1 || length > MAX_MKI_BYTES || Number(value) >= 256 ** length) return null;
  const mki = Buffer.alloc(length);
  mki.writeUIntBE(Number(value), 0, length);
  return mki;
}

/** As sdp-transform writes `a=crypto`. */
export interface CryptoAttribute {
  id: number;
  suite: string;
  config: string;
}

/** Our key, always padded and without lifetime and MKI: the form that every implementation reads. */
function attribute(tag: number, { suite, key, salt }: MasterKey): CryptoAttribute {
  return { id: tag, suite, config: `inline:${Buffer.concat([key, salt]).toString('base64')}` };
}

export const offeredCrypto = (keys: LocalKeys): CryptoAttribute[] =>
  SUITES.map((suite, index) => attribute(index + 1, keys[suite]));

export const answeredCrypto = ({ tag, send }: SessionKeyPair): CryptoAttribute[] => [attribute(tag, send)];

/** Throws 488 if the description breaks the policy. `crypto` null: the description is not encrypted. */
export function requirePolicy(crypto: readonly CryptoLine[] | null, policy: SrtpPolicy): void {
  if (crypto && policy === 'never') {
    throw new SdpError('encrypted audio requires SIP over TLS', 488, 'srtp_without_tls');
  }
  if (!crypto && policy === 'required') {
    throw new SdpError('the trunk requires encrypted audio (RTP/SAVP)', 488, 'srtp_required');
  }
  if (crypto?.length === 0) {
    throw new SdpError('the SDP has no supported a=crypto line', 488, 'srtp_unsupported');
  }
}

/** Accepts the remote party's preferred line. Null: the audio is not encrypted. */
export function acceptCrypto(crypto: readonly CryptoLine[] | null, keys: LocalKeys): SessionKeyPair | null {
  const [line] = crypto ?? [];
  return line ? { tag: line.tag, send: keys[line.key.suite], receive: line.key } : null;
}
