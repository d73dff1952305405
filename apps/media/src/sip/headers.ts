/** Parses the few SIP headers that we need (RFC 3261 §20.10, RFC 3326). Pure; never throws. */

export interface NameAddr {
  name: string | null;
  user: string;
  host: string;
  /** The host, and the port if the URI has one. */
  hostPort: string;
}

const QUOTED = /^\s*"((?:[^"\\]|\\.)*)"\s*/;
const URI = /^(?:sips?|tel):(?:([^@<>\s]*)@)?([^;<>?,\s]*)/i;

/** The first address of a From, To, P-Asserted-Identity or Diversion header; null if there is none. */
export function parseNameAddr(header: string | undefined): NameAddr | null {
  if (header === undefined) return null;
  const quoted = QUOTED.exec(header);
  const rest = quoted ? header.slice(quoted[0].length) : header.trimStart();
  const open = rest.indexOf('<');
  const display = quoted ? quoted[1]?.replace(/\\(.)/g, '$1') : open > 0 ? rest.slice(0, open).trim() : '';
  const uri = URI.exec((open >= 0 ? rest.slice(open + 1) : rest).trimStart());
  if (!uri) return null;
  const telephone = /^tel:/i.test(uri[0]);
  const host = uri[2] ?? '';
  return {
    name: display ? display : null,
    user: unescape(telephone ? host : userOnly(uri[1] ?? '')),
    host: telephone ? '' : hostOnly(host),
    hostPort: telephone ? '' : host,
  };
}

export function parseUri(uri: string): NameAddr | null {
  return parseNameAddr(uri);
}

/** `+4930;phone-context=x:secret` → `+4930`. */
const userOnly = (user: string): string => user.split(/[;:]/)[0] ?? '';

const hostOnly = (hostPort: string): string => {
  const bracket = /^\[[^\]]*\]/.exec(hostPort);
  return bracket ? bracket[0] : (hostPort.split(':')[0] ?? '');
};

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The cause of `Reason: Q.850;cause=16;text="…"`, also among several reasons. */
export function parseQ850(header: string | undefined): number | null {
  const cause = /(?:^|,)\s*q\.850\s*(?:;[^,;]*)*?;\s*cause\s*=\s*(\d{1,3})\b/i.exec(header ?? '')?.[1];
  return cause === undefined ? null : Number(cause);
}

/** Escapes the user part of a SIP URI (RFC 3261 §25.1; `#` must be escaped). */
export function escapeUser(user: string): string {
  return user.replace(/[^A-Za-z0-9\-_.!~*'()&=+$,;?/]/g, (character) => encodeURIComponent(character));
}

/** Removes characters that could end a quoted display name. */
export function displayName(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}\p{P}\p{Zs}+]/gu, '')
    .replace(/["\\]/g, '')
    .trim();
}

/** Digits of `application/dtmf-relay` (`Signal=5`) and `application/dtmf` (`5`); null for anything else. */
export function infoDigit(contentType: string | undefined, body: string | undefined): string | null {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  const text = (body ?? '').trim();
  const signal =
    type === 'application/dtmf-relay'
      ? /^\s*signal\s*=\s*([0-9*#a-d]|1[0-5])\s*$/im.exec(text)?.[1]
      : type === 'application/dtmf'
        ? /^([0-9*#a-d]|1[0-5])$/i.exec(text)?.[1]
        : undefined;
  if (signal === undefined) return null;
  return signal.length === 2
    ? ({ 10: '*', 11: '#', 12: 'A', 13: 'B', 14: 'C', 15: 'D' }[signal] ?? null)
    : signal.toUpperCase();
}
