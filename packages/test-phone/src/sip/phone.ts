/**
 * A SIP phone for tests, over UDP, TCP or TLS: places calls with audio, and handles incoming calls as the far end of a carrier does (answer
 * after a delay, busy, reject with a cause, ring forever, early media, digest challenge). Retransmissions are in `transactions.ts`.
 */
import { performance } from 'node:perf_hooks';
import type { Law } from '../rtp/g711.ts';
import { RtpPort } from '../rtp/port.ts';
import { behave, type Behaviour } from './behaviour.ts';
import { q850Of, SipCall, token, type Line, type RequestOptions, type ResponseOptions } from './call.ts';
import { challenge, isAuthorized, type DigestAccount } from './digest.ts';
import {
  header,
  headerValues,
  hostPort,
  isRequest,
  isResponse,
  parameter,
  uriOf,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from './message.ts';
import { SipTransactions, type Hop } from './transactions.ts';
import { openTransport, type PhoneCertificate, type SipTransport, type Transport } from './transport.ts';
import type { SrtpSuite } from '../rtp/srtp.ts';
import { fromWire, overWire, type Wire } from './wire.ts';

export type { Behaviour } from './behaviour.ts';

export interface PhoneOptions {
  transport?: Transport;
  address?: string;
  port?: number;
  laws?: Law[];
  /** Offers and accepts G.722 before the laws. */
  g722?: boolean;
  /** Encrypts the audio of every call. */
  srtp?: SrtpSuite | null;
  /** For TLS. */
  certificate?: PhoneCertificate;
  /** Challenges every INVITE and rejects a wrong password. */
  account?: DigestAccount;
  behaviour?: Behaviour | ((call: SipCall) => Behaviour);
}

export interface CallOptions {
  /** User part of From. */
  from?: string;
  fromName?: string;
  headers?: [string, string][] | ((call: SipCall) => [string, string][]);
  laws?: Law[];
  /** Replaces the SDP of this phone; '' sends no offer (RFC 3261, section 13.2.1). */
  sdp?: string | ((call: SipCall) => string);
  /** Called before the INVITE is sent. */
  prepare?: (call: SipCall) => void;
}

export class SipPhone implements Line {
  /** Every inbound and outbound call. */
  readonly calls: SipCall[] = [];
  behaviour: Behaviour | ((call: SipCall) => Behaviour);
  /** Called for each incoming call before its behaviour starts, for example to prepare its audio. */
  onCall: ((call: SipCall) => void) | null = null;
  /** Called for each request outside a call, such as REGISTER, which gets a 200. */
  onRequest: ((request: SipRequest) => void) | null = null;
  /** Simulates the network for messages; null: they are delivered unchanged. */
  wire: Wire | null = null;
  #transport!: SipTransport;
  #transactions!: SipTransactions;
  readonly #laws: readonly Law[];
  readonly #media: { g722: boolean; srtp: SrtpSuite | null };
  readonly #account: DigestAccount | undefined;
  readonly #nonce = token();
  /** ACKs for answered INVITEs, by a key without the branch, for repeated 200s. */
  readonly #acks = new Map<string, SipRequest>();
  #waiting: ((call: SipCall) => void)[] = [];
  #closed = false;

  private constructor(options: PhoneOptions) {
    this.#laws = options.laws ?? ['PCMA', 'PCMU'];
    this.#media = { g722: options.g722 ?? false, srtp: options.srtp ?? null };
    this.#account = options.account;
    this.behaviour = options.behaviour ?? { do: 'answer' };
  }

  static async open(options: PhoneOptions = {}): Promise<SipPhone> {
    const phone = new SipPhone(options);
    const bind = { address: options.address ?? '127.0.0.1', port: options.port ?? 0 };
    const wire = () => phone.wire;
    const take = fromWire((message, from) => phone.#take(message, from), wire);
    const transport = await openTransport(options.transport ?? 'udp', bind, take, options.certificate);
    phone.#transport = overWire(transport, wire);
    phone.#transactions = new SipTransactions(phone.#transport);
    return phone;
  }

  get address(): string {
    return this.#transport.address;
  }
  get port(): number {
    return this.#transport.port;
  }
  /** The open connections of a phone over TCP or TLS. */
  get connections(): number {
    return this.#transport.connections?.() ?? 0;
  }

  /** Closes the open connections, but not the phone. */
  disconnect(): void {
    this.#transport.disconnect?.();
  }

  /** Sends an INVITE for `number` to the server and returns the call immediately. Await its `rings()`, `answered()` or `ended()`. */
  async call(number: string, server: Hop, options: CallOptions = {}): Promise<SipCall> {
    const laws = options.laws ?? this.#laws;
    const audio = await RtpPort.open({ address: this.address, law: laws[0] ?? 'PCMA' });
    const uri = `sip:${number}@${server.host}:${server.port}${this.#parameter}`;
    const from = options.from ?? 'caller';
    const name = options.fromName ? `"${options.fromName}" ` : '';
    const id = `${token()}@${this.address}`;
    const call = new SipCall(this, {
      role: 'caller',
      id,
      local: `${name}<sip:${from}@${this.address}:${this.port}>`,
      remote: `<${uri}>`,
      laws,
      ...this.#media,
      audio,
      invite: { method: 'INVITE', uri, headers: [], body: '' },
    });
    call.remoteTarget = uri;
    this.calls.push(call);
    options.prepare?.(call);
    const body = typeof options.sdp === 'function' ? options.sdp(call) : (options.sdp ?? call.sdp());
    call.invite = this.#build(call, 'INVITE', {
      body,
      ...(body === '' ? {} : { contentType: 'application/sdp' }),
      headers: typeof options.headers === 'function' ? options.headers(call) : (options.headers ?? []),
    });
    call.times.invite = performance.now();
    this.#sendInvite(call, call.invite, server);
    return call;
  }

  /** Registers this phone's address at a server; 0 seconds: removes it. Resolves with the response. */
  async register(server: Hop, expiresSeconds: number): Promise<SipResponse> {
    const uri = `sip:${server.host}:${server.port}`;
    const audio = await RtpPort.open({ address: this.address });
    audio.close();
    const address = `<sip:phone@${this.address}:${this.port}>`;
    const invite: SipRequest = { method: 'REGISTER', uri, headers: [], body: '' };
    const id = `${token()}@${this.address}`;
    const dialog = new SipCall(this, {
      role: 'caller',
      id,
      local: address,
      remote: address,
      laws: this.#laws,
      audio,
      invite,
    });
    dialog.remoteTarget = uri;
    return this.request(dialog, 'REGISTER', { headers: [['Expires', String(expiresSeconds)]] });
  }

  /** Removes an ended call, for a phone that runs for a long time. */
  forget(call: SipCall): void {
    call.audio.close();
    const index = this.calls.indexOf(call);
    if (index >= 0) this.calls.splice(index, 1);
  }

  /** The next incoming call; calls that already exist do not count. */
  nextCall(): Promise<SipCall> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Sends raw bytes, for malformed messages. */
  sendRaw(bytes: Buffer | string, server: Hop): void {
    this.#transport.sendRaw(bytes, server.host, server.port);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#transactions.close();
    this.calls.forEach((call) => call.audio.close());
    this.#transport.close();
  }

  // ---- sent requests

  request(call: SipCall, method: string, options: RequestOptions = {}): Promise<SipResponse> {
    call.cseq += 1;
    const request = this.#build(call, method, options);
    return new Promise((resolve, reject) => {
      this.#transactions.begin(request, nextHop(call), {
        onTimeout: ({ forget }) => {
          forget();
          reject(new Error(`no response to ${method}`));
        },
        onResponse: (response, { settle, forget }) => {
          if (response.status < 200) return;
          settle();
          if (method !== 'INVITE') forget();
          else this.#acknowledge(call, request, response);
          if (method === 'INVITE' && response.status < 300) call.takeSdp(response.body);
          resolve(response);
        },
      });
    });
  }

  cancel(call: SipCall): void {
    const { invite } = call;
    const headers = invite.headers
      .filter(([name]) => ['Via', 'From', 'To', 'Call-ID', 'Max-Forwards', 'Route'].includes(name))
      .concat([['CSeq', `${header(invite, 'cseq').split(' ')[0]} CANCEL`]]);
    const request: SipRequest = { method: 'CANCEL', uri: invite.uri, headers, body: '' };
    this.#transactions.begin(request, nextHop(call), {
      onTimeout: () => undefined,
      onResponse: () => undefined,
    });
  }

  #sendInvite(call: SipCall, invite: SipRequest, server: Hop): void {
    this.#transactions.begin(invite, server, {
      onTimeout: () => call.finish({ how: 'unanswered', status: null, reason: null, q850: null }),
      onResponse: (response, { settle }) => {
        settle();
        call.took(response);
        if (response.status < 200) return call.takeProvisional(response);
        const again = this.#acks.has(ackKey(response));
        this.#acknowledge(call, invite, response);
        if (again) return;
        if (response.status < 300) {
          if (call.state === 'ended') return void this.request(call, 'BYE').catch(() => undefined);
          return;
        }
        call.log.push(response.status);
        const { status, reason } = response;
        const how = status === 487 ? 'cancelled' : 'refused';
        call.finish({ how, status, reason, q850: q850Of(response) });
      },
    });
  }

  /** The ACK of a rejection belongs to the transaction of the INVITE (17.1.1.3); that of a 2xx is a separate request (13.2.2.4). */
  #acknowledge(call: SipCall, invite: SipRequest, response: SipResponse): void {
    const key = ackKey(response);
    const known = this.#acks.get(key);
    if (known) {
      const hop = response.status < 300 ? nextHop(call) : hostPort(invite.uri);
      return this.#transactions.send(known, hop);
    }
    const cseq = header(invite, 'cseq').split(' ')[0] ?? '1';
    if (response.status >= 300) {
      const headers = invite.headers.filter(([name]) =>
        ['Via', 'From', 'Call-ID', 'Max-Forwards', 'Route'].includes(name),
      );
      headers.push(['To', header(response, 'to')], ['CSeq', `${cseq} ACK`]);
      const ack: SipRequest = { method: 'ACK', uri: invite.uri, headers, body: '' };
      this.#acks.set(key, ack);
      const hop = call.routes.length > 0 || call.remoteTag ? nextHop(call) : hostPort(invite.uri);
      return this.#transactions.send(ack, hop);
    }
    if (call.state === 'calling' || call.state === 'ringing' || !call.remoteTag) call.takeAnswer(response);
    const options = call.acknowledging ? call.acknowledging(response) : {};
    if (!options) return;
    const ack = this.#build(call, 'ACK', options, Number(cseq));
    this.#acks.set(key, ack);
    this.#transactions.send(ack, nextHop(call));
  }

  #build(call: SipCall, method: string, options: RequestOptions = {}, cseq = call.cseq): SipRequest {
    const { transport, address, port } = this.#transport;
    const unlessGiven = (name: string, value: string): [string, string][] =>
      options.headers?.some(([given]) => given === name) ? [] : [[name, value]];
    const headers: [string, string][] = [
      ['Via', `SIP/2.0/${transport.toUpperCase()} ${address}:${port};branch=z9hG4bK${token()};rport`],
      ...unlessGiven('Max-Forwards', '70'),
      ...call.routes.map((route): [string, string] => ['Route', route]),
      ['From', `${call.local};tag=${call.localTag}`],
      ['To', call.remoteTag ? `${call.remote};tag=${call.remoteTag}` : call.remote],
      ['Call-ID', call.id],
      ['CSeq', `${cseq} ${method}`],
      ...unlessGiven('Contact', this.#contact()),
      ['User-Agent', 'testkit'],
      ...(options.headers ?? []),
    ];
    if (options.contentType) headers.push(['Content-Type', options.contentType]);
    return { method, uri: call.remoteTarget, headers, body: options.body ?? '' };
  }

  get #parameter(): string {
    const { transport } = this.#transport;
    return transport === 'udp' ? '' : `;transport=${transport}`;
  }

  #contact(): string {
    const { address, port } = this.#transport;
    return `<sip:phone@${address}:${port}${this.#parameter}>`;
  }

  // ---- received messages

  #take(message: SipMessage, from: Hop): void {
    if (this.#closed) return;
    if (isResponse(message)) this.#transactions.takeResponse(message);
    else if (isRequest(message) && this.#transactions.takeRequest(message, from)) this.#takeRequest(message);
  }

  #takeRequest(request: SipRequest): void {
    const call = this.calls.find((each) => each.id === header(request, 'call-id'));
    call?.took(request);
    if (call?.onRequest?.(request)) return;
    switch (request.method) {
      case 'ACK':
        return call?.note('ACK');
      case 'INVITE':
        if (call && parameter(header(request, 'to'), 'tag')) return this.#takeReinvite(call, request);
        return void this.#takeInvite(request);
      case 'BYE':
        call?.log.push('BYE');
        this.respond(request, call ? 200 : 481, call ? 'OK' : 'Call/Transaction Does Not Exist');
        return call?.finish({ how: 'bye-received', status: null, reason: null, q850: q850Of(request) });
      case 'CANCEL':
        call?.log.push('CANCEL');
        this.respond(request, 200, 'OK');
        if (!call || call.state === 'answered' || call.state === 'ended') return;
        this.respond(call.invite, 487, 'Request Terminated', { toTag: call.localTag });
        return call.finish({ how: 'cancel-received', status: 487, reason: null, q850: q850Of(request) });
      default:
        if (call) call.log.push(request.method);
        else this.onRequest?.(request);
        return this.respond(request, 200, 'OK');
    }
  }

  #takeReinvite(call: SipCall, request: SipRequest): void {
    call.log.push('re-INVITE');
    call.takeSdp(request.body);
    const offered = call.remoteAudio?.direction ?? 'sendrecv';
    const answer =
      { sendonly: 'recvonly', recvonly: 'sendonly', inactive: 'inactive' }[offered] ?? 'sendrecv';
    this.respond(request, 200, 'OK', { sdp: call.sdp(answer) });
  }

  async #takeInvite(request: SipRequest): Promise<void> {
    const authorization = header(request, 'proxy-authorization');
    if (this.#account && !isAuthorized(authorization, 'INVITE', this.#account, this.#nonce)) {
      if (authorization) return this.respond(request, 403, 'Forbidden', { toTag: token() });
      const headers: [string, string][] = [
        ['Proxy-Authenticate', challenge(this.#account.realm, this.#nonce)],
      ];
      return this.respond(request, 407, 'Proxy Authentication Required', { toTag: token(), headers });
    }
    this.respond(request, 100, 'Trying');
    // A rejected INVITE may be retried with corrected headers (RFC 4028, section 7.3).
    const again = this.calls.find(
      ({ id, state }) => id === header(request, 'call-id') && state === 'calling',
    );
    if (again) {
      again.invite = request;
      return this.#answer(again);
    }
    const audio = await RtpPort.open({ address: this.address, law: this.#laws[0] ?? 'PCMA' });
    const remote = header(request, 'from');
    const call = new SipCall(this, {
      role: 'callee',
      id: header(request, 'call-id'),
      local: header(request, 'to'),
      remote: remote.replace(/;\s*tag=[^;]+/, ''),
      laws: this.#laws,
      ...this.#media,
      audio,
      invite: request,
    });
    call.remoteTag = parameter(remote, 'tag') ?? '';
    call.remoteTarget = uriOf(header(request, 'contact'));
    call.routes = headerValues(request, 'record-route');
    call.takeSdp(request.body);
    this.calls.push(call);
    this.onCall?.(call);
    this.#waiting.splice(0).forEach((resolve) => resolve(call));
    this.#answer(call);
  }

  #answer(call: SipCall): void {
    const behaviour = typeof this.behaviour === 'function' ? this.behaviour(call) : this.behaviour;
    const after = (ms: number, then: () => void) => void this.#transactions.after(ms, then);
    behave({ respond: (...answer) => this.respond(...answer), after }, call, behaviour);
  }

  respond(request: SipRequest, status: number, reason: string, options: ResponseOptions = {}): void {
    const copied = request.headers.filter(([name]) =>
      ['via', 'v', 'from', 'f', 'call-id', 'i', 'cseq', 'record-route'].includes(name.toLowerCase()),
    );
    const to = header(request, 'to');
    const toTag = options.toTag && !parameter(to, 'tag') ? `;tag=${options.toTag}` : '';
    const ours: [string, string][] = [['To', `${to}${toTag}`], ...(options.headers ?? [])];
    if (!ours.some(([name]) => name === 'Contact')) ours.push(['Contact', this.#contact()]);
    const headers: [string, string][] = [...copied, ...ours];
    if (options.sdp) headers.push(['Content-Type', 'application/sdp']);
    this.#transactions.answer(request, { status, reason, headers, body: options.sdp ?? '' });
  }
}

const ackKey = (response: SipResponse) =>
  `${header(response, 'call-id')} ${header(response, 'cseq')} ${response.status} ${parameter(header(response, 'to'), 'tag')}`;

function nextHop(call: SipCall): Hop {
  const [first] = call.routes;
  return hostPort(first ? uriOf(first) : call.remoteTarget);
}
