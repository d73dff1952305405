/**
 * Apps send incomplete messages: a start line, some headers in any spelling, a body. This parses them and completes the
 * values that the server provides.
 */
import { canonicalName } from '../message/headers.ts';
import type { HeaderLine } from '../message/build.ts';
import { isToken } from '../message/parse.ts';
import { parseDigits, parseNameAddr } from '../message/uri.ts';

export interface AppMessage {
  readonly startLine: string;
  /** Status of a response, 0 for a request, -1 for an invalid start line. */
  readonly status: number;
  /** Of a request. */
  readonly method: string;
  readonly uri: string;
  /** Of a response. */
  readonly reason: string;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
}

/** Headers that the server always generates itself. */
const IGNORED = new Set(['via', 'route', 'record-route', 'rseq', 'content-length']);

/**
 * Parses a message. Invalid header lines are dropped, as by drachtio-server; everything after the empty line is the
 * body.
 */
export function parseAppMessage(text: string): AppMessage {
  const headEnd = text.indexOf('\r\n\r\n');
  const head = headEnd < 0 ? text : text.slice(0, headEnd);
  const body = headEnd < 0 ? '' : text.slice(headEnd + 4);
  const [startLine = '', ...lines] = head.split('\r\n');
  const headers: HeaderLine[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0 || line.includes('\n') || line.includes('\r')) continue;
    const name = line.slice(0, colon).trim();
    if (!isToken(name) || IGNORED.has(canonicalName(name))) continue;
    headers.push([name, line.slice(colon + 1).trim()]);
  }
  return { ...readStart(startLine), startLine, headers, body };
}

function readStart(line: string): { status: number; method: string; uri: string; reason: string } {
  const [first = '', second = '', ...rest] = line.split(' ');
  if (first === 'SIP/2.0') {
    const status = second.length === 3 ? parseDigits(second, 699) : -1;
    return { status: status < 100 ? -1 : status, method: '', uri: '', reason: rest.join(' ') };
  }
  const version = rest.at(-1);
  if (!isToken(first) || version !== 'SIP/2.0' || rest.length !== 1)
    return { status: -1, method: first, uri: '', reason: '' };
  return { status: 0, method: first, uri: second, reason: '' };
}

/** First value of a header (lower-case long name). */
export function appHeader(headers: readonly HeaderLine[], name: string): string | undefined {
  return headers.find(([given]) => canonicalName(given) === name)?.[1];
}

export function withoutHeaders(headers: readonly HeaderLine[], names: ReadonlySet<string>): HeaderLine[] {
  return headers.filter(([given]) => !names.has(canonicalName(given)));
}

/** Headers in which `@localhost` stands for our own address. */
const LOCALHOST_HEADERS = new Set(['from', 'to', 'contact', 'p-asserted-identity']);

/** Replaces `@localhost` (and a port after it) by `hostPort` in these headers. */
export function fillLocalhost(headers: readonly HeaderLine[], hostPort: string): HeaderLine[] {
  return headers.map(([name, value]) =>
    value.includes('@localhost') && LOCALHOST_HEADERS.has(canonicalName(name))
      ? [name, replaceLocalhost(value, hostPort)]
      : [name, value],
  );
}

function replaceLocalhost(value: string, hostPort: string): string {
  return value.replace(/@localhost(?::\d+)?(?![\w.-])/g, () => `@${hostPort}`);
}

/** A From or To value as `display <uri>;params` with its tag extracted. Null if it is malformed. */
export function splitTag(value: string): { address: string; tag: string } | null {
  const parsed = parseNameAddr(value);
  if (parsed === null) return null;
  let tag = '';
  let others = '';
  for (const piece of parsed.params.split(';').slice(1)) {
    const [key = '', tagValue = ''] = piece.trim().split('=', 2);
    if (key.trim().toLowerCase() === 'tag') tag = tagValue.trim();
    else others += `;${piece.trim()}`;
  }
  const display = parsed.display === '' ? '' : `${parsed.display} `;
  return { address: `${display}<${parsed.uri}>${others}`, tag };
}

export type BodyType = { readonly ok: true; readonly extra: readonly HeaderLine[] } | { readonly ok: false };

/** A body needs a Content-Type: that of the app, or application/sdp if it looks like SDP. */
export function bodyType(message: AppMessage): BodyType {
  if (message.body === '' || appHeader(message.headers, 'content-type') !== undefined)
    return { ok: true, extra: [] };
  return message.body.startsWith('v=0')
    ? { ok: true, extra: [['Content-Type', 'application/sdp']] }
    : { ok: false };
}
