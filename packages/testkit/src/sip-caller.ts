/**
 * A SIP phone for tests, over UDP or TCP: calls with audio, and takes calls the way a carrier's far end would (answer after a while, busy,
 * a refusal with a cause, ringing for ever, early media, a digest challenge). RFC 3261 transactions with their retransmissions.
 */
import { performance } from 'node:perf_hooks';
import type { Law } from './g711.ts';
import { RtpPort } from './rtp-tone.ts';
import { q850Of, SipCall, token, type Line, type RequestOptions, type ResponseOptions } from './sip-call.ts';
import { challenge, isAuthorized, type DigestAccount } from './sip-digest.ts';
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
} from './sip-message.ts';
import { openTransport, type SipTransport, type Transport } from './sip-transport.ts';

const T1_MS = 500; // RFC 3261, section 17.1.1.1
const T2_MS = 4000;
const TRANSACTION_TIMEOUT_MS = 64 * T1_MS; // timers B, F and H

/** What the phone does with a call that comes in. `ring` (default) sends a 180 first. */
export type Behaviour =
  | { do: 'answer'; afterMs?: number; ring?: boolean; earlyMedia?: boolean }
  | { do: 'refuse'; status: number; reason?: string; q850?: number; afterMs?: number; ring?: boolean }
  /** Rings and never answers. */
  | { do: 'ring' }
  /** Not a word. */
  | { do: 'ignore' };

export interface PhoneOptions {
  transport?: Transport;
  address?: string;
  port?: number;
  laws?: Law[];
  /** Challenges every INVITE and refuses the wrong password. */
  account?: DigestAccount;
  behaviour?: Behaviour | ((call: SipCall) => Behaviour);
}

export interface CallOptions {
  /** User part of From. */
  from?: string;
  fromName?: string;
  headers?: [string, string][];
  laws?: Law[];
  /** Instead of the SDP of this phone. */
  sdp?: string;
}

interface ClientTransaction {
  onResponse(response: SipResponse): void;
}
interface ServerTransaction {
  last: SipMessage | null;
  stop: () => void;
}

export class SipPhone implements Line {
  /** Every call in and out. */
  readonly calls: SipCall[] = [];
  behaviour: Behaviour | ((call: SipCall) => Behaviour);
  /** Called for each call that comes in, before the behaviour acts: the moment to prepare its audio. */
  onCall: ((call: SipCall) => void) | null = null;
  /** Called for each request that is none of a call, such as REGISTER; it is answered with 200. */
  onRequest: ((request: SipRequest) => void) | null = null;
  #transport!: SipTransport;
  readonly #laws: readonly Law[];
  readonly #account: DigestAccount | undefined;
  readonly #nonce = token();
  readonly #clients = new Map<string, ClientTransaction>();
  readonly #servers = new Map<string, ServerTransaction>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** ACKs of answered INVITEs, by branch-less key, for 200s that come again. */
  readonly #acks = new Map<string, SipRequest>();
  #waiting: ((call: SipCall) => void)[] = [];
  #closed = false;

  private constructor(options: PhoneOptions) {
    this.#laws = options.laws ?? ['PCMA', 'PCMU'];
    this.#account = options.account;
    this.behaviour = options.behaviour ?? { do: 'answer' };
  }

  static async open(options: PhoneOptions = {}): Promise<SipPhone> {
    const phone = new SipPhone(options);
    const bind = { address: options.address ?? '127.0.0.1', port: options.port ?? 0 };
    phone.#transport = await openTransport(options.transport ?? 'udp', bind, (message, from) =>
      phone.#take(message, from),
    );
    return phone;
  }

  get address(): string {
    return this.#transport.address;
  }
  get port(): number {
    return this.#transport.port;
  }

  /** Sends an INVITE for `number` to the server and returns the call at once; await `rings()`, `answered()`, `ended()` on it. */
  async call(
    number: string,
    server: { host: string; port: number },
    options: CallOptions = {},
  ): Promise<SipCall> {
    const laws = options.laws ?? this.#laws;
    const audio = await RtpPort.open({ address: this.address, law: laws[0] ?? 'PCMA' });
    const uri = `sip:${number}@${server.host}:${server.port}`;
    const from = options.from ?? 'caller';
    const name = options.fromName ? `"${options.fromName}" ` : '';
    const id = `${token()}@${this.address}`;
    const call = new SipCall(this, {
      role: 'caller',
      id,
      local: `${name}<sip:${from}@${this.address}:${this.port}>`,
      remote: `<${uri}>`,
      laws,
      audio,
      invite: { method: 'INVITE', uri, headers: [], body: '' },
    });
    call.remoteTarget = uri;
    this.calls.push(call);
    const body = options.sdp ?? call.sdp();
    call.invite = this.#build(call, 'INVITE', {
      body,
      contentType: 'application/sdp',
      headers: options.headers ?? [],
    });
    call.times.invite = performance.now();
    this.#sendInvite(call, call.invite, server);
    return call;
  }

  /** Tells a server where this phone is to be found; 0 seconds: no longer. Resolves with its answer. */
  async register(server: { host: string; port: number }, expiresSeconds: number): Promise<SipResponse> {
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

  /** A call that is over is not kept any more: for a phone that stays for long. */
  forget(call: SipCall): void {
    call.audio.close();
    const index = this.calls.indexOf(call);
    if (index >= 0) this.calls.splice(index, 1);
  }

  /** The next call that comes in (not one that is there already). */
  nextCall(): Promise<SipCall> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Bytes as they are, to see what the server makes of them. */
  sendRaw(bytes: Buffer | string, server: { host: string; port: number }): void {
    this.#transport.sendRaw(bytes, server.host, server.port);
  }

  close(): void {
    this.#closed = true;
    this.#timers.forEach((timer) => clearTimeout(timer));
    this.#servers.forEach(({ stop }) => stop());
    this.calls.forEach((call) => call.audio.close());
    this.#transport.close();
  }

  // ---- requests of ours

  request(call: SipCall, method: string, options: RequestOptions = {}): Promise<SipResponse> {
    call.cseq += 1;
    const request = this.#build(call, method, options);
    const hop = nextHop(call);
    return new Promise((resolve, reject) => {
      const branch = branchOf(request);
      const stop = this.#repeat(() => this.#transport.send(request, hop.host, hop.port), method !== 'INVITE');
      const timer = this.#after(TRANSACTION_TIMEOUT_MS, () => {
        stop();
        this.#clients.delete(branch);
        reject(new Error(`no answer to ${method}`));
      });
      this.#clients.set(branch, {
        onResponse: (response) => {
          if (response.status < 200) return stop();
          stop();
          clearTimeout(timer);
          if (method !== 'INVITE') this.#clients.delete(branch);
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
      .concat([['CSeq', `${call.cseq} CANCEL`]]);
    const request: SipRequest = { method: 'CANCEL', uri: invite.uri, headers, body: '' };
    const hop = nextHop(call);
    const stop = this.#repeat(() => this.#transport.send(request, hop.host, hop.port), true);
    this.#clients.set(`${branchOf(invite)} CANCEL`, { onResponse: stop });
    this.#after(TRANSACTION_TIMEOUT_MS, stop);
  }

  #sendInvite(call: SipCall, invite: SipRequest, server: { host: string; port: number }): void {
    const stop = this.#repeat(() => this.#transport.send(invite, server.host, server.port), false);
    const timer = this.#after(TRANSACTION_TIMEOUT_MS, () => {
      stop();
      call.finish({ how: 'unanswered', status: null, reason: null, q850: null });
    });
    this.#clients.set(branchOf(invite), {
      onResponse: (response) => {
        stop();
        clearTimeout(timer);
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

  /** ACK: of a refusal within its transaction (17.1.1.3), of a 2xx as a request of its own (13.2.2.4). */
  #acknowledge(call: SipCall, invite: SipRequest, response: SipResponse): void {
    const key = ackKey(response);
    const known = this.#acks.get(key);
    if (known) {
      const hop = response.status < 300 ? nextHop(call) : hostPort(invite.uri);
      return this.#transport.send(known, hop.host, hop.port);
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
      return this.#transport.send(ack, hop.host, hop.port);
    }
    if (call.state === 'calling' || call.state === 'ringing' || !call.remoteTag) call.takeAnswer(response);
    const ack = this.#build(call, 'ACK', {}, Number(cseq));
    this.#acks.set(key, ack);
    const hop = nextHop(call);
    this.#transport.send(ack, hop.host, hop.port);
  }

  #build(call: SipCall, method: string, options: RequestOptions = {}, cseq = call.cseq): SipRequest {
    const { transport, address, port } = this.#transport;
    const headers: [string, string][] = [
      ['Via', `SIP/2.0/${transport.toUpperCase()} ${address}:${port};branch=z9hG4bK${token()};rport`],
      ['Max-Forwards', '70'],
      ...call.routes.map((route): [string, string] => ['Route', route]),
      ['From', `${call.local};tag=${call.localTag}`],
      ['To', call.remoteTag ? `${call.remote};tag=${call.remoteTag}` : call.remote],
      ['Call-ID', call.id],
      ['CSeq', `${cseq} ${method}`],
      ['Contact', this.#contact()],
      ['User-Agent', 'testkit'],
      ...(options.headers ?? []),
    ];
    if (options.contentType) headers.push(['Content-Type', options.contentType]);
    return { method, uri: call.remoteTarget, headers, body: options.body ?? '' };
  }

  #contact(): string {
    const { transport, address, port } = this.#transport;
    return `<sip:phone@${address}:${port}${transport === 'tcp' ? ';transport=tcp' : ''}>`;
  }

  // ---- what comes in

  #take(message: SipMessage, from: { host: string; port: number }): void {
    if (this.#closed) return;
    if (isResponse(message)) {
      const isCancel = header(message, 'cseq').endsWith('CANCEL');
      this.#clients.get(isCancel ? `${branchOf(message)} CANCEL` : branchOf(message))?.onResponse(message);
    } else if (isRequest(message)) this.#takeRequest(message, from);
  }

  #takeRequest(request: SipRequest, from: { host: string; port: number }): void {
    const key = `${branchOf(request)} ${request.method === 'ACK' ? 'INVITE' : request.method}`;
    const call = this.calls.find((each) => each.id === header(request, 'call-id'));
    const known = this.#servers.get(key);
    if (request.method === 'ACK') {
      // The ACK of a 2xx has a branch of its own: its CSeq names the INVITE.
      this.#servers.get(`${header(request, 'call-id')} ${header(request, 'cseq').split(' ')[0]}`)?.stop();
      known?.stop();
      call?.log.push('ACK');
      return;
    }
    if (known) {
      if (known.last) this.#transport.send(known.last, from.host, from.port);
      return;
    }
    const transaction: ServerTransaction = { last: null, stop: () => undefined };
    this.#servers.set(key, transaction);
    request.headers.push(['X-Received-From', `${from.host}:${from.port}`]);
    switch (request.method) {
      case 'INVITE':
        this.#servers.set(
          `${header(request, 'call-id')} ${header(request, 'cseq').split(' ')[0]}`,
          transaction,
        );
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
    const audio = await RtpPort.open({ address: this.address, law: this.#laws[0] ?? 'PCMA' });
    const remote = header(request, 'from');
    const call = new SipCall(this, {
      role: 'callee',
      id: header(request, 'call-id'),
      local: header(request, 'to'),
      remote: remote.replace(/;\s*tag=[^;]+/, ''),
      laws: this.#laws,
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
    this.#behave(call, typeof this.behaviour === 'function' ? this.behaviour(call) : this.behaviour);
  }

  #behave(call: SipCall, behaviour: Behaviour): void {
    const toTag = call.localTag;
    if (behaviour.do === 'ignore') return;
    if (behaviour.do === 'ring' || behaviour.ring !== false) {
      if (behaviour.do === 'answer' && behaviour.earlyMedia)
        this.respond(call.invite, 183, 'Session Progress', { toTag, sdp: call.sdp() });
      else this.respond(call.invite, 180, 'Ringing', { toTag });
      call.markRinging();
    }
    if (behaviour.do === 'ring') return;
    this.#after(behaviour.afterMs ?? 0, () => {
      if (call.state === 'ended') return;
      if (behaviour.do === 'answer') {
        this.respond(call.invite, 200, 'OK', { toTag, sdp: call.sdp() });
        return call.markAnswered();
      }
      const { status, reason = 'Refused', q850 = null } = behaviour;
      const headers: [string, string][] = q850 === null ? [] : [['Reason', `Q.850;cause=${q850}`]];
      this.respond(call.invite, status, reason, { toTag, headers });
      call.finish({ how: 'refused', status, reason, q850 });
    });
  }

  respond(request: SipRequest, status: number, reason: string, options: ResponseOptions = {}): void {
    const copied = request.headers.filter(([name]) =>
      ['via', 'v', 'from', 'f', 'call-id', 'i', 'cseq', 'record-route'].includes(name.toLowerCase()),
    );
    const to = header(request, 'to');
    const toTag = options.toTag && !parameter(to, 'tag') ? `;tag=${options.toTag}` : '';
    const headers: [string, string][] = [...copied, ['To', `${to}${toTag}`], ['Contact', this.#contact()]];
    headers.push(...(options.headers ?? []));
    if (options.sdp) headers.push(['Content-Type', 'application/sdp']);
    const response: SipResponse = { status, reason, headers, body: options.sdp ?? '' };
    const { host, port } = hostPort(`sip:${header(request, 'x-received-from')}`);
    const transaction = this.#servers.get(`${branchOf(request)} ${request.method}`);
    transaction?.stop();
    const send = () => this.#transport.send(response, host, port);
    if (request.method === 'INVITE' && status >= 200 && transaction) {
      // Until the ACK: a 2xx on every transport (13.3.1.4), a refusal on UDP (17.2.1).
      transaction.stop = this.#repeat(send, true, status < 300);
      this.#after(TRANSACTION_TIMEOUT_MS, transaction.stop);
    } else send();
    if (transaction) transaction.last = response;
  }

  // ---- clocks

  /** Sends now and again after T1, 2·T1 … (at most T2 when `capped`) until stopped; once only on TCP unless `always`. */
  #repeat(send: () => void, capped: boolean, always = false): () => void {
    send();
    if (this.#transport.transport === 'tcp' && !always) return () => undefined;
    let interval = T1_MS;
    let timer: NodeJS.Timeout;
    const arm = () => {
      timer = this.#after(interval, () => {
        send();
        interval = capped ? Math.min(interval * 2, T2_MS) : interval * 2;
        arm();
      });
    };
    arm();
    return () => clearTimeout(timer);
  }

  #after(ms: number, then: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }
}

const branchOf = (message: SipMessage) => parameter(header(message, 'via'), 'branch') ?? '';
const ackKey = (response: SipResponse) =>
  `${header(response, 'call-id')} ${header(response, 'cseq')} ${response.status} ${parameter(header(response, 'to'), 'tag')}`;

function nextHop(call: SipCall): { host: string; port: number } {
  const [first] = call.routes;
  return hostPort(first ? uriOf(first) : call.remoteTarget);
}
