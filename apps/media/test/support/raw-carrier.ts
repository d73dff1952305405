/** A carrier whose messages the test writes: one UDP socket and one call. */
import { createSocket, type Socket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { headerOf, responseText, sipText } from '@clarion/test-phone/sip/text';

const WAIT_MS = 5_000;

export interface Extra {
  headers?: readonly string[];
  body?: string;
}

/** One audio line of G.711 (both codecs) at 127.0.0.1. */
export function sdp(
  port: number,
  more: { version?: number; direction?: string; laws?: string } = {},
): string {
  const { version = 1, direction = 'sendrecv', laws = '8 0' } = more;
  return [
    'v=0',
    `o=carrier 7 ${version} IN IP4 127.0.0.1`,
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP ${laws}`,
    `a=${direction}`,
    '',
  ].join('\r\n');
}

export { headerOf };
export const bodyOf = (message: string): string => message.slice(message.indexOf('\r\n\r\n') + 4);
/** The version after the session ID in the `o=` line. */
export const versionOf = (message: string): number => Number(/^o=\S+ \S+ (\d+)/m.exec(bodyOf(message))?.[1]);

let calls = 0;

export class RawCarrier {
  readonly #socket: Socket;
  readonly #server: number;
  readonly #inbox: string[] = [];
  readonly #arrivals = new EventEmitter();
  /** The identifiers of the call; `from` is the From of the carrier's requests. */
  callId = `raw-${process.pid}-${++calls}`;
  from = '<sip:caller@127.0.0.1>;tag=carrier';
  to = '';
  target = '';
  cseq = 1;

  private constructor(socket: Socket, server: number) {
    this.#socket = socket;
    this.#server = server;
    this.target = `sip:1@127.0.0.1:${server}`;
    this.to = `<${this.target}>`;
    socket.on('message', (bytes) => {
      if (bytes.length < 20) return;
      this.#inbox.push(bytes.toString());
      this.#arrivals.emit('any');
    });
  }

  static async open(server: number, address = '127.0.0.1'): Promise<RawCarrier> {
    const socket = createSocket('udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    return new RawCarrier(socket, server);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  get address(): string {
    return this.#socket.address().address;
  }

  get #contact(): string {
    return `<sip:carrier@${this.address}:${this.port}>`;
  }

  /** Removes and returns the first pending message that starts with this text. */
  async receive(start: string): Promise<string> {
    const signal = AbortSignal.timeout(WAIT_MS);
    for (;;) {
      const index = this.#inbox.findIndex((text) => text.startsWith(start));
      const [found] = index < 0 ? [] : this.#inbox.splice(index, 1);
      if (found !== undefined) return found;
      await once(this.#arrivals, 'any', { signal }).catch(() => {
        const seen = this.#inbox.map((text) => text.slice(0, text.indexOf('\r\n'))).join('; ') || 'nothing';
        throw new Error(`no ${start} within ${WAIT_MS} ms; received ${seen}`);
      });
    }
  }

  /** The start lines of messages that were not consumed. */
  get rest(): string[] {
    return this.#inbox.map((text) => text.slice(0, text.indexOf('\r\n')));
  }

  /** Sends a request with the next CSeq and returns its final response (skipping 100 and repetitions). */
  async request(method: string, extra: Extra = {}): Promise<string> {
    this.cseq += 1;
    this.send(method, extra);
    return await this.#final(method, this.cseq);
  }

  send(method: string, { headers = [], body = '' }: Extra = {}, cseq = this.cseq): void {
    // A CANCEL has the branch of the request that it cancels (RFC 3261 §9.1).
    const branch = `z9hG4bK${this.callId}${cseq}${method === 'CANCEL' ? 'INVITE' : method}`;
    const lines = [
      `${method} ${this.target} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${this.port};branch=${branch}`,
      `From: ${this.from}`,
      `To: ${this.to}`,
      `Call-ID: ${this.callId}`,
      `CSeq: ${cseq} ${method}`,
      `Contact: ${this.#contact}`,
      'Max-Forwards: 70',
      ...headers,
    ];
    this.raw(sipText(lines, body));
  }

  /** Responds to a request of the node; `tag` is added to the To if it has none. */
  answer(
    request: string,
    status: number,
    {
      tag = 'carrier',
      contact = this.#contact,
      ...extra
    }: Extra & { tag?: string; contact?: string | null } = {},
  ): void {
    this.raw(responseText(request, status, { toTag: tag, contact, ...extra }));
  }

  /** Uses the dialog of the node's INVITE for the carrier's requests from now on. */
  join(invite: string, tag = 'carrier'): void {
    this.callId = headerOf(invite, 'Call-ID');
    this.from = `${headerOf(invite, 'To')};tag=${tag}`;
    this.to = headerOf(invite, 'From');
    this.target = /<([^>]+)>/.exec(headerOf(invite, 'Contact'))?.[1] ?? this.target;
  }

  raw(text: string): void {
    this.#socket.send(text, this.#server, '127.0.0.1');
  }

  close(): void {
    this.#socket.close();
  }

  async #final(method: string, cseq: number): Promise<string> {
    for (;;) {
      const response = await this.receive('SIP/2.0 ');
      if (headerOf(response, 'CSeq') === `${cseq} ${method}` && !response.startsWith('SIP/2.0 1'))
        return response;
    }
  }
}
