/** The state of the agent. */
import type { Timer } from '../clock.ts';
import type { App } from '../control/server.ts';
import type { Dialog } from '../dialog/dialog.ts';
import { dialogId } from '../dialog/dialog.ts';
import type { SipMessage } from '../message/message.ts';
import type { ClientTransaction, ServerTransaction } from '../transaction/layer.ts';
import type { Peer } from '../transport/transport.ts';

/** A request from the network that an app must respond to. Removed with its final response. */
export interface Inbound {
  readonly txn: string;
  readonly transaction: ServerTransaction<Inbound>;
  app: App;
  dialog: Dialog | null;
  /** The tag of our responses. */
  readonly localTag: string;
  /** Whether it is an INVITE that creates a dialog. */
  readonly initial: boolean;
  /** Runs until the first response of the app. */
  responseTimer: Timer | null;
  reliable: PendingReliable | null;
  lastRSeq: number;
  /** Identifies a merged copy of the request (RFC 3261 §8.2.2.2). */
  readonly mergeKey: string;
}

/** A reliable provisional response that is waiting for its PRACK (RFC 3262 §3). */
export interface PendingReliable {
  readonly rseq: number;
  /** Whether the server made the response reliable; its PRACK is then not passed to the app. */
  readonly ours: boolean;
  readonly startedAt: number;
  repeat: Timer | null;
}

/** The progress of cancelling an outbound INVITE. */
export type CancelPhase = 'none' | 'pending' | 'sent';

/** A request that we send. */
export interface Outbound {
  readonly txn: string;
  readonly method: string;
  readonly app: App | null;
  readonly dialog: Dialog | null;
  /** Whether it is an INVITE that creates a dialog. */
  readonly initial: boolean;
  /** Null until the destination's address is known. */
  transaction: ClientTransaction<Outbound> | null;
  text: string;
  branch: string;
  /** Further destinations, tried if the transport fails before any response. */
  alternatives: Peer[];
  cancel: CancelPhase;
  /** Whether the app sent the CANCEL, rather than timer C. */
  cancelledByApp: boolean;
  /** Builds a deferred CANCEL with the headers and body of the app. */
  cancelText: (() => string) | null;
  /** Timer C, or the wait for the final response after a CANCEL. */
  timer: Timer | null;
  /** The app has received a final response; no other may follow. */
  settled: boolean;
  probed: boolean;
  /** The code of the network or TLS error that ended it, for the app; '' if there was none. */
  failure: string;
  /** Called with the final status of a request that the server itself sent. */
  readonly done: ((status: number, message: ReceivedFinal) => void) | null;
}

/** The final response, or null if the server generated it. */
export type ReceivedFinal = SipMessage | null;

export class Tables {
  readonly inbound = new Map<string, Inbound>();
  readonly outbound = new Map<string, Outbound>();
  readonly #byId = new Map<string, Dialog>();
  readonly #byLocal = new Map<string, Dialog>();
  readonly #byCallId = new Map<string, Dialog>();
  /** Call-ID, From tag and CSeq of pending requests outside dialogs (RFC 3261 §8.2.2.2). */
  readonly mergedRequests = new Map<string, string>();

  get dialogCount(): number {
    return this.#byId.size;
  }

  dialogs(): Iterable<Dialog> {
    return this.#byId.values();
  }

  /** The dialog with this ID, as used by apps. */
  dialog(id: string): Dialog | undefined {
    return this.#byId.get(id);
  }

  /** The dialog of a message from the network; our tag is unique. */
  dialogOf(callId: string, localTag: string): Dialog | undefined {
    return this.#byLocal.get(localKey(callId, localTag));
  }

  dialogOfCall(callId: string): Dialog | undefined {
    return this.#byCallId.get(callId);
  }

  /** An unused ID: a call that returns to us through a proxy would otherwise have that of its other leg. */
  freeDialogId(callId: string, fromTag: string): string {
    const id = dialogId(callId, fromTag);
    return this.#byId.has(id) ? `${id};leg=2` : id;
  }

  addDialog(dialog: Dialog): void {
    this.#byId.set(dialog.id, dialog);
    this.#byLocal.set(localKey(dialog.callId, dialog.localTag), dialog);
    this.#byCallId.set(dialog.callId, dialog);
  }

  /** Removes a dialog and stops its timers. */
  removeDialog(dialog: Dialog): void {
    dialog.phase = 'ended';
    dialog.stop();
    if (this.#byId.get(dialog.id) === dialog) this.#byId.delete(dialog.id);
    const key = localKey(dialog.callId, dialog.localTag);
    if (this.#byLocal.get(key) === dialog) this.#byLocal.delete(key);
    if (this.#byCallId.get(dialog.callId) === dialog) this.#byCallId.delete(dialog.callId);
  }

  /** Removes an inbound request that has its final response. */
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
