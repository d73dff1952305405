/** SIP messages as text, for tests that write each header line themselves. Shares no code with the gateway. */

/** A message from its start line and header lines; the headers for the body are added. Bodies must be ASCII. */
export const sipText = (lines: readonly string[], body = ''): string =>
  [
    ...lines,
    ...(body === '' ? [] : ['Content-Type: application/sdp']),
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');

/** The first value of the header with exactly this spelling; '' if absent. */
export const headerOf = (message: string, name: string): string =>
  new RegExp(`^${name}: *(.*)\\r$`, 'im').exec(message)?.[1] ?? '';

export interface ResponseParts {
  /** The tag that is added to To if it has none; '' adds none. */
  toTag: string;
  /** The value of Contact; null: none. */
  contact: string | null;
  headers?: readonly string[];
  body?: string;
}

/** A response with the headers that it copies from its request (RFC 3261, section 8.2.6.2). */
export function responseText(request: string, status: number, parts: ResponseParts): string {
  const to = headerOf(request, 'To');
  return sipText(
    [
      `SIP/2.0 ${status} Answer`,
      `Via: ${headerOf(request, 'Via')}`,
      `From: ${headerOf(request, 'From')}`,
      `To: ${to.includes(';tag=') || parts.toTag === '' ? to : `${to};tag=${parts.toTag}`}`,
      `Call-ID: ${headerOf(request, 'Call-ID')}`,
      `CSeq: ${headerOf(request, 'CSeq')}`,
      ...(parts.contact === null ? [] : [`Contact: ${parts.contact}`]),
      ...(parts.headers ?? []),
    ],
    parts.body,
  );
}
