/**
 * The transactions of a SIP phone (RFC 3261, section 17): what is sent again until it is answered, and what is answered again when it
 * comes again. Knows nothing of calls.
 */
import {
  header,
  hostPort,
  parameter,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from './message.ts';
import type { SipTransport } from './transport.ts';

/** Before the first retransmission, and the longest pause between two (RFC 3261, sections 17.1.1.1 and 17.1.2.2). */
export const T1_MS = 500;
export const T2_MS = 4000;
const TRANSACTION_TIMEOUT_MS = 64 * T1_MS; // timers B, F and H

export interface Hop {
  host: string;
  port: number;
}

export interface ClientTransaction {
  /** No answer is missed any more. */
  settle(): void;
  /** What still comes belongs to nobody. */
  forget(): void;
}

interface ServerTransaction {
  last: SipMessage | null;
  stop: () => void;
}

export class SipTransactions {
  readonly #transport: SipTransport;
  readonly #clients = new Map<string, (response: SipResponse) => void>();
  readonly #servers = new Map<string, ServerTransaction>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(transport: SipTransport) {
    this.#transport = transport;
  }

  /** Sends a request until the first response to it; `onTimeout` unless it is settled in time. */
  begin(
    request: SipRequest,
    to: Hop,
    on: {
      onResponse(response: SipResponse, transaction: ClientTransaction): void;
      onTimeout(transaction: ClientTransaction): void;
    },
  ): void {
    const key = clientKey(request);
    const stop = this.#repeat(
      () => this.#transport.send(request, to.host, to.port),
      request.method !== 'INVITE',
    );
    const settle = this.after(TRANSACTION_TIMEOUT_MS, () => {
      stop();
      on.onTimeout(transaction);
    });
    const transaction = { settle, forget: () => void this.#clients.delete(key) };
    this.#clients.set(key, (response) => {
      stop();
      on.onResponse(response, transaction);
    });
  }

  /** A request that has no answer: an ACK. */
  send(request: SipRequest, to: Hop): void {
    this.#transport.send(request, to.host, to.port);
  }

  takeResponse(response: SipResponse): void {
    this.#clients.get(clientKey(response))?.(response);
  }

  /** Whether it is new: one that comes again is answered as before, and an ACK ends the answers to its INVITE. */
  takeRequest(request: SipRequest, from: Hop): boolean {
    const known = this.#servers.get(serverKey(request));
    if (request.method === 'ACK') {
      // The ACK of a 2xx has a branch of its own: its CSeq names the INVITE.
      this.#servers.get(inviteKey(request))?.stop();
      known?.stop();
      return true;
    }
    if (known) {
      if (known.last) this.#transport.send(known.last, from.host, from.port);
      return false;
    }
    const transaction: ServerTransaction = { last: null, stop: () => undefined };
    this.#servers.set(serverKey(request), transaction);
    if (request.method === 'INVITE') this.#servers.set(inviteKey(request), transaction);
    request.headers.push(['X-Received-From', `${from.host}:${from.port}`]);
    return true;
  }

  answer(request: SipRequest, response: SipResponse): void {
    const { host, port } = hostPort(`sip:${header(request, 'x-received-from')}`);
    const transaction = this.#servers.get(serverKey(request));
    transaction?.stop();
    const send = () => this.#transport.send(response, host, port);
    if (request.method === 'INVITE' && response.status >= 200 && transaction) {
      // Until the ACK: a 2xx on every transport (13.3.1.4), a refusal on UDP (17.2.1).
      transaction.stop = this.#repeat(send, true, response.status < 300);
      this.after(TRANSACTION_TIMEOUT_MS, transaction.stop);
    } else send();
    if (transaction) transaction.last = response;
  }

  /** A clock that stops with the phone; the answer takes it back. */
  after(ms: number, then: () => void): () => void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, ms);
    this.#timers.add(timer);
    return () => {
      clearTimeout(timer);
      this.#timers.delete(timer);
    };
  }

  close(): void {
    this.#timers.forEach((timer) => clearTimeout(timer));
    this.#servers.forEach(({ stop }) => stop());
  }

  /** Sends now and again after T1, 2·T1 … (at most T2 when `capped`) until stopped; once only on TCP unless `always`. */
  #repeat(send: () => void, capped: boolean, always = false): () => void {
    if (this.#transport.transport !== 'tcp' || always)
      return retransmitting(send, capped, (ms, work) => this.after(ms, work));
    send();
    return () => undefined;
  }
}

/** Sends now and again after T1, 2·T1 … (at most T2 when `capped`) until stopped. `after` starts a timer and returns what stops it. */
export function retransmitting(
  send: () => void,
  capped: boolean,
  after: (ms: number, work: () => void) => () => void,
): () => void {
  let interval = T1_MS;
  let stop: () => void;
  const arm = () => {
    stop = after(interval, () => {
      send();
      interval = capped ? Math.min(interval * 2, T2_MS) : interval * 2;
      arm();
    });
  };
  send();
  arm();
  return () => stop();
}

const branchOf = (message: SipMessage) => parameter(header(message, 'via'), 'branch') ?? '';
/** A CANCEL has the branch of the INVITE that it takes back (9.1). */
const clientKey = (message: SipMessage) =>
  header(message, 'cseq').endsWith('CANCEL') ? `${branchOf(message)} CANCEL` : branchOf(message);
const serverKey = (request: SipRequest) =>
  `${branchOf(request)} ${request.method === 'ACK' ? 'INVITE' : request.method}`;
const inviteKey = (request: SipRequest) =>
  `${header(request, 'call-id')} ${header(request, 'cseq').split(' ')[0]}`;
