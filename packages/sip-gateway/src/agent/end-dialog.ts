/** Requests that the server sends on its own: the ACK of a 2xx, and the BYE that ends a dialog in any phase. */
import { UNSOLICITED, notification } from '../control/frames.ts';
import type { Dialog } from '../dialog/dialog.ts';
import { randomUUID } from '../ids.ts';
import type { HeaderLine } from '../message/build.ts';
import type { Peer } from '../transport/transport.ts';
import type { Context } from './context.ts';
import type { Destination } from './destination.ts';
import { destinationInDialog, resolveDestination } from './destination.ts';
import { inDialogText, newBranch, newOutbound, sentRoute, submit, withViaFor } from './outbound-request.ts';

export interface SentAck {
  readonly text: string;
  readonly destination: Destination;
}

/** Acknowledges the pending 2xx of the dialog and stores the ACK for retransmissions of the 2xx. */
export function sendAck(
  context: Context,
  dialog: Dialog,
  extra: readonly HeaderLine[] = [],
  body = '',
): SentAck {
  const cseq = dialog.unackedCSeq;
  dialog.unackedCSeq = -1;
  const destination = destinationInDialog(context, dialog);
  const branch = newBranch();
  const text = inDialogText(context, dialog, destination, { method: 'ACK', cseq, branch, extra, body });
  const deliver = (peer: Peer): void => {
    const sent = withViaFor(context, text, branch, destination, peer);
    dialog.storedAck = { cseq, text: sent, peer };
    context.send(sent, peer);
  };
  if (destination.peer !== null) deliver(destination.peer);
  else {
    resolveDestination(context, destination)
      .catch(() => [])
      .then(([first]) => deliver(first ?? dialog.peer))
      .catch((error: unknown) => context.log.error({ err: String(error) }, 'ACK failed'));
  }
  return { text, destination };
}

/**
 * Ends a confirmed dialog with a BYE and notifies the app. A 2xx of the remote party is acknowledged first; if ours is
 * not acknowledged yet, the BYE waits for its ACK (RFC 3261 §15).
 */
export function endConfirmed(context: Context, dialog: Dialog, reason: string): void {
  if (dialog.phase !== 'confirmed' && dialog.phase !== 'abandoned') return;
  if (dialog.unackedCSeq >= 0) sendAck(context, dialog);
  if (dialog.pendingSuccess !== null) {
    dialog.endReason = reason;
    return;
  }
  const notifyApp = dialog.phase === 'confirmed';
  dialog.phase = 'ending';
  dialog.stop();
  context.counters.endedByServer++;
  dialog.localCSeq++;
  const destination = destinationInDialog(context, dialog);
  const branch = newBranch();
  const text = inDialogText(context, dialog, destination, {
    method: 'BYE',
    cseq: dialog.localCSeq,
    branch,
    extra: [['Reason', `SIP;cause=200;text="${reason}"`]],
    body: '',
  });
  const finish = (): void => context.tables.removeDialog(dialog);
  const outbound = newOutbound({
    txn: randomUUID(),
    method: 'BYE',
    app: null,
    dialog,
    text,
    branch,
    done: finish,
  });
  submit(context, outbound, destination, () => {
    context.tables.removeOutbound(outbound);
    finish();
  });
  context.log.info({ dialog: dialog.id, reason }, 'dialog ended by the server');
  if (!notifyApp || !dialog.owner.connected) return;
  dialog.owner.send(
    notification({
      source: 'application',
      bytes: text.length,
      route: sentRoute(context, destination),
      time: context.clock.now(),
      txn: UNSOLICITED,
      dialogId: dialog.id,
      text,
    }),
  );
}

/** Acknowledges an unwanted 2xx, from a second fork or after a CANCEL, and ends its dialog with a BYE. */
export function endUnwantedFork(context: Context, fork: Dialog, cseq: number): void {
  fork.phase = 'abandoned';
  fork.unackedCSeq = cseq;
  fork.localCSeq = cseq;
  endConfirmed(context, fork, 'call already ended');
}
