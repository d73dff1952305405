/**
 * The transactions of a SIP phone (RFC 3261, section 17): retransmits requests until there is a response, and repeats the response to a
 * retransmitted request. Independent of calls.
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

/** Delay of the first retransmission, and the longest interval between two (RFC 3261, sections 17.1.1.1 and 17.1.2.2). */
export const T1_MS = 500;
export const T2_MS = 4000;
const TRANSACTION_TIMEOUT_MS = 64 * T1_MS; // timers B, F and H

export interface Hop {
  host: string;
  port: number;
}

export interface ClientTransaction {
  /** Cancels the timeout, because the transaction needs no further response. */
  settle(): void;
  /** Ends the transaction: later responses are ignored. */
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

  /** Sends a request repeatedly until its first response. Calls `onTimeout` if it is not settled in time. */
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

  /** Sends a request that has no response: an ACK. */
  send(request: SipRequest, to: Hop): void {
    this.#transport.send(request, to.host, to.port);
  }

  takeResponse(response: SipResponse): void {
    this.#clients.get(clientKey(response))?.(response);
  }

  /** Returns whether the request is new. A retransmission gets the earlier response again; an ACK ends the responses to its INVITE. */
  takeRequest(request: SipRequest, from: Hop): boolean {
    const known = this.#servers.get(serverKey(request));
    if (request.method === 'ACK') {
      // The ACK of a 2xx has a different branch, so its CSeq identifies the INVITE.
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
      // Repeated until the ACK: a 2xx on every transport (13.3.1.4), a rejection only on UDP (17.2.1).
      transaction.stop = this.#repeat(send, true, response.status < 300);
      this.after(TRANSACTION_TIMEOUT_MS, transaction.stop);
    } else send();
    if (transaction) transaction.last = response;
  }

  /** Starts a timer that `close` clears. @returns a function that clears it */
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

  /** Sends now and again after T1, 2·T1 … (at most T2 if `capped`) until stopped. On TCP, sends only once unless `always`. */
  #repeat(send: () => void, capped: boolean, always = false): () => void {
    if (this.#transport.transport !== 'tcp' || always)
      return retransmitting(send, capped, (ms, work) => this.after(ms, work));
    send();
    return () => undefined;
  }
}

/** Sends now and again after T1, 2·T1 … (at most T2 if `capped`) until stopped. `after` starts a timer and returns a function that clears it. */
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
/** A CANCEL has the same branch as its INVITE (9.1). */
const clientKey = (message: SipMessage) =>
  header(message, 'cseq').endsWith('CANCEL') ? `${branchOf(message)} CANCEL` : branchOf(message);
const serverKey = (request: SipRequest) =>
  `${branchOf(request)} ${request.method === 'ACK' ? 'INVITE' : request.method}`;
const inviteKey = (request: SipRequest) =>
  `${header(request, 'call-id')} ${header(request, 'cseq').split(' ')[0]}`;
