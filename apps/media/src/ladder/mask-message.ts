/** Masks what a SIP message must not show: credentials, keys of encrypted audio, and digits. Pure. */
import { LADDER_MESSAGE_CHARS, MASK } from '@clarion/protocol/ladder';
import { maskSdp } from '@clarion/protocol/mask-sdp';

const FOLDED = /\r\n[ \t]+/g;
const CREDENTIALS = /^((?:proxy-)?authorization[ \t]*:[ \t]*)(\S+)[ \t]*([^\r\n]*)/gim;
/** The parameters of a digest that prove the password (RFC 7616), and of AKA that prove the SIM card's key. */
const PROOFS = /\b(response|cnonce|auts)(\s*=\s*)(?:"(?:[^"\\\r\n]|\\.)*(?:"|$)|[^,\s]*)/gi;
const MUTUAL_PROOF =
  /^((?:proxy-)?authentication-info[ \t]*:[^\r\n]*?\brspauth\s*=\s*)(?:"[^"\r\n]*"?|[^,\s]*)/gim;
const DTMF_TYPE = /^(?:content-type|c)[ \t]*:[ \t]*application\/dtmf/im;
const SIGNAL = /(\bsignal[ \t]*[=:][ \t]*)[^\r\n]*/gi;

/** What to capture of a message: it is masked later, together with all messages of its leg. */
export function cutMessage(text: string): { text: string; cut?: number } {
  if (text.length <= LADDER_MESSAGE_CHARS) return { text };
  // A copy: a slice would keep the whole text in memory. A line that was cut in two could contain half a secret.
  const kept = text.slice(0, text.lastIndexOf('\n', LADDER_MESSAGE_CHARS - 1) + 1);
  const copy = Buffer.from(kept).toString();
  return { text: copy, cut: text.length - kept.length };
}

export function maskMessage(message: string): string {
  const headEnd = message.indexOf('\r\n\r\n');
  const head = headEnd < 0 ? message : message.slice(0, headEnd);
  const body = headEnd < 0 ? '' : message.slice(headEnd);
  return maskHead(head) + maskBody(head, body);
}

function maskHead(head: string): string {
  if (!/authori[sz]ation|authentication-info/i.test(head)) return head;
  return head
    .replaceAll(FOLDED, ' ')
    .replaceAll(CREDENTIALS, (_, name: string, scheme: string, rest: string) =>
      /^digest$/i.test(scheme)
        ? `${name}${scheme} ${rest.replaceAll(PROOFS, `$1$2"${MASK}"`)}`
        : `${name}${scheme} ${MASK}`,
    )
    .replaceAll(MUTUAL_PROOF, `$1"${MASK}"`);
}

function maskBody(head: string, body: string): string {
  if (body.length <= 4) return body;
  if (!DTMF_TYPE.test(head)) return maskSdp(body);
  return /\bsignal[ \t]*[=:]/i.test(body) ? body.replaceAll(SIGNAL, `$1*`) : '\r\n\r\n*';
}
