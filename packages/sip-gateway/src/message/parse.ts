/**
 * The parser for messages from the network. It never throws. A malformed message has a `fault` if it can still be
 * responded to, and is null if it cannot (RFC 3261 §16.3, §21.4.1; RFC 4475).
 */
import { canonicalName } from './headers.ts';
import type { SipMessage } from './message.ts';
import { param, parseDigits, parseNameAddr, parseUri, splitList } from './uri.ts';
import type { Via } from './via.ts';
import { parseVia } from './via.ts';

/** Why a request is rejected, as the status line of the response. */
export interface Fault {
  readonly status: number;
  readonly reason: string;
}

export interface Parsed {
  readonly message: SipMessage;
  /** Null if the message is valid. An invalid response must be dropped; an invalid request may be rejected. */
  readonly fault: Fault | null;
}

/** Largest CSeq (RFC 3261 §8.1.1.5). */
const MAX_CSEQ = 2 ** 31 - 1;
/** Largest Max-Forwards (RFC 3261 §20.22). */
const MAX_MAX_FORWARDS = 255;
/** A message with more lines in its head than this, of whatever kind, is treated as an attack. */
export const MAX_HEADER_LINES = 256;
/** Largest head (start line and headers) of a message. Heads of real calls have a few thousand octets. Bytes. */
export const MAX_HEAD_BYTES = 32 * 1024;

interface Head {
  readonly names: string[];
  readonly values: string[];
  readonly bodyStart: number;
  readonly viaLineStart: number;
  readonly viaLineEnd: number;
  readonly sound: boolean;
}

/** Parses one message. Octets beyond Content-Length are ignored (RFC 3261 §18.3). Null if no response is possible. */
export function parseMessage(received: string): Parsed | null {
  const text = withCrlf(received);
  const lineFeed = text.indexOf('\n');
  if (lineFeed < 0) return null;
  const startLine = text.slice(0, lineFeed - 1);
  const head = readHead(text, lineFeed + 1);
  if (head === null || head.viaLineStart < 0) return null;

  const viaLine = unfold(text.slice(head.viaLineStart, head.viaLineEnd));
  const viaParts = splitList(viaLine);
  const viaText = viaParts?.[0] ?? '';
  const via = parseVia(viaText);
  if (via === null) return null;
  const single = viaParts?.length === 1;
  const viaEnd = single
    ? head.viaLineEnd
    : head.viaLineStart + text.slice(head.viaLineStart, head.viaLineEnd).indexOf(',');

  return finish(text, startLine, head, via, viaText, viaEnd);
}

function finish(
  text: string,
  startLine: string,
  head: Head,
  via: Via,
  viaText: string,
  viaEnd: number,
): Parsed | null {
  const { names, values } = head;
  const callId = names.indexOf('call-id');
  const cseqAt = names.indexOf('cseq');
  const fromAt = names.indexOf('from');
  const toAt = names.indexOf('to');
  if (callId < 0 || cseqAt < 0 || fromAt < 0 || toAt < 0) return null;
  const callIdText = values[callId] ?? '';
  if (callIdText === '' || breaksFrame(callIdText)) return null;

  let fault: Fault | null = head.sound ? null : bad('Bad Header');
  const cseq = readCSeq(values[cseqAt] ?? '');
  if (cseq === null) fault ??= bad('Bad CSeq');
  const from = parseNameAddr(values[fromAt] ?? '');
  const to = parseNameAddr(values[toAt] ?? '');
  if (from === null) fault ??= bad('Bad From');
  if (to === null) fault ??= bad('Bad To');
  fault ??= repeatedFault(names, callId, cseqAt, fromAt, toAt);

  const line = readStartLine(startLine, cseq?.method ?? '');
  if (line === null) return null;
  fault ??= line.fault;
  if (cseq !== null && line.status === 0 && cseq.method !== line.method)
    fault ??= bad('CSeq Method Mismatch');
  const length = readLength(names, values, text.length - head.bodyStart);
  if (length < 0) fault ??= bad('Bad Content-Length');
  if (line.status === 0) fault ??= fieldFault(names, values);

  const fromTag = from === null ? '' : (param(from.params, 'tag') ?? '');
  const toTag = to === null ? '' : (param(to.params, 'tag') ?? '');
  if (breaksFrame(fromTag) || breaksFrame(toTag)) fault ??= bad('Bad Tag');
  const bodyEnd = length < 0 ? text.length : head.bodyStart + length;
  const whole = bodyEnd < text.length ? text.slice(0, bodyEnd) : text;
  const shift = line.shown.length - startLine.length;
  const message: SipMessage = {
    raw: line.shown === startLine ? whole : line.shown + whole.slice(startLine.length),
    method: line.method,
    uri: line.uri,
    status: line.status,
    reason: line.reason,
    names,
    values,
    body: text.slice(head.bodyStart, bodyEnd),
    via,
    viaText,
    viaStart: head.viaLineStart + shift,
    viaEnd: viaEnd + shift,
    callId: callIdText,
    cseq: cseq?.number ?? 0,
    fromTag,
    toTag,
  };
  return { message, fault };
}

/**
 * Removes line breaks before the message and ends each line of its head with CRLF: some senders use LF alone, and apps
 * split at CRLF.
 */
function withCrlf(text: string): string {
  let done = 0;
  while (text.charCodeAt(done) === 0x0d || text.charCodeAt(done) === 0x0a) done++;
  let normal = '';
  let lineStart = done;
  for (let lineFeed = text.indexOf('\n', done); lineFeed >= 0; lineFeed = text.indexOf('\n', lineStart)) {
    const crlf = lineFeed > lineStart && text.charCodeAt(lineFeed - 1) === 0x0d;
    if (!crlf) {
      normal += `${text.slice(done, lineFeed)}\r\n`;
      done = lineFeed + 1;
    }
    const blank = lineFeed - lineStart === (crlf ? 1 : 0);
    // The rest of a head that is too long does not matter: the message is dropped.
    if (blank || normal.length + lineFeed - done > MAX_HEAD_BYTES) break;
    lineStart = lineFeed + 1;
  }
  return done === 0 ? text : normal + text.slice(done);
}

/** IDs are written between bars in the first line of control frames, which the app splits without unescaping. */
const breaksFrame = (id: string): boolean => id.includes('|') || id.includes('\r');

/** Parses header lines from `from` to the empty line. Null if the head is incomplete or too long. */
function readHead(text: string, from: number): Head | null {
  const names: string[] = [];
  const values: string[] = [];
  let viaLineStart = -1;
  let viaLineEnd = -1;
  let sound = true;
  let at = from;
  let lines = 0;
  for (;;) {
    let lineFeed = text.indexOf('\n', at);
    if (lineFeed < 0 || lineFeed >= MAX_HEAD_BYTES) return null;
    let end = text.charCodeAt(lineFeed - 1) === 0x0d && lineFeed > at ? lineFeed - 1 : lineFeed;
    if (end === at) return { names, values, bodyStart: lineFeed + 1, viaLineStart, viaLineEnd, sound };
    if (++lines > MAX_HEADER_LINES) return null;
    // A line that starts with a space or tab continues this one.
    let folded = false;
    for (let next = text.charCodeAt(lineFeed + 1); next === 0x20 || next === 0x09;) {
      const following = text.indexOf('\n', lineFeed + 1);
      if (following < 0 || following >= MAX_HEAD_BYTES || ++lines > MAX_HEADER_LINES) return null;
      folded = true;
      lineFeed = following;
      end = text.charCodeAt(lineFeed - 1) === 0x0d ? lineFeed - 1 : lineFeed;
      next = text.charCodeAt(lineFeed + 1);
    }
    // Searches only this line: without a colon in it, a search in `text` would continue to the end of the message.
    const colonAt = text.slice(at, end).indexOf(':');
    const colon = at + colonAt;
    const name = colonAt < 0 ? '' : text.slice(at, endOfName(text, at, colon));
    if (name === '' || !isVisible(name)) sound = false;
    else {
      let valueStart = colon + 1;
      while (text.charCodeAt(valueStart) === 0x20 || text.charCodeAt(valueStart) === 0x09) valueStart++;
      const value = text.slice(valueStart, end);
      const canonical = canonicalName(name);
      if (canonical === 'via' && viaLineStart < 0) {
        viaLineStart = valueStart;
        viaLineEnd = end;
      }
      names.push(canonical);
      values.push(folded ? unfold(value).trim() : value.trimEnd());
    }
    at = lineFeed + 1;
  }
}

/** Spaces and tabs are allowed before the colon (HCOLON of RFC 3261 §25.1). */
function endOfName(text: string, from: number, colon: number): number {
  let end = colon;
  while (end > from && (text.charCodeAt(end - 1) === 0x20 || text.charCodeAt(end - 1) === 0x09)) end--;
  return end;
}

/** Joins continuation lines with one space (RFC 3261 §7.3.1). */
function unfold(value: string): string {
  if (!value.includes('\n')) return value;
  return value
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();
}

interface StartLine {
  readonly method: string;
  readonly uri: string;
  readonly status: number;
  readonly reason: string;
  readonly fault: Fault | null;
  /** The line as passed to apps, which know only upper-case SIP (RFC 3261 §7.1) and need a Request-URI. */
  readonly shown: string;
}

/** Replaces the invalid Request-URI of an ACK for apps. */
const NO_URI = 'sip:invalid';

function readStartLine(line: string, cseqMethod: string): StartLine | null {
  if (line.startsWith('SIP/') || line.startsWith('sip/')) {
    if (line.slice(4, 8) !== '2.0 ') return null;
    const space = line.indexOf(' ', 8);
    const code = space < 0 ? line.slice(8) : line.slice(8, space);
    const status = code.length === 3 ? parseDigits(code, 699) : -1;
    if (status < 100) return null;
    const reason = space < 0 ? '' : line.slice(space + 1);
    return {
      method: cseqMethod,
      uri: '',
      status,
      reason,
      fault: isOneLine(reason) ? null : bad('Bad Reason Phrase'),
      shown: `SIP${line.slice(3)}`,
    };
  }
  const firstSpace = line.indexOf(' ');
  const lastSpace = line.lastIndexOf(' ');
  if (firstSpace <= 0) return null;
  const method = line.slice(0, firstSpace);
  if (!isToken(method)) return null;
  const version = line.slice(lastSpace + 1).toUpperCase();
  const uri = line.slice(firstSpace + 1, Math.max(firstSpace + 1, lastSpace));
  const usable = isVisible(uri) && parseUri(uri) !== null;
  let fault: Fault | null = null;
  if (version !== 'SIP/2.0') {
    fault = version.startsWith('SIP/')
      ? { status: 505, reason: 'Version Not Supported' }
      : bad('Bad Request Line');
  } else if (!usable && method !== 'ACK') {
    // An ACK is matched by its tags; an invalid Request-URI must not end a call.
    fault = isForeignScheme(uri) ? { status: 416, reason: 'Unsupported URI Scheme' } : bad('Bad Request-URI');
  }
  const shown = `${method} ${usable ? uri : NO_URI} SIP/2.0`;
  return { method, uri, status: 0, reason: '', fault, shown };
}

/** A well-formed absolute URI of a scheme other than sip, sips and tel. */
function isForeignScheme(uri: string): boolean {
  const colon = uri.indexOf(':');
  if (colon <= 0 || uri.includes(' ') || uri.includes('<')) return false;
  const scheme = uri.slice(0, colon).toLowerCase();
  return isToken(scheme) && scheme !== 'sip' && scheme !== 'sips' && scheme !== 'tel';
}

function readCSeq(value: string): { number: number; method: string } | null {
  let space = value.indexOf(' ');
  if (space < 0) space = value.indexOf('\t');
  if (space < 0) return null;
  const number = parseDigits(value.slice(0, space), MAX_CSEQ);
  const method = value.slice(space + 1).trim();
  return number < 0 || !isToken(method) ? null : { number, method };
}

/** Length of the body, or -1 if the header is malformed, contradictory or larger than the message. */
function readLength(names: readonly string[], values: readonly string[], available: number): number {
  let length = -1;
  for (let i = 0; i < names.length; i++) {
    if (names[i] !== 'content-length') continue;
    const value = parseDigits((values[i] ?? '').trim(), available);
    if (value < 0 || (length >= 0 && length !== value)) return -1;
    length = value;
  }
  return names.includes('content-length') ? length : available;
}

/** Headers that may appear only once (RFC 4475 §3.3.8 "multi01"). */
function repeatedFault(
  names: readonly string[],
  callId: number,
  cseq: number,
  from: number,
  to: number,
): Fault | null {
  const again =
    names.includes('call-id', callId + 1) ||
    names.includes('cseq', cseq + 1) ||
    names.includes('from', from + 1) ||
    names.includes('to', to + 1);
  return again ? bad('Repeated Header') : null;
}

/** Other fields that make a request invalid: Max-Forwards and Contact. */
function fieldFault(names: readonly string[], values: readonly string[]): Fault | null {
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const value = values[i] ?? '';
    if (name === 'max-forwards') {
      if (parseDigits(value, MAX_MAX_FORWARDS) < 0) return bad('Bad Max-Forwards');
    } else if (name === 'contact' && value !== '*' && value !== '') {
      const contacts = splitList(value);
      if (contacts === null) return bad('Bad Contact');
      for (const contact of contacts) if (parseNameAddr(contact) === null) return bad('Bad Contact');
    }
  }
  return null;
}

/** ASCII without spaces and control characters. */
function isVisible(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 0x20 || code >= 0x7f) return false;
  }
  return true;
}

/** UTF-8 octets of the line and paragraph separators U+2028 and U+2029, which end a line in JavaScript apps. */
const SEPARATORS = ['\r', '\xe2\x80\xa8', '\xe2\x80\xa9'];
const isOneLine = (text: string): boolean => !SEPARATORS.some((separator) => text.includes(separator));

function bad(reason: string): Fault {
  return { status: 400, reason };
}

/** RFC 3261 §25.1 token. */
export function isToken(text: string): boolean {
  if (text.length === 0) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const fine =
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      TOKEN_MARKS.has(code);
    if (!fine) return false;
  }
  return true;
}

const TOKEN_MARKS = new Set([..."-.!%*_+`'~"].map((mark) => mark.charCodeAt(0)));
