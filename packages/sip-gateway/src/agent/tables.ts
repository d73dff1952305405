/** What the agent remembers between messages. */
import type { Timer } from '../clock.ts';
import type { App } from '../control/server.ts';
import type { Dialog } from '../dialog/dialog.ts';
import { dialogId } from '../dialog/dialog.ts';
import type { SipMessage } from '../message/message.ts';
import type { ClientTransaction, ServerTransaction } from '../transaction/layer.ts';
import type { Peer } from '../transport/transport.ts';

/** A request from the network that an app was asked about. Removed with its final answer. */
export interface Inbound {
  readonly txn: string;
  readonly transaction: ServerTransaction<Inbound>;
  app: App;
  dialog: Dialog | null;
  /** The tag of our answers. */
  readonly localTag: string;
  /** True for an INVITE that makes a dialog. */
  readonly initial: boolean;
  /** Runs until the app says anything at all. */
  responseTimer: Timer | null;
  reliable: PendingReliable | null;
  lastRSeq: number;
  /** Key under which a merged copy of the request is recognised. */
  readonly mergeKey: string;
}

/** A reliable provisional response waiting for its PRACK (RFC 3262 §3). */
export interface PendingReliable {
  readonly rseq: number;
  /** True when the app did not ask for reliability, so that the PRACK is answered without it. */
  readonly ours: boolean;
  readonly startedAt: number;
  repeat: Timer | null;
}

/** How far the cancelling of an INVITE of ours got. */
export type CancelPhase = 'none' | 'pending' | 'sent';

/** A request of ours. */
export interface Outbound {
  readonly txn: string;
  readonly method: string;
  readonly app: App | null;
  readonly dialog: Dialog | null;
  /** True for an INVITE that makes a dialog. */
  readonly initial: boolean;
  /** Null until the target's address is known. */
  transaction: ClientTransaction<Outbound> | null;
  text: string;
  branch: string;
  /** Further targets, tried when the transport fails before any response. */
  alternatives: Peer[];
  cancel: CancelPhase;
  /** True when the app asked for the CANCEL, false when timer C did. */
  cancelledByApp: boolean;
  /** Headers and body the app gave to a CANCEL that is held back. */
  cancelText: (() => string) | null;
  /** Timer C, or the wait for the final response after a CANCEL. */
  timer: Timer | null;
  /** A final response was passed to the app; nothing more may be. */
  settled: boolean;
  probed: boolean;
  /** What a request the server sent by itself does with its final status. */
  readonly done: ((status: number, message: ReceivedFinal) => void) | null;
}

/** The final response, or null when the server invented it. */
export type ReceivedFinal = SipMessage | null;

export class Tables {
  readonly inbound = new Map<string, Inbound>();
  readonly outbound = new Map<string, Outbound>();
  readonly #byId = new Map<string, Dialog>();
  readonly #byLocal = new Map<string, Dialog>();
  readonly #byCallId = new Map<string, Dialog>();
  /** Call-ID, From tag and CSeq of unanswered requests outside dialogs (RFC 3261 §8.2.2.2). */
  readonly mergedRequests = new Map<string, string>();

  get dialogCount(): number {
    return this.#byId.size;
  }

  dialogs(): Iterable<Dialog> {
    return this.#byId.values();
  }

  /** The dialog an app names. */
  dialog(id: string): Dialog | undefined {
    return this.#byId.get(id);
  }

  /** The dialog a message from the network belongs to: our tag is unique. */
  dialogOf(callId: string, localTag: string): Dialog | undefined {
    return this.#byLocal.get(localKey(callId, localTag));
  }

  dialogOfCall(callId: string): Dialog | undefined {
    return this.#byCallId.get(callId);
  }

  /** An id not in use: a call that comes back to us through a proxy would otherwise share that of its other side. */
  freeDialogId(callId: string, fromTag: string): string {
    const id = dialogId(callId, fromTag);
    return this.#byId.has(id) ? `${id};leg=2` : id;
  }

  addDialog(dialog: Dialog): void {
    this.#byId.set(dialog.id, dialog);
    this.#byLocal.set(localKey(dialog.callId, dialog.localTag), dialog);
    this.#byCallId.set(dialog.callId, dialog);
  }

  /** Ends a dialog for good. */
  removeDialog(dialog: Dialog): void {
    dialog.phase = 'ended';
    dialog.stop();
    if (this.#byId.get(dialog.id) === dialog) this.#byId.delete(dialog.id);
    const key = localKey(dialog.callId, dialog.localTag);
    if (this.#byLocal.get(key) === dialog) this.#byLocal.delete(key);
    if (this.#byCallId.get(dialog.callId) === dialog) this.#byCallId.delete(dialog.callId);
  }

  /** Forgets an inbound request: it has its final answer. */
  removeInbound(inbound: Inbound): void {
    inbound.responseTimer?.cancel();
    inbound.responseTimer = null;
    inbound.reliable?.repeat?.cancel();
    inbound.reliable = null;
    this.inbound.delete(inbound.txn);
    if (this.mergedRequests.get(inbound.mergeKey) === inbound.txn)
      this.mergedRequests.delete(inbound.mergeKey);
  }

  removeOutbound(outbound: Outbound): void {
    outbound.timer?.cancel();
    outbound.timer = null;
    this.outbound.delete(outbound.txn);
  }
}

function localKey(callId: string, localTag: string): string {
  return `${callId}|${localTag}`;
}
