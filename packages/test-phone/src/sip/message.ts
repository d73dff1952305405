/** SIP messages (RFC 3261, section 7) for the test phone. Shares no code with the gateway, so that both do not have the same errors. */

export interface SipMessage {
  /** Of requests. */
  method?: string;
  uri?: string;
  /** Of responses. */
  status?: number;
  reason?: string;
  headers: [name: string, value: string][];
  body: string;
}
export type SipRequest = SipMessage & { method: string; uri: string };
export type SipResponse = SipMessage & { status: number; reason: string };

const compactNames: Record<string, string> = {
  v: 'via',
  f: 'from',
  t: 'to',
  i: 'call-id',
  m: 'contact',
  l: 'content-length',
  c: 'content-type',
  k: 'supported',
};
const longName = (name: string) => {
  const lower = name.toLowerCase();
  return compactNames[lower] ?? lower;
};

const STATUS_LINE = /^SIP\/2\.0 (\d{3}) ?(.*)$/;
const REQUEST_LINE = /^([A-Z]+) (\S+) SIP\/2\.0$/;

/** Null if it is not a SIP message. */
export function parseSip(text: string): SipMessage | null {
  const split = text.indexOf('\r\n\r\n');
  if (split < 0) return null;
  const [startLine = '', ...lines] = text
    .slice(0, split)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  const body = text.slice(split + 4);
  const response = STATUS_LINE.exec(startLine);
  if (response) return { status: Number(response[1]), reason: response[2] ?? '', headers, body };
  const request = REQUEST_LINE.exec(startLine);
  return request?.[1] && request[2] ? { method: request[1], uri: request[2], headers, body } : null;
}

export const isRequest = (message: SipMessage): message is SipRequest => message.method !== undefined;
export const isResponse = (message: SipMessage): message is SipResponse => message.status !== undefined;

export function buildSip(message: SipMessage): string {
  const start = isRequest(message)
    ? `${message.method} ${message.uri} SIP/2.0`
    : `SIP/2.0 ${message.status} ${message.reason}`;
  const lines = message.headers
    .filter(([name]) => longName(name) !== 'content-length')
    .map(([name, value]) => `${name}: ${value}`);
  return [start, ...lines, `Content-Length: ${Buffer.byteLength(message.body)}`, '', message.body].join(
    '\r\n',
  );
}

/** First value of a header, by its case-insensitive long name; '' if absent. */
export function header(message: SipMessage, name: string): string {
  return headerValues(message, name)[0] ?? '';
}

export function headerValues(message: SipMessage, name: string): string[] {
  const wanted = longName(name);
  return message.headers.filter(([each]) => longName(each) === wanted).map(([, value]) => value);
}

/** The parameter `;name=value` of a header value, outside the angle brackets. */
export function parameter(value: string, name: string): string | undefined {
  return new RegExp(`;\\s*${name}=([^;,\\s>]+)`, 'i').exec(value.replace(/<[^>]*>/, ''))?.[1];
}

/** The URI of a From, To or Contact header. */
export function uriOf(value: string): string {
  return /<([^>]+)>/.exec(value)?.[1] ?? value.split(';')[0]?.trim() ?? '';
}

/** Host and port of a sip: URI. */
export function hostPort(uri: string): { host: string; port: number } {
  const match = /^sips?:(?:[^@]*@)?([^:;?>]+)(?::(\d+))?/.exec(uri);
  return { host: match?.[1] ?? '', port: Number(match?.[2] ?? 5060) };
}

/** Splits a TCP stream at Content-Length (RFC 3261, section 18.3). Keep-alive CRLFs are dropped. */
export class SipStream {
  #buffer = Buffer.alloc(0);

  push(chunk: Buffer): SipMessage[] {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    const messages: SipMessage[] = [];
    for (;;) {
      while (this.#buffer.subarray(0, 2).toString() === '\r\n') this.#buffer = this.#buffer.subarray(2);
      const split = this.#buffer.indexOf('\r\n\r\n');
      if (split < 0) return messages;
      const head = this.#buffer.subarray(0, split + 4).toString();
      const length = Number(/^(?:content-length|l)\s*:\s*(\d+)/im.exec(head)?.[1] ?? 0);
      if (this.#buffer.length < split + 4 + length) return messages;
      const message = parseSip(this.#buffer.subarray(0, split + 4 + length).toString());
      this.#buffer = this.#buffer.subarray(split + 4 + length);
      if (message) messages.push(message);
    }
  }
}
