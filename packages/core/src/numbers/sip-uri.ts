/** Parses a SIP URI that may be called; the user part is read as a carrier would (RFC 3261 section 19.1.1). Pure. */
import ipaddr from 'ipaddr.js';

export interface SipUser {
  /** Unescaped, before its parameters; empty when the URI has no user part. */
  name: string;
  /** Unescaped, with their semicolons. */
  parameters: string;
}

/** RFC 3261 section 25.1, without a password or headers: nothing that could end a header or add one. */
const SIP_URI =
  /^sips?:(?:(?<user>(?:[\w.!~*'()&=+$,;?/-]|%[0-9a-f]{2})+)@)?(?<host>[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?(?<parameters>(?:;(?:[\w.!~*'()=[\]/:&+$-]|%[0-9a-f]{2})+)*)$/i;

/** Parameters of telephone numbers, which some carriers also read after the host (RFC 3966, RFC 4694, RFC 4904). */
const NUMBER_PARAMETER =
  /;(?:phone-context|isub|ext|postd|rn|rn-context|cic|cic-context|tgrp|trunk-context)=/i;

/** A host name ends in a label that begins with a letter (RFC 3261 section 25.1, toplabel). */
const HOST_NAME = /(?:^|\.)[a-z][a-z0-9-]*\.?$/i;

/** Null: not a URI that may be called. */
export function readSipUri(uri: string): SipUser | null {
  const groups = SIP_URI.exec(uri)?.groups;
  if (!groups) return null;
  const { user = '', host = '', parameters = '' } = groups;
  if (!isHost(host) || NUMBER_PARAMETER.test(unescapedFully(parameters))) return null;
  const read = unescapedFully(user);
  // A digit of another script, or a control character, is ambiguous.
  if (/\p{C}|[^\P{Nd}0-9]/u.test(read)) return null;
  const end = read.indexOf(';');
  return end === -1
    ? { name: read, parameters: '' }
    : { name: read.slice(0, end), parameters: read.slice(end) };
}

/** Digits alone are not a host: `sip:0033123456789` is a number without a user part. */
const isHost = (host: string): boolean =>
  host.startsWith('[') || HOST_NAME.test(host) || ipaddr.IPv4.isValidFourPartDecimal(host);

/** An escape may encode the `%` of another one, and a carrier's proxies may each decode one level. */
function unescapedFully(text: string): string {
  let read = text;
  // Terminates: decoding an escape consumes two hexadecimal digits and adds no percent signs.
  for (let before = ''; before !== read;) {
    before = read;
    // NFKC also maps full-width digits and percent signs.
    read = unescapedOnce(read).normalize('NFKC');
  }
  return read;
}

/** Escapes are UTF-8 bytes; invalid ones decode to U+FFFD. */
const unescapedOnce = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
