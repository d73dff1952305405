/** How the messages of RFC 4475 are written down. */

export interface Torture {
  readonly name: string;
  readonly section: string;
  /** What the parser decides: 'valid', a status to reject with, or 0: dropped, because no response is possible or required. */
  readonly verdict: 'valid' | number;
  readonly text: string;
}

const crlf = (text: string): string => text.replace(/^\n/, '').replaceAll('\n', '\r\n');

export const SDP = crlf(`
v=0
o=mhandley 29739 7272939 IN IP4 192.0.2.3
s=-
c=IN IP4 192.0.2.4
t=0 0
m=audio 49217 RTP/AVP 0 12
m=video 3227 RTP/AVP 31
a=rtpmap:31 LPC
`);

export function message(head: string, body = ''): string {
  return `${crlf(head).replace('%LENGTH%', String(body.length))}\r\n${body}`;
}
