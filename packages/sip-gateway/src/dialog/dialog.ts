/**
 * A dialog (RFC 3261 §12): its parties, where its requests are sent, and what is still open in it. One object serves
 * every fork of an outbound INVITE until one of them answers, because the control protocol does not distinguish them.
 */
import type { Timer } from '../clock.ts';
import type { App } from '../control/server.ts';
import type { HeaderLine } from '../message/build.ts';
import type { SipMessage } from '../message/message.ts';
import { hasToken, header, headerAll } from '../message/message.ts';
import { param, parseNameAddr, splitList } from '../message/uri.ts';
import type { Peer, Protocol } from '../transport/transport.ts';

/**
 * `early` until a 2xx; `ending` after our BYE; `abandoned` if the app received a final response that the remote party
 * did not send (a late 2xx is acknowledged and ended); `ended` when it has been removed.
 */
export type DialogPhase = 'early' | 'confirmed' | 'ending' | 'abandoned' | 'ended';

/**
 * The number of forks of one INVITE that are distinguished: more than any proxy rings at the same time. A further fork
 * may still answer.
 */
export const MAX_FORKS = 64;

/** The ACK sent for a 2xx, repeated for retransmissions of that 2xx. */
export interface StoredAck {
  readonly cseq: number;
  readonly text: string;
  readonly peer: Peer;
}

/** A 2xx that is waiting for its ACK (RFC 3261 §13.3.1.4). */
export interface PendingSuccess {
  readonly cseq: number;
  /** The txn of the ACK notification: that of the INVITE, for the first INVITE only. */
  readonly txn: string;
  readonly initial: boolean;
  repeat: Timer | null;
  limit: Timer | null;
}

/** RFC 4028 state: who refreshes, how often, and the running timer. */
export interface SessionTimer {
  readonly seconds: number;
  readonly weRefresh: boolean;
  /** Whether a refresh that the remote party could not process has been, or will be, repeated. */
  retried: boolean;
  timer: Timer | null;
}

export class Dialog {
  readonly id: string;
  readonly role: 'uas' | 'uac';
  readonly callId: string;
  readonly localTag: string;
  /** '' for the caller until a response has a tag. */
  remoteTag: string;
  /** Every fork that responded, by tag, with its path. */
  readonly forks = new Map<string, { readonly remoteTarget: string; readonly routeSet: string[] }>();
  /** Reliable provisional responses for which the app has not sent PRACK yet, oldest first. */
  #unacknowledged: { readonly tag: string; readonly rseq: number }[] = [];
  /** From and To values without tags. */
  readonly localAddress: string;
  readonly remoteAddress: string;
  localCSeq: number;
  /** -1 until the remote party has sent a request. */
  remoteCSeq = -1;
  remoteTarget: string;
  routeSet: string[] = [];
  /** Our Contact value. */
  contact: string;
  readonly protocol: Protocol;
  /** The source of the remote party's last message. */
  peer: Peer;
  owner: App;
  phase: DialogPhase = 'early';
  /** CSeq of a 2xx to our INVITE that the app has not acknowledged, or -1. */
  unackedCSeq = -1;
  storedAck: StoredAck | null = null;
  pendingSuccess: PendingSuccess | null = null;
  /** Our INVITE has no final response yet: no second one may start (RFC 3261 §14). */
  inviteOut = false;
  /** Txn of the remote party's INVITE that has no final response yet, else ''. */
  inviteTxn = '';
  /** Why the dialog must be ended as soon as the protocol allows; '' if it need not. */
  endReason = '';
  session: SessionTimer | null = null;
  /** Whether the remote party allows UPDATE. */
  allowsUpdate = false;
  /** Our current session description, for refreshes. */
  localSdp = '';
  /** RSeq of a reliable response that our final one overtook: its PRACK may still arrive. -1: none. */
  overtakenRSeq = -1;
  /** Forks that answered after the first one, by tag. */
  readonly endedForks = new Map<string, Dialog>();
  /** Highest RSeq of the remote party's reliable provisional responses, by To tag (RFC 3262 §4). */
  readonly rseqSeen = new Map<string, number>();

  constructor(init: {
    id: string;
    role: 'uas' | 'uac';
    callId: string;
    localTag: string;
    remoteTag: string;
    localAddress: string;
    remoteAddress: string;
    localCSeq: number;
    remoteTarget: string;
    contact: string;
    protocol: Protocol;
    peer: Peer;
    owner: App;
  }) {
    this.id = init.id;
    this.role = init.role;
    this.callId = init.callId;
    this.localTag = init.localTag;
    this.remoteTag = init.remoteTag;
    this.localAddress = init.localAddress;
    this.remoteAddress = init.remoteAddress;
    this.localCSeq = init.localCSeq;
    this.remoteTarget = init.remoteTarget;
    this.contact = init.contact;
    this.protocol = init.protocol;
    this.peer = init.peer;
    this.owner = init.owner;
  }

  /** Whether requests may be sent in the dialog. */
  get live(): boolean {
    return this.phase === 'early' || this.phase === 'confirmed';
  }

  /** Updates the target from the remote party's Contact (RFC 3261 §12.2), and the allowed methods. */
  refreshTarget(message: SipMessage): void {
    const contact = contactUri(message);
    if (contact !== null) this.remoteTarget = contact;
    this.updateAllow(message);
  }

  /** An Allow header lists all supported methods (RFC 3261 §20.5); without one they are unknown. */
  updateAllow(message: SipMessage): void {
    if (header(message, 'allow') !== undefined) this.allowsUpdate = hasToken(message, 'allow', 'update');
  }

  /** Ends the session timer. */
  endSession(): void {
    this.session?.timer?.cancel();
    this.session = null;
  }

  /** Returns false for a fork above the limit; its provisional responses are ignored. */
  acceptsFork(tag: string): boolean {
    return this.forks.has(tag) || this.forks.size < MAX_FORKS;
  }

  /** Updates tag, target and route set from a response that creates or confirms the dialog (RFC 3261 §12.1.2). */
  updateFromResponse(message: SipMessage): void {
    if (message.toTag !== '') this.remoteTag = message.toTag;
    this.refreshTarget(message);
    this.routeSet = routes(message).reverse();
    const { remoteTarget, routeSet } = this;
    if (message.toTag !== '') this.forks.set(message.toTag, { remoteTarget, routeSet });
  }

  awaitPrack(tag: string, rseq: number): void {
    this.#unacknowledged.push({ tag, rseq });
  }

  /**
   * Selects the fork whose reliable response a PRACK confirms: the control protocol does not distinguish forks, and two
   * may use the same RSeq. The app confirms responses in the order in which it received them.
   */
  selectFork(rseq: number): void {
    const asked = this.#unacknowledged.find((one) => one.rseq === rseq);
    const way = asked && this.forks.get(asked.tag);
    if (asked === undefined || way === undefined) return;
    this.#unacknowledged = this.#unacknowledged.filter((one) => one !== asked);
    if (this.phase !== 'early') return;
    this.remoteTag = asked.tag;
    this.remoteTarget = way.remoteTarget;
    this.routeSet = way.routeSet;
  }

  /** From, To, Call-ID and CSeq of a request in this dialog. */
  identity(method: string, cseq: number): HeaderLine[] {
    const to = this.remoteTag === '' ? this.remoteAddress : `${this.remoteAddress};tag=${this.remoteTag}`;
    return [
      ['From', `${this.localAddress};tag=${this.localTag}`],
      ['To', to],
      ['Call-ID', this.callId],
      ['CSeq', `${cseq} ${method}`],
    ];
  }

  /**
   * Request-URI, Route headers and the URI that the request is sent to. A first hop without `lr` is a strict router
   * (RFC 2543), whose URI becomes the Request-URI (RFC 3261 §12.2.1.1).
   */
  path(): { uri: string; routes: string[]; nextHop: string } {
    const [first, ...others] = this.routeSet;
    if (first === undefined) return { uri: this.remoteTarget, routes: [], nextHop: this.remoteTarget };
    const parsed = parseNameAddr(first);
    const uri = parsed?.uri ?? this.remoteTarget;
    if (param(uri, 'lr') !== undefined)
      return { uri: this.remoteTarget, routes: this.routeSet, nextHop: uri };
    return { uri, routes: [...others, `<${this.remoteTarget}>`], nextHop: uri };
  }

  /** Stops all timers of the dialog. */
  stop(): void {
    this.clearPendingSuccess();
    this.endSession();
  }

  /** Stops waiting for the ACK of a 2xx. */
  clearPendingSuccess(): void {
    this.pendingSuccess?.repeat?.cancel();
    this.pendingSuccess?.limit?.cancel();
    this.pendingSuccess = null;
  }
}

/** URI of the first Contact, or null. */
export function contactUri(message: SipMessage): string | null {
  const value = header(message, 'contact');
  const first = value === undefined ? undefined : splitList(value)?.[0];
  return first === undefined ? null : (parseNameAddr(first)?.uri ?? null);
}

/** Record-Route values in message order, one per hop. */
export function routes(message: SipMessage): string[] {
  return headerAll(message, 'record-route').flatMap((value) => splitList(value) ?? []);
}

/** The dialog ID of the control protocol: the Call-ID and the From tag of the INVITE that created the dialog. */
export function dialogId(callId: string, fromTag: string): string {
  return `${callId};from-tag=${fromTag}`;
}
