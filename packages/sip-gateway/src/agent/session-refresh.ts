/** Session timers (RFC 4028): refreshes that we send, and the end of sessions that are not refreshed. */
import { randomInt } from 'node:crypto';
import type { Dialog, SessionTimer } from '../dialog/dialog.ts';
import {
  MIN_SE_SECONDS,
  expireAfterMs,
  readSessionExpires,
  refreshAfterMs,
} from '../dialog/session-timer.ts';
import { randomUUID } from '../ids.ts';
import type { HeaderLine } from '../message/build.ts';
import { header, type SipMessage } from '../message/message.ts';
import type { Context } from './context.ts';
import { endConfirmed, sendAck } from './end-dialog.ts';
import { destinationInDialog } from './destination.ts';
import { inDialogText, newBranch, newOutbound, submit } from './outbound-request.ts';

const EXPIRED = 'Session timer expired';

/** Starts or restarts the session timer of a dialog. */
export function armSession(context: Context, dialog: Dialog, asked: number, weRefresh: boolean): void {
  dialog.session?.timer?.cancel();
  // A shorter interval violates RFC 4028 §5, and zero would cause refreshes without a pause.
  const seconds = Math.max(asked, MIN_SE_SECONDS);
  const ms = weRefresh ? refreshAfterMs(seconds) : expireAfterMs(seconds);
  dialog.session = {
    seconds,
    weRefresh,
    retried: false,
    timer: context.clock.after(ms, () => {
      if (weRefresh) refresh(context, dialog);
      else endConfirmed(context, dialog, EXPIRED);
    }),
  };
}

/** Applies the session interval in a 2xx of the remote party. */
export function applyResponse(context: Context, dialog: Dialog, message: SipMessage): void {
  const agreed = readSessionExpires(message);
  if (agreed !== null && agreed.seconds >= MIN_SE_SECONDS) {
    armSession(context, dialog, agreed.seconds, agreed.refresher !== 'uas');
  }
}

/**
 * After a 491 the party that created the Call-ID waits longer, so that the two do not collide again (RFC 3261 §14.1).
 * Ms.
 */
const GLARE_WAIT_MS = { uac: [2_100, 4_000], uas: [0, 2_000] } as const;

/** Delay before a failed refresh is repeated, if the response has no Retry-After. */
const RETRY_MS = 5_000;
/**
 * Maximum delay as a fraction of the interval: half of it has passed at the first attempt, and the remote party ends
 * the session after two thirds at the earliest.
 */
const LATEST_RETRY = 1 / 10;

/** When a refresh that the remote party could not process is repeated. */
function retryAfterMs(seconds: number, response: SipMessage | null): number {
  const given = Number.parseInt((response && header(response, 'retry-after')) ?? '', 10);
  return Math.min(Number.isNaN(given) ? RETRY_MS : given * 1_000, seconds * 1_000 * LATEST_RETRY);
}

/**
 * Refreshes the session with an UPDATE, which does not touch the session description, if the remote party supports it
 * (RFC 4028 §7.4), otherwise with a re-INVITE that repeats our last description.
 */
function refresh(context: Context, dialog: Dialog): void {
  const { session } = dialog;
  if (dialog.phase !== 'confirmed' || session === null) return;
  if (dialog.inviteOut || dialog.inviteTxn !== '') {
    // Another request is changing the session, which refreshes it too if it succeeds.
    session.timer = context.clock.after(context.settings.timers.transactionTimeout, () =>
      refresh(context, dialog),
    );
    return;
  }
  const method = dialog.allowsUpdate ? 'UPDATE' : 'INVITE';
  const body = method === 'INVITE' ? dialog.localSdp : '';
  if (method === 'INVITE') dialog.inviteOut = true;
  dialog.localCSeq++;
  const cseq = dialog.localCSeq;
  const extra: HeaderLine[] = [
    ['Contact', dialog.contact],
    ['Session-Expires', `${session.seconds};refresher=uac`],
    ['Min-SE', String(MIN_SE_SECONDS)],
  ];
  if (method === 'UPDATE') extra.push(['Supported', 'timer']);
  if (body !== '') extra.push(['Content-Type', 'application/sdp']);
  const destination = destinationInDialog(context, dialog);
  const branch = newBranch();
  const text = inDialogText(context, dialog, destination, { method, cseq, branch, extra, body });
  const done = (status: number, message: SipMessage | null): void => {
    if (method === 'INVITE') dialog.inviteOut = false;
    if (status >= 200 && status < 300 && message !== null) {
      if (method === 'INVITE') {
        dialog.unackedCSeq = cseq;
        sendAck(context, dialog);
      }
      if (readSessionExpires(message) === null) armSession(context, dialog, session.seconds, true);
      else applyResponse(context, dialog, message);
    } else refreshFailed(context, dialog, session, method, status, message);
  };
  const outbound = newOutbound({
    txn: randomUUID(),
    method,
    app: null,
    dialog,
    text,
    branch,
    done,
  });
  submit(context, outbound, destination, (status) => {
    context.tables.removeOutbound(outbound);
    done(status, null);
  });
}

function refreshFailed(
  context: Context,
  dialog: Dialog,
  session: SessionTimer,
  method: string,
  status: number,
  response: SipMessage | null,
): void {
  // The remote party has refreshed in the meantime, or ended the session timer.
  if (dialog.session !== session) return;
  if (status === 408 || status === 481) endConfirmed(context, dialog, EXPIRED);
  else if (status === 491) {
    const [least, most] = GLARE_WAIT_MS[dialog.role];
    session.timer = context.clock.after(randomInt(least, most), () => refresh(context, dialog));
  } else if (method === 'UPDATE' && (status === 405 || status === 501)) {
    dialog.allowsUpdate = false;
    refresh(context, dialog);
  } else if (status >= 500 && status < 600 && !session.retried) {
    session.retried = true;
    const waitMs = retryAfterMs(session.seconds, response);
    session.timer = context.clock.after(waitMs, () => refresh(context, dialog));
  } else armSession(context, dialog, session.seconds, false);
}
