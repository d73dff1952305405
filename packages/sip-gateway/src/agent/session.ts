/** Keeping sessions alive: refreshes of ours, and the end of a session nobody refreshes (RFC 4028). */
import type { Dialog } from '../dialog/dialog.ts';
import type { SessionAnswer } from '../dialog/session-timer.ts';
import {
  MIN_SE_SECONDS,
  expireAfterMs,
  readSessionExpires,
  refreshAfterMs,
} from '../dialog/session-timer.ts';
import { randomUUID } from '../ids.ts';
import type { HeaderLine } from '../message/build.ts';
import type { SipMessage } from '../message/message.ts';
import type { Context } from './context.ts';
import { endConfirmed, sendAck } from './ending.ts';
import { aimInDialog, inDialogText, newBranch, newOutbound, submit } from './request.ts';

const EXPIRED = 'Session timer expired';

/** Starts or restarts the session timer of a dialog. */
export function armSession(context: Context, dialog: Dialog, seconds: number, weRefresh: boolean): void {
  dialog.session?.timer?.cancel();
  const ms = weRefresh ? refreshAfterMs(seconds) : expireAfterMs(seconds);
  dialog.session = {
    seconds,
    weRefresh,
    timer: context.clock.after(ms, () => {
      if (weRefresh) refresh(context, dialog);
      else endConfirmed(context, dialog, EXPIRED);
    }),
  };
}

/** The session interval agreed by a 2xx of ours. */
export function applyAnswer(context: Context, dialog: Dialog, answer: SessionAnswer): void {
  armSession(context, dialog, answer.seconds, answer.weRefresh);
}

/** The session interval a 2xx of the far end to a request of ours agrees to. */
export function applyResponse(context: Context, dialog: Dialog, message: SipMessage): void {
  const agreed = readSessionExpires(message);
  if (agreed !== null && agreed.seconds >= MIN_SE_SECONDS) {
    armSession(context, dialog, agreed.seconds, agreed.refresher !== 'uas');
  }
}

/** Sends the re-INVITE that refreshes the session, with our last description unchanged. */
function refresh(context: Context, dialog: Dialog): void {
  const { session } = dialog;
  if (dialog.phase !== 'confirmed' || session === null) return;
  if (dialog.inviteOut || dialog.inviteTxn !== '') {
    // Somebody is changing the session just now, which refreshes it too if it succeeds.
    session.timer = context.clock.after(context.settings.timers.giveUp, () => refresh(context, dialog));
    return;
  }
  dialog.inviteOut = true;
  dialog.localCSeq++;
  const cseq = dialog.localCSeq;
  const extra: HeaderLine[] = [
    ['Contact', dialog.contact],
    ['Session-Expires', `${session.seconds};refresher=uac`],
    ['Min-SE', String(MIN_SE_SECONDS)],
  ];
  if (dialog.localSdp !== '') extra.push(['Content-Type', 'application/sdp']);
  const aim = aimInDialog(context, dialog);
  const branch = newBranch();
  const text = inDialogText(context, dialog, aim, {
    method: 'INVITE',
    cseq,
    branch,
    extra,
    body: dialog.localSdp,
  });
  const done = (status: number, message: SipMessage | null): void => {
    dialog.inviteOut = false;
    if (status >= 200 && status < 300 && message !== null) {
      dialog.unackedCSeq = cseq;
      sendAck(context, dialog);
      if (readSessionExpires(message) === null) armSession(context, dialog, session.seconds, true);
      else applyResponse(context, dialog, message);
    } else if (status === 408 || status === 481) endConfirmed(context, dialog, EXPIRED);
    else armSession(context, dialog, session.seconds, false);
  };
  const outbound = newOutbound({
    txn: randomUUID(),
    method: 'INVITE',
    app: null,
    dialog,
    text,
    branch,
    done,
  });
  submit(context, outbound, aim, (status) => {
    context.tables.removeOutbound(outbound);
    done(status, null);
  });
}
