/**
 * The transaction layer: finds the transaction of each message, runs its state machine and carries out the effects. `S`
 * and `C` are the data that the user attaches to server and client transactions.
 */
import type { Clock, Timer } from '../clock.ts';
import type { SipMessage } from '../message/message.ts';
import { MAGIC_COOKIE } from '../message/via.ts';
import { stampVia } from '../message/via.ts';
import type { Peer } from '../transport/transport.ts';
import type { InviteClientState } from './invite-client.ts';
import { inviteClientIdle, stepInviteClient } from './invite-client.ts';
import type { InviteServerEvent, InviteServerState } from './invite-server.ts';
import { inviteServerStart, stepInviteServer } from './invite-server.ts';
import type { Effect, TimerName } from './machine.ts';
import { arm } from './machine.ts';
import type { NonInviteClientEvent, NonInviteClientState } from './non-invite-client.ts';
import { nonInviteClientIdle, stepNonInviteClient } from './non-invite-client.ts';
import type { NonInviteServerState } from './non-invite-server.ts';
import { nonInviteServerStart, stepNonInviteServer } from './non-invite-server.ts';
import type { TimerValues } from './timers.ts';

export type FailureCause = 'timeout' | 'transport';

/** A request from the network and its responses. */
export interface ServerTransaction<S> {
  readonly key: string;
  readonly request: SipMessage;
  readonly peer: Peer;
  readonly reliable: boolean;
  /** The top Via of every response. */
  readonly stampedVia: string;
  state: InviteServerState | NonInviteServerState;
  /** The last response sent; '' before the first. */
  last: string;
  user: S | null;
  readonly timers: { repeat: Timer | null; limit: Timer | null };
}

/** A request that we send. */
export interface ClientTransaction<C> {
  readonly key: string;
  readonly method: string;
  readonly text: string;
  readonly peer: Peer;
  readonly reliable: boolean;
  state: InviteClientState | NonInviteClientState;
  /** The ACK of a non-2xx final response, once built. */
  ack: string;
  /** Why the transport failed to send the request, as far as known. */
  failure: Error | null;
  user: C;
  readonly timers: { repeat: Timer | null; limit: Timer | null };
}

export interface TransactionUser<S, C> {
  /** A new request that is not an ACK. */
  request(transaction: ServerTransaction<S>): void;
  /** An ACK of a 2xx. */
  ack(message: SipMessage, peer: Peer): void;
  /** The ACK of a failure response, or the response to a non-INVITE request, did not come in time. */
  serverFailed(transaction: ServerTransaction<S>): void;
  response(transaction: ClientTransaction<C>, message: SipMessage, peer: Peer): void;
  /** A response without a transaction. */
  strayResponse(message: SipMessage, peer: Peer): void;
  clientFailed(transaction: ClientTransaction<C>, cause: FailureCause): void;
  /** A request was retransmitted for the first time without a response. */
  clientUnanswered(transaction: ClientTransaction<C>): void;
  /** Builds the ACK of a non-2xx final response to our request. */
  buildAck(transaction: ClientTransaction<C>, response: SipMessage): string;
}

export interface Sender {
  send(text: string, peer: Peer, failed: (error: Error) => void): void;
  isReliable(peer: Peer): boolean;
}

export class TransactionLayer<S, C> {
  readonly #clock: Clock;
  readonly #timers: TimerValues;
  readonly #sender: Sender;
  readonly #user: TransactionUser<S, C>;
  readonly #servers = new Map<string, ServerTransaction<S>>();
  readonly #clients = new Map<string, ClientTransaction<C>>();

  constructor(clock: Clock, timers: TimerValues, sender: Sender, user: TransactionUser<S, C>) {
    this.#clock = clock;
    this.#timers = timers;
    this.#sender = sender;
    this.#user = user;
  }

  get serverCount(): number {
    return this.#servers.size;
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** Whether the request belongs to an existing transaction: a retransmission, or the ACK of a failure response. */
  isKnown(message: SipMessage): boolean {
    return this.#servers.has(serverKey(message, message.method === 'ACK' ? 'INVITE' : message.method));
  }

  /** Whether the response belongs to a request of ours that is still open. */
  isKnownResponse(message: SipMessage): boolean {
    return this.#clients.has(clientKey(message));
  }

  /** Handles a valid request from the network. */
  receiveRequest(message: SipMessage, peer: Peer): void {
    const isAck = message.method === 'ACK';
    const key = serverKey(message, isAck ? 'INVITE' : message.method);
    const known = this.#servers.get(key);
    if (isAck) {
      if (known === undefined || known.state.phase === 'accepted') this.#user.ack(message, peer);
      else this.#stepServer(known, { on: 'ack' });
      return;
    }
    if (known !== undefined) {
      this.#stepServer(known, { on: 'retransmission' });
      return;
    }
    const transaction: ServerTransaction<S> = {
      key,
      request: message,
      peer,
      reliable: this.#sender.isReliable(peer),
      stampedVia: stampVia(message.viaText, message.via, peer.address, peer.port),
      state: message.method === 'INVITE' ? inviteServerStart : nonInviteServerStart,
      last: '',
      user: null,
      timers: { repeat: null, limit: null },
    };
    this.#servers.set(key, transaction);
    if (message.method !== 'INVITE')
      this.#applyServerEffect(transaction, arm('limit', this.#timers.transactionTimeout));
    try {
      this.#user.request(transaction);
    } catch (error) {
      // An INVITE has no timer before its final response, which will not come.
      this.#endServer(transaction);
      throw error;
    }
  }

  /** The INVITE that a CANCEL refers to (RFC 3261 §9.2), if it still exists. */
  inviteOf(cancel: SipMessage): ServerTransaction<S> | undefined {
    return this.#servers.get(serverKey(cancel, 'INVITE'));
  }

  /** Responds to a request. Ignored after a final response. */
  respond(transaction: ServerTransaction<S>, status: number, text: string): void {
    const before = transaction.last;
    transaction.last = text;
    if (!this.#stepServer(transaction, { on: 'respond', status })) transaction.last = before;
  }

  /** Removes an INVITE that will not be responded to. */
  abandon(transaction: ServerTransaction<S>): void {
    this.#endServer(transaction);
  }

  receiveResponse(message: SipMessage, peer: Peer): void {
    const transaction = this.#clients.get(clientKey(message));
    if (transaction === undefined) this.#user.strayResponse(message, peer);
    else this.#stepClient(transaction, { on: 'response', status: message.status }, message, peer);
  }

  /** Starts a client transaction. `branch` must be the one in the top Via. */
  request(text: string, method: string, branch: string, peer: Peer, user: C): ClientTransaction<C> {
    const transaction: ClientTransaction<C> = {
      key: `${branch}|${method}`,
      method,
      text,
      peer,
      reliable: this.#sender.isReliable(peer),
      state: method === 'INVITE' ? inviteClientIdle : nonInviteClientIdle,
      ack: '',
      failure: null,
      user,
      timers: { repeat: null, limit: null },
    };
    this.#clients.set(transaction.key, transaction);
    this.#stepClient(transaction, { on: 'start' }, null, null);
    return transaction;
  }

  /** Reports a transport failure that was detected by a probe. */
  transportFailed(transaction: ClientTransaction<C>): void {
    this.#stepClient(transaction, { on: 'transport-error' }, null, null);
  }

  /** Removes a client transaction without notifying the user. */
  remove(transaction: ClientTransaction<C>): void {
    this.#endClient(transaction);
  }

  close(): void {
    for (const transaction of this.#servers.values()) this.#endServer(transaction);
    for (const transaction of this.#clients.values()) this.#endClient(transaction);
  }

  /** Returns false if the event changed nothing. */
  #stepServer(transaction: ServerTransaction<S>, event: InviteServerEvent): boolean {
    const { state, effects } =
      transaction.request.method === 'INVITE'
        ? stepInviteServer(transaction.state as InviteServerState, event, this.#timers, transaction.reliable)
        : event.on === 'ack' || event.on === 'repeat'
          ? { state: transaction.state, effects: [] }
          : stepNonInviteServer(
              transaction.state as NonInviteServerState,
              event,
              this.#timers,
              transaction.reliable,
            );
    transaction.state = state;
    for (const effect of effects) this.#applyServerEffect(transaction, effect);
    return effects.length > 0;
  }

  #applyServerEffect(transaction: ServerTransaction<S>, effect: Effect): void {
    switch (effect.do) {
      case 'send':
      case 'resend':
        if (transaction.last === '') return;
        this.#sender.send(transaction.last, transaction.peer, () =>
          this.#stepServer(transaction, { on: 'transport-error' }),
        );
        return;
      case 'arm':
        setTimer(this.#clock, transaction.timers, effect.timer, effect.ms, () =>
          this.#stepServer(transaction, { on: effect.timer }),
        );
        return;
      case 'disarm':
        clearTimer(transaction.timers, effect.timer);
        return;
      case 'fail':
        this.#user.serverFailed(transaction);
        return;
      case 'end':
        this.#endServer(transaction);
        return;
      case 'pass':
      case 'ack':
        return;
    }
  }

  #stepClient(
    transaction: ClientTransaction<C>,
    event: NonInviteClientEvent,
    message: SipMessage | null,
    peer: Peer | null,
  ): void {
    const { state, effects } =
      transaction.method === 'INVITE'
        ? stepInviteClient(transaction.state as InviteClientState, event, this.#timers, transaction.reliable)
        : stepNonInviteClient(
            transaction.state as NonInviteClientState,
            event,
            this.#timers,
            transaction.reliable,
          );
    transaction.state = state;
    for (const effect of effects) this.#applyClientEffect(transaction, effect, message, peer);
    if (event.on === 'repeat' && effects.length > 0) this.#user.clientUnanswered(transaction);
  }

  #applyClientEffect(
    transaction: ClientTransaction<C>,
    effect: Effect,
    message: SipMessage | null,
    peer: Peer | null,
  ): void {
    switch (effect.do) {
      case 'send':
      case 'resend':
        this.#sender.send(transaction.text, transaction.peer, (error) => {
          transaction.failure = error;
          this.#stepClient(transaction, { on: 'transport-error' }, null, null);
        });
        return;
      case 'ack':
        if (transaction.ack === '' && message !== null)
          transaction.ack = this.#user.buildAck(transaction, message);
        this.#sender.send(transaction.ack, transaction.peer, () => undefined);
        return;
      case 'pass':
        if (message !== null && peer !== null) this.#user.response(transaction, message, peer);
        return;
      case 'arm':
        setTimer(this.#clock, transaction.timers, effect.timer, effect.ms, () =>
          this.#stepClient(transaction, { on: effect.timer }, null, null),
        );
        return;
      case 'disarm':
        clearTimer(transaction.timers, effect.timer);
        return;
      case 'fail':
        this.#user.clientFailed(transaction, effect.cause);
        return;
      case 'end':
        this.#endClient(transaction);
        return;
    }
  }

  #endServer(transaction: ServerTransaction<S>): void {
    clearTimer(transaction.timers, 'repeat');
    clearTimer(transaction.timers, 'limit');
    if (this.#servers.get(transaction.key) === transaction) this.#servers.delete(transaction.key);
  }

  #endClient(transaction: ClientTransaction<C>): void {
    clearTimer(transaction.timers, 'repeat');
    clearTimer(transaction.timers, 'limit');
    if (this.#clients.get(transaction.key) === transaction) this.#clients.delete(transaction.key);
  }
}

type Timers = { repeat: Timer | null; limit: Timer | null };

function setTimer(clock: Clock, timers: Timers, name: TimerName, ms: number, task: () => void): void {
  timers[name]?.cancel();
  timers[name] = clock.after(ms, task);
}

function clearTimer(timers: Timers, name: TimerName): void {
  timers[name]?.cancel();
  timers[name] = null;
}

function clientKey(response: SipMessage): string {
  return `${response.via.branch}|${response.method}`;
}

/**
 * Identifies the transaction of a request (RFC 3261 §17.2.3): branch, sent-by and method; without an RFC 3261 branch,
 * the identifying headers (except the To tag, which differs in the ACK of an RFC 2543 client).
 */
function serverKey(message: SipMessage, method: string): string {
  const { via } = message;
  if (via.branch.startsWith(MAGIC_COOKIE) && via.branch.length > MAGIC_COOKIE.length) {
    return `${via.branch}|${via.host}|${via.port}|${method}`;
  }
  return `2543|${message.callId}|${message.cseq}|${message.fromTag}|${via.host}|${via.port}|${method}`;
}
