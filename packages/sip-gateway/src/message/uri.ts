/**
 * SIP URIs and name-addr values (RFC 3261 §19.1, §25.1), parsed by hand-written scanners instead of regular
 * expressions.
 */

/** A parsed `sip:`, `sips:` or `tel:` URI. `host` of an IPv6 literal has no brackets; `tel:` has host ''. */
export interface SipUri {
  readonly scheme: 'sip' | 'sips' | 'tel';
  readonly user: string;
  readonly host: string;
  /** 0 when the URI names no port. */
  readonly port: number;
  /** Text from the first `;` to before `?`, with its leading `;`, or ''. */
  readonly params: string;
  /** Text after `?`, or ''. */
  readonly headers: string;
}

const MAX_PORT = 65_535;

/** Parses a URI; null if it has another scheme or is malformed. */
export function parseUri(text: string): SipUri | null {
  const colon = text.indexOf(':');
  if (colon < 3) return null;
  const scheme = text.slice(0, colon).toLowerCase();
  for (let i = colon + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // Spaces, control characters, angle brackets and double quotes are never valid in a URI.
    if (code <= 0x20 || code === 0x7f || code === 0x3c || code === 0x3e || code === 0x22) return null;
  }
  if (scheme === 'tel') {
    const semi = text.indexOf(';', colon);
    const end = semi < 0 ? text.length : semi;
    const user = text.slice(colon + 1, end);
    return user === '' ? null : { scheme, user, host: '', port: 0, params: text.slice(end), headers: '' };
  }
  if (scheme !== 'sip' && scheme !== 'sips') return null;
  // The user part may contain ; and ? (RFC 4475 §3.1.1.9 "semiuri"), so it ends at the last @ before any header.
  const at = text.lastIndexOf('@');
  const user = at < 0 ? '' : text.slice(colon + 1, at);
  const rest = at < 0 ? colon + 1 : at + 1;
  if (at >= 0 && user === '') return null;
  const question = text.indexOf('?', rest);
  const headers = question < 0 ? '' : text.slice(question + 1);
  const beforeHeaders = question < 0 ? text.length : question;
  const semi = text.indexOf(';', rest);
  const hostEnd = semi < 0 || semi > beforeHeaders ? beforeHeaders : semi;
  const hostPort = parseHostPort(text.slice(rest, hostEnd));
  if (hostPort === null) return null;
  return { scheme, user, ...hostPort, params: text.slice(hostEnd, beforeHeaders), headers };
}

/** Splits `host`, `host:port`, `[v6]:port`; port 0 when absent. Null when malformed. */
export function parseHostPort(text: string): { host: string; port: number } | null {
  let host = text;
  let portText = '';
  if (text.startsWith('[')) {
    const close = text.indexOf(']');
    if (close < 2) return null;
    host = text.slice(1, close);
    const after = text.slice(close + 1);
    if (after !== '' && !after.startsWith(':')) return null;
    portText = after.slice(1);
    if (after === ':') return null;
    for (let i = 0; i < host.length; i++) {
      if (!isHexOrColonOrDot(host.charCodeAt(i))) return null;
    }
  } else {
    const colon = text.indexOf(':');
    if (colon >= 0) {
      host = text.slice(0, colon);
      portText = text.slice(colon + 1);
      if (portText === '') return null;
    }
    if (!isHostName(host)) return null;
  }
  if (portText === '') return { host, port: 0 };
  const port = parseDigits(portText, MAX_PORT);
  return port < 1 ? null : { host, port };
}

/** A decimal number of digits only that does not exceed `max`; -1 otherwise. */
export function parseDigits(text: string, max: number): number {
  if (text.length === 0 || text.length > 10) return -1;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value > max ? -1 : value;
}

function isHexOrColonOrDot(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x3a) ||
    (code >= 0x41 && code <= 0x46) ||
    (code >= 0x61 && code <= 0x66) ||
    code === 0x2e
  );
}

function isHostName(host: string): boolean {
  if (host === '') return false;
  for (let i = 0; i < host.length; i++) {
    const code = host.charCodeAt(i);
    const fine =
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      code === 0x2d ||
      code === 0x2e ||
      code === 0x5f;
    if (!fine) return false;
  }
  return true;
}

/**
 * Value of `;name=value` in a parameter string: '' for a flag without a value, undefined if absent. Names are
 * case-insensitive.
 */
export function param(params: string, name: string): string | undefined {
  let at = 0;
  while (at < params.length) {
    const semi = params.indexOf(';', at);
    if (semi < 0) return undefined;
    const end = paramEnd(params, semi + 1);
    const one = params.slice(semi + 1, end);
    const equals = one.indexOf('=');
    const key = (equals < 0 ? one : one.slice(0, equals)).trim();
    if (key.length === name.length && key.toLowerCase() === name) {
      return equals < 0 ? '' : one.slice(equals + 1).trim();
    }
    at = end;
  }
  return undefined;
}

/** End of the parameter starting at `from`: the next `;` outside a quoted string. */
function paramEnd(params: string, from: number): number {
  let quoted = false;
  for (let i = from; i < params.length; i++) {
    const code = params.charCodeAt(i);
    if (quoted && code === 0x5c) i++;
    else if (code === 0x22) quoted = !quoted;
    else if (!quoted && code === 0x3b) return i;
  }
  return params.length;
}

/** A From, To, Contact, Route or Record-Route value. */
export interface NameAddr {
  /** Display name as written (quotes kept), or ''. */
  readonly display: string;
  readonly uri: string;
  /** Header parameters with their leading `;`, or ''. */
  readonly params: string;
}

/**
 * Parses one name-addr or addr-spec. Without angle brackets every `;` starts a header parameter (RFC 3261 §20.10), and
 * a `?` or `,` in the URI is invalid. Null if malformed.
 */
export function parseNameAddr(value: string): NameAddr | null {
  const text = value.trim();
  let at = 0;
  if (text.startsWith('"')) {
    at = quotedEnd(text, 0);
    if (at < 0) return null;
  }
  const open = text.indexOf('<', at);
  if (open < 0) {
    if (at > 0) return null;
    const semi = text.indexOf(';');
    const uri = (semi < 0 ? text : text.slice(0, semi)).trim();
    if (uri === '' || uri.includes('?') || uri.includes(',') || uri.includes(' ') || uri.includes('"'))
      return null;
    return { display: '', uri, params: semi < 0 ? '' : text.slice(semi) };
  }
  const close = text.indexOf('>', open);
  if (close < 0) return null;
  const display = text.slice(0, open).trim();
  if (at > 0 && display.length !== at) return null;
  const params = text.slice(close + 1).trim();
  if (params !== '' && !params.startsWith(';')) return null;
  const uri = text.slice(open + 1, close).trim();
  if (uri === '') return null;
  return { display, uri, params };
}

/** Index after the closing quote of the quoted string that starts at `from`; -1 if it is not closed. */
function quotedEnd(text: string, from: number): number {
  for (let i = from + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) return i + 1;
  }
  return -1;
}

/** Splits a header value at commas outside quotes and angle brackets. Null if a quote or bracket is not closed. */
export function splitList(value: string): string[] | null {
  if (!value.includes(',')) return value.includes('"') && !quotesClose(value) ? null : [value.trim()];
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  let bracket = false;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (quoted) {
      if (code === 0x5c) i++;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x3c) bracket = true;
    else if (code === 0x3e) bracket = false;
    else if (code === 0x2c && !bracket) {
      parts.push(value.slice(start, i).trim());
      start = i + 1;
    }
  }
  if (quoted || bracket) return null;
  parts.push(value.slice(start).trim());
  return parts;
}

function quotesClose(value: string): boolean {
  let at = value.indexOf('"');
  while (at >= 0) {
    const end = quotedEnd(value, at);
    if (end < 0) return false;
    at = value.indexOf('"', end);
  }
  return true;
}

/** Puts brackets around an IPv6 literal for use in a URI or Via. */
export function bracket(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
