/** A gateway on a still clock, with apps that speak the control protocol and far ends that speak SIP over UDP. */
import dgram from 'node:dgram';
import net from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { headerOf, responseText, sipText } from '@clarion/test-phone/sip/text';
import { FrameReader, frame } from '../src/control/framing.ts';
import type { SipGateway, SipGatewayOptions } from '../src/index.ts';
import { startSipGateway } from '../src/index.ts';
import { Inbox } from './inbox.ts';
import { ManualClock } from './manual-clock.ts';

export const SECRET = 'cymru';
export const SDP =
  'v=0\r\no=t 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n';

export class Rig {
  readonly gateway: SipGateway;
  readonly clock: ManualClock;
  readonly #open: (() => void)[] = [];

  constructor(gateway: SipGateway, clock: ManualClock) {
    this.gateway = gateway;
    this.clock = clock;
  }

  static async start(options: Partial<SipGatewayOptions> = {}): Promise<Rig> {
    const clock = new ManualClock(Date.UTC(2026, 0, 1));
    const gateway = await startSipGateway({ secret: SECRET, sipPort: 0, controlPort: 0, clock, ...options });
    return new Rig(gateway, clock);
  }

  /** An authenticated app with the given routes. */
  async app(...verbs: string[]): Promise<App> {
    const app = await this.rawApp();
    await app.ask(`authenticate|${SECRET}|`);
    for (const verb of verbs) await app.ask(`route|${verb}`);
    return app;
  }

  async rawApp(): Promise<App> {
    const app = await App.connect(this.gateway.controlPort);
    this.#open.push(() => app.socket.destroy());
    return app;
  }

  async farEnd(): Promise<FarEnd> {
    const farEnd = await FarEnd.open(this.gateway.sipPort);
    this.#open.push(() => farEnd.close());
    return farEnd;
  }

  /** Turns the clock on, letting sockets work after every timer. */
  async pass(ms: number): Promise<void> {
    await rounds();
    await this.clock.advanceWith(ms, rounds);
    await rounds();
  }

  async stop(): Promise<void> {
    for (const close of this.#open) close();
    await this.gateway.close();
  }
}

/** Lets sockets on loopback deliver what was written. */
export async function rounds(): Promise<void> {
  for (let i = 0; i < 8; i++) await immediate();
}

export class App {
  readonly socket: net.Socket;
  readonly inbox = new Inbox('app');
  closed = false;
  #count = 0;

  constructor(socket: net.Socket) {
    this.socket = socket;
    const reader = new FrameReader();
    socket.on('data', (data: Buffer) => {
      for (const payload of reader.push(data.toString('latin1')) ?? []) this.inbox.put(payload);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => (this.closed = true));
  }

  static async connect(port: number): Promise<App> {
    const socket = net.connect({ host: '127.0.0.1', port });
    const app = new App(socket);
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    return app;
  }

  /** Sends a command (without its id) and gives back the reply's fields and text. */
  async ask(command: string): Promise<Reply> {
    const id = `c${++this.#count}`;
    this.socket.write(frame(`${id}|${command}`), 'latin1');
    return new Reply(await this.inbox.take(`|response|${id}|`));
  }

  /** Sends a SIP text in a `sip` command. */
  sip(txn: string, dialog: string, text: string): Promise<Reply> {
    return this.ask(`sip|${txn}|${dialog}\r\n${text}`);
  }

  /** The next notification that contains `part`. */
  async notified(part: string): Promise<Notified> {
    return new Notified(await this.inbox.take(part));
  }
}

class Framed {
  readonly fields: readonly string[];
  readonly sip: string;

  constructor(payload: string) {
    const end = payload.indexOf('\r\n');
    this.fields = (end < 0 ? payload : payload.slice(0, end)).split('|');
    this.sip = end < 0 ? '' : payload.slice(end + 2);
  }
}

export class Reply extends Framed {
  get result(): string {
    return this.fields[3] ?? '';
  }

  get why(): string {
    return this.fields[4] ?? '';
  }

  /** Of a request or response that was sent. */
  get txn(): string {
    return this.fields[10] ?? '';
  }

  get dialog(): string {
    return this.fields[11] ?? '';
  }
}

export class Notified extends Framed {
  get source(): string {
    return this.fields[2] ?? '';
  }

  get txn(): string {
    return this.fields[8] ?? '';
  }

  get dialog(): string {
    return this.fields[9] ?? '';
  }
}

export class FarEnd {
  readonly inbox = new Inbox('far end');
  readonly #socket: dgram.Socket;
  readonly #gatewayPort: number;
  readonly port: number;
  /** Octets sent so far. */
  sentBytes = 0;
  #open = true;

  constructor(socket: dgram.Socket, gatewayPort: number) {
    this.#socket = socket;
    this.#gatewayPort = gatewayPort;
    this.port = socket.address().port;
    socket.on('message', (data) => {
      if (data.length > 8) this.inbox.put(data.toString('latin1'));
    });
  }

  static async open(gatewayPort: number): Promise<FarEnd> {
    const socket = dgram.createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind({ address: '127.0.0.1', port: 0 }, resolve));
    return new FarEnd(socket, gatewayPort);
  }

  /** Sends raw text. */
  async send(text: string): Promise<void> {
    this.sentBytes += text.length;
    await new Promise<void>((resolve) => {
      this.#socket.send(Buffer.from(text, 'latin1'), this.#gatewayPort, '127.0.0.1', () => resolve());
    });
    await rounds();
  }

  /** Sends a request with the usual headers; `extra` lines are added. */
  request(
    method: string,
    options: {
      call?: string;
      cseq?: number;
      toTag?: string;
      fromTag?: string;
      branch?: string;
      extra?: string[];
      body?: string;
      contact?: string;
    } = {},
  ): Promise<void> {
    const { call = 'call', cseq = 1, toTag = '', fromTag = 'far', extra = [], body = '' } = options;
    const branch = options.branch ?? `z9hG4bK${call}${cseq}${method}${toTag}`;
    const here = `127.0.0.1:${this.port}`;
    const lines = [
      `${method} sip:us@127.0.0.1:${this.#gatewayPort} SIP/2.0`,
      `Via: SIP/2.0/UDP ${here};rport;branch=${branch}`,
      'Max-Forwards: 70',
      `From: <sip:far@${here}>;tag=${fromTag}`,
      `To: <sip:us@127.0.0.1:${this.#gatewayPort}>${toTag === '' ? '' : `;tag=${toTag}`}`,
      `Call-ID: ${call}`,
      `CSeq: ${cseq} ${method}`,
      options.contact ?? `Contact: <sip:far@${here}>`,
      ...extra,
    ];
    return this.send(sipText(lines, body));
  }

  /** Answers a request of the gateway's, copying what a response copies. */
  answer(
    request: string,
    status: number,
    options: { toTag?: string; extra?: string[]; body?: string; contact?: string } = {},
  ): Promise<void> {
    const { toTag = 'far', contact = `<sip:far@127.0.0.1:${this.port}>`, extra = [], body = '' } = options;
    return this.send(responseText(request, status, { toTag, contact, headers: extra, body }));
  }

  close(): void {
    if (this.#open) this.#socket.close();
    this.#open = false;
  }
}

export { headerOf as valueOf };

export function toTagOf(text: string): string {
  return /;tag=([^;\s]+)/.exec(headerOf(text, 'To'))?.[1] ?? '';
}
