/** The suites and master keys of SRTP, and the session keys derived from them (RFC 3711 §4.3, RFC 7714). Pure but for `newMasterKey`. */
import { createCipheriv, randomBytes } from 'node:crypto';

interface Suite {
  keyBytes: number;
  saltBytes: number;
  /** Of RTP; SRTCP always has the full length (RFC 4568 §6.2.2). */
  tagBytes: number;
  rtcpTagBytes: number;
  aead: boolean;
}

/** In the order of our offers. The first is the one that every implementation has to support (RFC 4568 §6.2). */
export const SRTP_SUITES = {
  AES_CM_128_HMAC_SHA1_80: { keyBytes: 16, saltBytes: 14, tagBytes: 10, rtcpTagBytes: 10, aead: false },
  AES_CM_128_HMAC_SHA1_32: { keyBytes: 16, saltBytes: 14, tagBytes: 4, rtcpTagBytes: 10, aead: false },
  AEAD_AES_128_GCM: { keyBytes: 16, saltBytes: 12, tagBytes: 16, rtcpTagBytes: 16, aead: true },
  AEAD_AES_256_GCM: { keyBytes: 32, saltBytes: 12, tagBytes: 16, rtcpTagBytes: 16, aead: true },
} as const satisfies Record<string, Suite>;
export type SrtpSuite = keyof typeof SRTP_SUITES;
export const isSrtpSuite = (name: string): name is SrtpSuite => Object.hasOwn(SRTP_SUITES, name);

export interface MasterKey {
  suite: SrtpSuite;
  key: Buffer;
  salt: Buffer;
  /** The master key identifier in every packet; empty: there is none. */
  mki: Buffer;
}

export function newMasterKey(suite: SrtpSuite): MasterKey {
  const { keyBytes, saltBytes } = SRTP_SUITES[suite];
  return { suite, key: randomBytes(keyBytes), salt: randomBytes(saltBytes), mki: Buffer.alloc(0) };
}

export const sameKey = (a: MasterKey | null, b: MasterKey | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.suite === b.suite &&
    a.key.equals(b.key) &&
    a.salt.equals(b.salt) &&
    a.mki.equals(b.mki));

/** RFC 3711 §4.3.1: the labels of encryption, authentication and salt. */
const RTP_LABELS = { cipher: 0, auth: 1, salt: 2 } as const;
const RTCP_LABELS = { cipher: 3, auth: 4, salt: 5 } as const;
const AUTH_KEY_BYTES = 20;
/** The label is added to the 7 bytes in front of the (unused) index of a key derivation rate. */
const LABEL_AT = 7;

export interface SessionKeys {
  cipher: Buffer;
  auth: Buffer;
  salt: Buffer;
}

export function sessionKeys(master: MasterKey, of: 'rtp' | 'rtcp'): SessionKeys {
  const labels = of === 'rtp' ? RTP_LABELS : RTCP_LABELS;
  const { keyBytes, saltBytes } = SRTP_SUITES[master.suite];
  return {
    cipher: derive(master, labels.cipher, keyBytes),
    auth: derive(master, labels.auth, AUTH_KEY_BYTES),
    salt: derive(master, labels.salt, saltBytes),
  };
}

/** The key stream of AES in counter mode (RFC 3711 §4.3.3; with 256 bits, RFC 6188 §3). */
function derive(master: MasterKey, label: number, bytes: number): Buffer {
  // A salt of 96 bits is padded on the right (RFC 7714 §11).
  const counter = Buffer.alloc(16);
  master.salt.copy(counter);
  counter.writeUInt8(counter.readUInt8(LABEL_AT) ^ label, LABEL_AT);
  const cipher = createCipheriv(`aes-${master.key.length * 8}-ctr`, master.key, counter);
  return cipher.update(Buffer.alloc(bytes));
}
