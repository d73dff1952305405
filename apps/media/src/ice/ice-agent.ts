/**
 * One ICE agent (RFC 8445): runs the connectivity checks of ice-checks.ts over a socket. It authenticates what arrives,
 * and answers requests of the remote party. What is not authentic gets no answer, so that a forged source address makes
 * nobody receive anything.
 */
import { randomBytes } from 'node:crypto';
import type { ChecksState, IceAction, IceEvent, IceTiming } from './ice-check-types.ts';
import { initialChecks, nextTimerMs, stepChecks } from './ice-checks.ts';
import type { Endpoint } from './stun-address.ts';
import {
  decodeStun,
  encodeStun,
  isAuthentic,
  TRANSACTION_ID_BYTES,
  type DecodedStun,
} from './stun-message.ts';

export interface IceCredentials {
  usernameFragment: string;
  password: string;
}

export interface IceRemote {
  credentials: IceCredentials;
  candidates: readonly (Endpoint & { priority: number })[];
  lite: boolean;
}

export interface IceAgentOptions {
  timing: IceTiming;
  /** Whether anything may be sent to this address. */
  isAllowed: (address: string) => boolean;
  send: (datagram: Buffer, to: Endpoint) => void;
  /** Data may be exchanged with this address. It can change until the agent is connected. */
  onSelected: (remote: Endpoint) => void;
  onConnected: () => void;
  /** No pair was nominated in time. `code`: of the remote party's last refusal, if any. */
  onFailed: (code: number | null) => void;
  /** The remote party has not answered a check for the time of RFC 7675: nothing more may be sent. */
  onLost: () => void;
}

/** RFC 8445 §5.1.2.1 for a peer reflexive candidate of the only address: what our checks announce. */
const CHECK_PRIORITY = 110 * 2 ** 24 + 65_535 * 2 ** 8 + 255;
const UNKNOWN_ATTRIBUTE = 420;
const TIE_BREAKER_BYTES = 8;
/** Base64 of these lengths has no padding, and each of its characters is an ice-char (RFC 8839 §5.4). */
const FRAGMENT_BYTES = 6;
const PASSWORD_BYTES = 18;

export class IceAgent {
  /** Datagrams that were not authentic or answered nothing of ours. */
  rejected = 0;
  readonly credentials: IceCredentials = {
    usernameFragment: randomBytes(FRAGMENT_BYTES).toString('base64'),
    password: randomBytes(PASSWORD_BYTES).toString('base64'),
  };
  readonly #options: IceAgentOptions;
  #checks: ChecksState;
  #remote: IceCredentials | null = null;
  /** Transaction ids of outstanding checks, in hexadecimal. */
  readonly #transactions = new Map<string, { id: number; to: Endpoint }>();
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: IceAgentOptions) {
    this.#options = options;
    this.#checks = initialChecks(randomBytes(TIE_BREAKER_BYTES).readBigUInt64BE(0), options.timing);
  }

  /** Starts the checks. Candidates whose address is not allowed must have been removed. */
  start(remote: IceRemote): void {
    this.#remote = remote.credentials;
    this.#step({ kind: 'start', candidates: remote.candidates, remoteLite: remote.lite });
  }

  receive(datagram: Buffer, from: Endpoint): void {
    const decoded = this.#closed ? null : decodeStun(datagram);
    if (decoded?.message.class === 'indication') return;
    const isAccepted =
      decoded !== null &&
      (decoded.message.class === 'request'
        ? this.#request(datagram, decoded, from)
        : this.#response(datagram, decoded, from));
    if (!isAccepted) this.rejected += 1;
  }

  close(): void {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#transactions.clear();
  }

  #request(datagram: Buffer, decoded: DecodedStun, from: Endpoint): boolean {
    const { message, notUnderstood } = decoded;
    const expected = `${this.credentials.usernameFragment}:`;
    const isOurs = this.#remote
      ? message.username === expected + this.#remote.usernameFragment
      : message.username?.startsWith(expected) === true;
    if (!isOurs || !isAuthentic(datagram, decoded, this.credentials.password)) return false;
    if (!this.#options.isAllowed(from.address)) return false;
    const answer = (errorCode?: number) => {
      const response = encodeStun(
        {
          class: errorCode === undefined ? 'success' : 'error',
          transactionId: message.transactionId,
          ...(errorCode === undefined ? { mappedAddress: from } : { errorCode }),
          ...(errorCode === UNKNOWN_ATTRIBUTE ? { unknownAttributes: notUnderstood } : {}),
        },
        this.credentials.password,
      );
      this.#options.send(response, from);
    };
    if (notUnderstood.length > 0) {
      answer(UNKNOWN_ATTRIBUTE);
      return true;
    }
    const request = {
      from: { address: from.address, port: from.port },
      priority: message.priority ?? 0,
      useCandidate: message.useCandidate === true,
      role: message.role ?? null,
    };
    this.#step({ kind: 'request', ...request }, answer);
    return true;
  }

  #response(datagram: Buffer, decoded: DecodedStun, from: Endpoint): boolean {
    const { message } = decoded;
    const transaction = this.#transactions.get(message.transactionId.toString('hex'));
    // RFC 8445 §7.2.5.2.1: a response from elsewhere does not show that the pair works.
    const isFromPair = transaction?.to.address === from.address && transaction.to.port === from.port;
    if (!transaction || !isFromPair || !this.#remote) return false;
    if (message.class === 'success') {
      if (!isAuthentic(datagram, decoded, this.#remote.password)) return false;
      this.#step({ kind: 'answered', id: transaction.id });
      return true;
    }
    // A refusal cannot be signed by a party that does not know us (RFC 8489 §9.1.3); it only delays the next check.
    this.#step({ kind: 'refused', id: transaction.id, code: message.errorCode ?? 0 });
    return true;
  }

  #step(event: IceEvent, answer?: (errorCode?: number) => void): void {
    if (this.#closed) return;
    const { state, actions } = stepChecks(this.#checks, event, performance.now(), Math.random());
    this.#checks = state;
    for (const action of actions) this.#perform(action, answer);
    this.#forgetTransactions();
    this.#schedule();
  }

  #perform(action: IceAction, answer?: (errorCode?: number) => void): void {
    if (this.#closed) return;
    switch (action.kind) {
      case 'send':
        this.#sendCheck(action);
        break;
      case 'answer':
        answer?.();
        break;
      case 'refuse':
        answer?.(action.code);
        break;
      case 'select':
        this.#options.onSelected(action.remote);
        break;
      case 'connected':
        this.#options.onConnected();
        break;
      case 'failed':
        this.#options.onFailed(action.code);
        break;
      case 'lost':
        this.#options.onLost();
        break;
    }
  }

  #sendCheck({ id, to, nominate, role }: IceAction & { kind: 'send' }): void {
    const remote = this.#remote;
    if (!remote) return;
    const transactionId = this.#transactionOf(id, to);
    const request = encodeStun(
      {
        class: 'request',
        transactionId,
        username: `${remote.usernameFragment}:${this.credentials.usernameFragment}`,
        priority: CHECK_PRIORITY,
        role: { kind: role, tieBreaker: this.#checks.tieBreaker },
        ...(nominate ? { useCandidate: true } : {}),
      },
      remote.password,
    );
    this.#options.send(request, to);
  }

  /** A repeated request keeps its transaction id. */
  #transactionOf(id: number, to: Endpoint): Buffer {
    for (const [hex, transaction] of this.#transactions)
      if (transaction.id === id) return Buffer.from(hex, 'hex');
    const transactionId = randomBytes(TRANSACTION_ID_BYTES);
    this.#transactions.set(transactionId.toString('hex'), { id, to });
    return transactionId;
  }

  #forgetTransactions(): void {
    const outstanding = new Set(this.#checks.checks.map((check) => check.id));
    for (const [hex, { id }] of this.#transactions) if (!outstanding.has(id)) this.#transactions.delete(hex);
  }

  #schedule(): void {
    if (this.#timer) clearTimeout(this.#timer);
    const dueMs = this.#closed ? null : nextTimerMs(this.#checks);
    this.#timer =
      dueMs === null
        ? null
        : setTimeout(() => this.#step({ kind: 'timer' }), Math.max(1, dueMs - performance.now()));
  }
}
