/** Writes messages from header lists. Values are byte strings (latin1). */
import { canonicalName, wireRank, wireSpelling } from './headers.ts';
import type { SipMessage } from './message.ts';
import { headerAll } from './message.ts';

/** A header to write: name in any spelling, value without line breaks. */
export type HeaderLine = readonly [name: string, value: string];

export const CRLF = '\r\n';

/** Reason phrases of the server's own responses, and of those that the app sends without one. */
const REASONS: Readonly<Record<number, string>> = {
  100: 'Trying',
  180: 'Ringing',
  183: 'Session Progress',
  200: 'OK',
  202: 'Accepted',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  416: 'Unsupported URI Scheme',
  420: 'Bad Extension',
  422: 'Session Interval Too Small',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  483: 'Too Many Hops',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  491: 'Request Pending',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  504: 'Server Time-out',
  505: 'Version Not Supported',
  603: 'Decline',
};

export function reasonPhrase(status: number): string {
  return REASONS[status] ?? 'Unknown';
}

/** Start line, headers in wire order (stable within a name), computed Content-Length, body. */
export function buildMessage(startLine: string, headers: readonly HeaderLine[], body: string): string {
  const lines: { rank: number; text: string }[] = [];
  let sorted = true;
  let last = -1;
  for (const [name, value] of headers) {
    const rank = wireRank(canonicalName(name));
    if (rank < last) sorted = false;
    last = rank;
    lines.push({ rank, text: `${wireSpelling(name)}: ${value}${CRLF}` });
  }
  lines.push({ rank: LENGTH_RANK, text: `Content-Length: ${body.length}${CRLF}` });
  if (!sorted || last > LENGTH_RANK) lines.sort((a, b) => a.rank - b.rank);
  let text = startLine + CRLF;
  for (const line of lines) text += line.text;
  return text + CRLF + body;
}

const LENGTH_RANK = wireRank('content-length');

/**
 * The response to a request: Via (the top one as stamped), Record-Route, From, To (with `toTag` added if it has none),
 * Call-ID and CSeq copied (RFC 3261 §8.2.6.2), then `extra`.
 */
export function buildResponse(
  request: SipMessage,
  stampedVia: string,
  status: number,
  reason: string,
  toTag: string,
  extra: readonly HeaderLine[] = [],
  body = '',
): string {
  const headers: HeaderLine[] = [];
  headers.push(['Via', stampedVia]);
  for (const value of lowerVias(request)) headers.push(['Via', value]);
  if (request.method !== 'REGISTER') {
    for (const value of headerAll(request, 'record-route')) headers.push(['Record-Route', value]);
  }
  headers.push(['From', request.values[request.names.indexOf('from')] ?? '']);
  const to = request.values[request.names.indexOf('to')] ?? '';
  headers.push(['To', request.toTag === '' && toTag !== '' ? `${to};tag=${toTag}` : to]);
  headers.push(['Call-ID', request.callId]);
  headers.push(['CSeq', request.values[request.names.indexOf('cseq')] ?? '']);
  for (const line of extra) headers.push(line);
  return buildMessage(`SIP/2.0 ${status} ${reason}`, headers, body);
}

/** Every Via value below the top one, one string per header line. */
function lowerVias(request: SipMessage): string[] {
  const lines = headerAll(request, 'via');
  const [first = '', ...others] = lines;
  const below = first.slice(request.viaText.length).trim();
  return below.startsWith(',') ? [below.slice(1).trim(), ...others] : others;
}
