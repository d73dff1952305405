/** The top Via: the data for transaction matching and response routing (RFC 3261 §18.2.2, RFC 3581). */
import { param, parseHostPort } from './uri.ts';

export interface Via {
  /** UDP, TCP, TLS, … in capitals. */
  readonly transport: string;
  readonly host: string;
  /** 0 when absent. */
  readonly port: number;
  /** Parameters with their leading `;`, or ''. */
  readonly params: string;
  /** '' when absent. */
  readonly branch: string;
  readonly hasRport: boolean;
}

/** The first 7 characters of a branch that is unique according to RFC 3261 §8.1.1.7. */
export const MAGIC_COOKIE = 'z9hG4bK';

/** Parses one Via value; spaces are allowed around every separator (RFC 4475 §3.1.1.1). Null if malformed. */
export function parseVia(value: string): Via | null {
  const firstSlash = value.indexOf('/');
  const secondSlash = value.indexOf('/', firstSlash + 1);
  if (firstSlash < 0 || secondSlash < 0) return null;
  if (value.slice(0, firstSlash).trim().toUpperCase() !== 'SIP') return null;
  if (value.slice(firstSlash + 1, secondSlash).trim() !== '2.0') return null;
  const semi = value.indexOf(';', secondSlash);
  const params = semi < 0 ? '' : value.slice(semi);
  const sentProtocol = value.slice(secondSlash + 1, semi < 0 ? value.length : semi).trim();
  const blank = firstBlank(sentProtocol);
  if (blank < 0) return null;
  const transport = sentProtocol.slice(0, blank).toUpperCase();
  const sentBy = sentProtocol.slice(blank + 1).trim();
  const hostPort = parseHostPort(sentBy) ?? parseHostPort(withoutBlanks(sentBy));
  if (hostPort === null || hasEmptyParam(params)) return null;
  const branch = param(params, 'branch') ?? '';
  return { transport, ...hostPort, params, branch, hasRport: param(params, 'rport') !== undefined };
}

/** Two separators with no parameter between them (RFC 4475 §3.1.2.1). */
function hasEmptyParam(params: string): boolean {
  return params.includes(';;') && !params.includes('"');
}

function firstBlank(text: string): number {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a) return i;
  }
  return -1;
}

function withoutBlanks(text: string): string {
  let out = '';
  for (const char of text) if (char !== ' ' && char !== '\t' && char !== '\r' && char !== '\n') out += char;
  return out;
}

/**
 * The Via value for responses: `rport` filled with the source port (added even if the sender did not ask, so that
 * responses pass NAT) and `received` added if the source address differs from the one in the Via (RFC 3581 §4).
 */
export function stampVia(value: string, via: Via, address: string, port: number): string {
  let stamped = value;
  if (via.hasRport) {
    const at = rportFlagEnd(value);
    if (at >= 0) stamped = `${value.slice(0, at)}=${port}${value.slice(at)}`;
  } else {
    stamped = `${value};rport=${port}`;
  }
  if (via.host !== address && param(via.params, 'received') === undefined)
    stamped = `${stamped};received=${address}`;
  return stamped;
}

/** Index after a `;rport` that has no value, or -1. */
function rportFlagEnd(value: string): number {
  const lower = value.toLowerCase();
  let at = lower.indexOf(';rport');
  while (at >= 0) {
    const end = at + 6;
    const next = lower.charAt(end);
    if (next === '' || next === ';' || next === ' ' || next === '\t') return end;
    at = lower.indexOf(';rport', end);
  }
  return -1;
}
