/** Masks the secrets of a session description: keys of SRTP, passwords of ICE, fingerprints of DTLS. Pure. */
import { MASK } from './ladder.ts';

/** RFC 4568: the key is the part after `inline:`, up to its lifetime. */
const CRYPTO = /^(a=crypto:[^\r\n]*?\binline:)[^|\s]*/gim;
/** RFC 8839 and RFC 8122; RFC 4567 for `key-mgmt`, RFC 8866 for the obsolete `k=`. */
const SECRET_LINES = /^(a=ice-pwd:|a=fingerprint:|a=key-mgmt:|k=)[^\r\n]*/gim;

export const maskSdp = (sdp: string): string =>
  sdp
    .replace(CRYPTO, `$1${MASK}`)
    // Several keys of one line are separated by semicolons.
    .replace(/(;\s*inline:)[^|\s;]*/gi, `$1${MASK}`)
    .replace(SECRET_LINES, `$1${MASK}`);
