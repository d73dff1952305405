/**
 * Cancels an outbound INVITE. The CANCEL waits for the first provisional response, and the INVITE always ends with a
 * final response.
 */
import type { HeaderLine } from '../message/build.ts';
import { buildMessage } from '../message/build.ts';
import type { Context } from './context.ts';
import { MAX_FORWARDS, newOutbound, notifyGenerated } from './outbound-request.ts';
import { randomUUID } from '../ids.ts';
import type { Outbound } from './tables.ts';

/**
 * Builds the CANCEL of an INVITE: same Request-URI, top Via, Route, From, To, Call-ID and CSeq number (RFC 3261 §9.1).
 */
export function cancelText(invite: Outbound, extra: readonly HeaderLine[]): string {
  const [startLine = '', ...lines] = invite.text.slice(0, invite.text.indexOf('\r\n\r\n')).split('\r\n');
  const headers: HeaderLine[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 2);
    if (name === 'Via' || name === 'Route' || name === 'From' || name === 'To' || name === 'Call-ID') {
      headers.push([name, value]);
    } else if (name === 'CSeq') headers.push([name, `${value.slice(0, value.indexOf(' '))} CANCEL`]);
    else if (name === 'Max-Forwards') headers.push([name, MAX_FORWARDS]);
  }
  return buildMessage(`CANCEL${startLine.slice('INVITE'.length)}`, [...headers, ...extra], '');
}

/** Sends the CANCEL, or defers it until the first response. Returns whether it was sent. */
export function cancelInvite(
  context: Context,
  invite: Outbound,
  byApp: boolean,
  makeText: () => string,
): boolean {
  invite.cancelledByApp ||= byApp;
  if (invite.transaction?.state.phase !== 'proceeding') {
    invite.cancel = 'pending';
    invite.cancelText = makeText;
    return false;
  }
  sendCancel(context, invite, makeText());
  return true;
}

/** Sends a deferred CANCEL after the first provisional response. */
export function releaseCancel(context: Context, invite: Outbound): void {
  if (invite.cancel === 'pending' && invite.cancelText !== null)
    sendCancel(context, invite, invite.cancelText());
}

function sendCancel(context: Context, invite: Outbound, text: string): void {
  const { transaction } = invite;
  if (transaction === null) return;
  invite.cancel = 'sent';
  invite.cancelText = null;
  const cancel = newOutbound({
    txn: randomUUID(),
    method: 'CANCEL',
    app: null,
    dialog: null,
    text,
    branch: invite.branch,
    done: () => undefined,
  });
  cancel.transaction = context.layer.request(text, 'CANCEL', invite.branch, transaction.peer, cancel);
  context.tables.outbound.set(cancel.txn, cancel);
  invite.timer?.cancel();
  invite.timer = context.clock.after(context.settings.timers.transactionTimeout, () =>
    failInvite(context, invite, invite.cancelledByApp ? 487 : 408),
  );
}

/** Timer C: an INVITE that rings for too long is cancelled (RFC 3261 §16.8). */
export function armRingTimer(context: Context, invite: Outbound): void {
  if (invite.cancel !== 'none') return;
  invite.timer?.cancel();
  invite.timer = context.clock.after(context.settings.ringTimeoutMs, () => {
    context.counters.endedByServer++;
    cancelInvite(context, invite, false, () => cancelText(invite, []));
  });
}

/**
 * Ends an outbound INVITE that gets no final response. The dialog is kept for a while, so that a late 2xx can be
 * acknowledged.
 */
export function failInvite(context: Context, invite: Outbound, status: number): void {
  if (invite.settled) return;
  invite.settled = true;
  notifyGenerated(context, invite, status);
  invite.done?.(status, null);
  if (invite.transaction !== null) context.layer.remove(invite.transaction);
  context.tables.removeOutbound(invite);
  const { dialog } = invite;
  if (dialog === null) return;
  dialog.inviteOut = false;
  if (!invite.initial) return;
  dialog.phase = 'abandoned';
  context.clock.after(context.settings.timers.transactionTimeout, () => {
    if (dialog.phase === 'abandoned') context.tables.removeDialog(dialog);
  });
}
