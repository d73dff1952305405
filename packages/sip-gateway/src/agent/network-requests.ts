/** Requests from the network: responded to here, or passed to an app. */
import { notification } from '../control/frames.ts';
import type { App } from '../control/server.ts';
import type { Dialog } from '../dialog/dialog.ts';
import { MIN_SE_SECONDS, readSessionExpires } from '../dialog/session-timer.ts';
import { randomId, randomUUID } from '../ids.ts';
import { buildMessage } from '../message/build.ts';
import type { SipMessage } from '../message/message.ts';
import { hasToken, header, headerAll } from '../message/message.ts';
import type { ServerTransaction } from '../transaction/layer.ts';
import type { Peer } from '../transport/transport.ts';
import type { Context } from './context.ts';
import { respond, notifyNetwork, routeOf, stampedText } from './context.ts';
import { endConfirmed } from './end-dialog.ts';
import { ALLOW, EXTENSIONS, IN_DIALOG_ONLY, NOT_ALLOWED, ROUTABLE } from './methods.ts';
import { acknowledge } from './reliable-provisional.ts';
import type { Inbound } from './tables.ts';
import { stampVia } from '../message/via.ts';

/** How long the sender of a crossing INVITE should wait (RFC 3261 §14.2). Seconds. */
const RETRY_AFTER_SECONDS = '2';

type Transaction = ServerTransaction<Inbound>;

export function onRequest(context: Context, transaction: Transaction): void {
  const { request } = transaction;
  if (request.method === 'CANCEL') {
    onCancel(context, transaction);
    return;
  }
  const unsupported = unsupportedExtensions(request);
  if (unsupported !== '') {
    respond(context, transaction, 420, randomId(), [['Unsupported', unsupported]]);
    return;
  }
  if (request.toTag === '') outsideDialog(context, transaction);
  else insideDialog(context, transaction);
}

function unsupportedExtensions(request: SipMessage): string {
  return headerAll(request, 'require')
    .flatMap((value) => value.split(','))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '' && !EXTENSIONS.has(tag.toLowerCase()))
    .join(', ');
}

function outsideDialog(context: Context, transaction: Transaction): void {
  const { request } = transaction;
  const { method } = request;
  const tag = randomId();
  if (IN_DIALOG_ONLY.has(method)) return void respond(context, transaction, 481, tag);
  if (NOT_ALLOWED.has(method)) return void respond(context, transaction, 405, tag, [['Allow', ALLOW]]);
  if (!ROUTABLE.has(method)) return void respond(context, transaction, 501, tag, [['Allow', ALLOW]]);
  const mergeKey = `${request.callId}|${request.fromTag}|${request.cseq}|${method}`;
  if (request.fromTag !== '' && context.tables.mergedRequests.has(mergeKey)) {
    return void respond(context, transaction, 482, tag);
  }
  if (method === 'INVITE') respond(context, transaction, 100, '');
  const offer = method === 'INVITE' ? readSessionExpires(request) : null;
  if (offer !== null && offer.seconds < MIN_SE_SECONDS && hasToken(request, 'supported', 'timer')) {
    return void respond(context, transaction, 422, tag, [['Min-SE', String(MIN_SE_SECONDS)]]);
  }
  const app = context.nextApp(method);
  if (app === undefined) return void respond(context, transaction, 503, tag);
  const inbound = addInbound(context, transaction, app, null, tag, mergeKey);
  context.tables.mergedRequests.set(mergeKey, inbound.txn);
  const { peer } = transaction;
  notifyNetwork(context, app, request, {
    route: routeOf(peer),
    txn: inbound.txn,
    dialogId: '',
    text: stampedText(transaction),
    receivedOn: {
      host: context.addresses.ownAddressFor(peer.address),
      port: context.portOf(peer.protocol) ?? 0,
    },
  });
}

/** Stores a request until the app responds to it. */
function addInbound(
  context: Context,
  transaction: Transaction,
  app: App,
  dialog: Dialog | null,
  localTag: string,
  mergeKey: string,
): Inbound {
  const isInvite = transaction.request.method === 'INVITE';
  const inbound: Inbound = {
    txn: randomUUID(),
    transaction,
    app,
    dialog,
    localTag,
    initial: isInvite && dialog === null,
    responseTimer: null,
    reliable: null,
    lastRSeq: -1,
    mergeKey,
  };
  transaction.user = inbound;
  context.tables.inbound.set(inbound.txn, inbound);
  if (isInvite) {
    inbound.responseTimer = context.clock.after(context.settings.appResponseTimeoutMs, () => {
      context.log.warn({ txn: inbound.txn }, 'app did not respond to an INVITE');
      context.counters.endedByServer++;
      rejectInbound(context, inbound, 480);
    });
  }
  return inbound;
}

/** Sends a final response without the app. A later response of the app is rejected as too late. */
export function rejectInbound(context: Context, inbound: Inbound, status: number): void {
  context.tables.removeInbound(inbound);
  respond(context, inbound.transaction, status, inbound.localTag);
  const { dialog } = inbound;
  if (inbound.initial && dialog !== null) context.tables.removeDialog(dialog);
  else if (dialog?.inviteTxn === inbound.txn) dialog.inviteTxn = '';
}

/**
 * Ends an INVITE whose reliable provisional response got no PRACK (RFC 3262 §3). The caller will not cancel it, so the
 * app receives a CANCEL that the caller did not send.
 */
export function endUnacknowledged(context: Context, inbound: Inbound): void {
  const { transaction, dialog } = inbound;
  const { request } = transaction;
  context.log.info({ txn: inbound.txn }, 'INVITE rejected: no PRACK for a reliable response');
  context.counters.endedByServer++;
  rejectInbound(context, inbound, 504);
  const text = buildMessage(
    `CANCEL ${request.uri} SIP/2.0`,
    [
      ['Via', transaction.stampedVia],
      ['From', header(request, 'from') ?? ''],
      ['To', header(request, 'to') ?? ''],
      ['Call-ID', request.callId],
      ['CSeq', `${request.cseq} CANCEL`],
      ['Reason', 'SIP;cause=504;text="no PRACK"'],
    ],
    '',
  );
  inbound.app.send(
    notification({
      source: 'network',
      bytes: 0,
      route: routeOf(transaction.peer),
      time: context.clock.now(),
      txn: inbound.txn,
      dialogId: dialog?.id ?? '',
      text,
    }),
  );
}

function insideDialog(context: Context, transaction: Transaction): void {
  const { request } = transaction;
  const { tables } = context;
  const dialog = dialogFor(context, request);
  if (dialog === undefined || dialog.phase === 'abandoned') {
    return void respond(context, transaction, 481, '');
  }
  if (dialog.phase === 'ending') {
    // Both parties hung up at the same time: theirs gets its response, ours continues.
    return void respond(context, transaction, request.method === 'BYE' ? 200 : 481, '');
  }
  if (request.cseq < dialog.remoteCSeq) return void respond(context, transaction, 500, '');
  if (request.method === 'INVITE') {
    if (dialog.inviteOut) return void respond(context, transaction, 491, '');
    if (dialog.inviteTxn !== '') {
      return void respond(context, transaction, 500, '', [['Retry-After', RETRY_AFTER_SECONDS]]);
    }
  }
  if (request.method === 'UPDATE' && request.body !== '' && dialog.phase === 'confirmed') {
    // An offer that crosses a re-INVITE. Before the call is answered, the app decides (RFC 3311 §5.2).
    if (dialog.inviteOut) return void respond(context, transaction, 491, '');
    if (dialog.inviteTxn !== '') {
      return void respond(context, transaction, 500, '', [['Retry-After', RETRY_AFTER_SECONDS]]);
    }
  }
  if (request.method === 'INVITE' || request.method === 'UPDATE') {
    const offer = readSessionExpires(request);
    if (offer !== null && offer.seconds < MIN_SE_SECONDS && hasToken(request, 'supported', 'timer')) {
      return void respond(context, transaction, 422, '', [['Min-SE', String(MIN_SE_SECONDS)]]);
    }
  }
  dialog.remoteCSeq = request.cseq;
  dialog.peer = transaction.peer;
  if (request.method === 'PRACK') {
    const prackFor = acknowledge(dialog, tables.inbound.get(dialog.inviteTxn), request);
    if (prackFor !== 'app') return void respond(context, transaction, prackFor === 'server' ? 200 : 481, '');
  }
  if (!dialog.owner.connected) {
    if (request.method === 'BYE') tables.removeDialog(dialog);
    return void respond(context, transaction, request.method === 'BYE' ? 200 : 480, '');
  }
  if (request.method === 'INVITE') respond(context, transaction, 100, '');
  if (request.method === 'BYE' && endByBye(context, transaction, dialog)) return;
  const inbound = addInbound(context, transaction, dialog.owner, dialog, '', '');
  if (request.method === 'INVITE') dialog.inviteTxn = inbound.txn;
  notifyNetwork(context, dialog.owner, request, {
    route: routeOf(transaction.peer),
    txn: inbound.txn,
    dialogId: dialog.id,
    text: stampedText(transaction),
  });
}

/** The dialog that the message's tags identify, if there is one. */
export function dialogFor(context: Context, message: SipMessage): Dialog | undefined {
  const dialog = context.tables.dialogOf(message.callId, message.toTag);
  return dialog !== undefined && isFromPeer(dialog, message) ? dialog : undefined;
}

/** The From tag must be the remote party's; for an outbound call that is not answered yet, that of any fork. */
function isFromPeer(dialog: Dialog, request: SipMessage): boolean {
  if (dialog.remoteTag === request.fromTag) return true;
  return dialog.phase === 'early' && dialog.forks.has(request.fromTag);
}

/**
 * Handles a BYE of the remote party: removes the dialog; an INVITE of theirs that is still open in it gets a 487.
 * Returns true if the app was notified here: a caller may send BYE in an early dialog (RFC 3261 §15), which the app
 * receives as a CANCEL of the pending INVITE.
 */
function endByBye(context: Context, transaction: Transaction, dialog: Dialog): boolean {
  const open = context.tables.inbound.get(dialog.inviteTxn);
  if (open?.initial) respond(context, transaction, 200, '');
  if (open !== undefined) rejectInbound(context, open, 487);
  context.tables.removeDialog(dialog);
  if (!open?.initial) return false;
  notifyNetwork(context, open.app, transaction.request, {
    route: routeOf(transaction.peer),
    txn: open.txn,
    dialogId: dialog.id,
    text: stampedText(transaction)
      .replace(/^BYE /, 'CANCEL ')
      .replace(/^(CSeq\s*:\s*\d+\s+)BYE/im, '$1CANCEL'),
  });
  return true;
}

/** Handles a CANCEL: 200 to it, 487 to the INVITE if that is still open, then notifies the app (RFC 3261 §9.2). */
function onCancel(context: Context, transaction: Transaction): void {
  const invite = context.layer.inviteOf(transaction.request);
  const inbound = invite?.user ?? null;
  if (invite === undefined) return void respond(context, transaction, 481, randomId());
  const tag = inbound?.localTag ?? '';
  respond(context, transaction, 200, tag === '' ? randomId() : tag);
  if (inbound === null || !context.tables.inbound.has(inbound.txn)) return;
  const { dialog } = inbound;
  rejectInbound(context, inbound, 487);
  notifyNetwork(context, inbound.app, transaction.request, {
    route: routeOf(transaction.peer),
    txn: inbound.txn,
    dialogId: dialog?.id ?? '',
    text: stampedText(transaction),
  });
}

/** Handles the ACK of our 2xx. */
export function onAck(context: Context, message: SipMessage, peer: Peer): void {
  const dialog = dialogFor(context, message);
  if (dialog === undefined) return;
  const pending = dialog.pendingSuccess;
  const matches = pending !== null && pending.cseq === message.cseq;
  const txn = matches && pending.initial ? pending.txn : randomUUID();
  if (matches) dialog.clearPendingSuccess();
  if (dialog.owner.connected && dialog.phase === 'confirmed') {
    notifyNetwork(context, dialog.owner, message, {
      route: { protocol: '', address: peer.address, port: peer.port },
      txn,
      dialogId: dialog.id,
      text: stamped(message, peer),
    });
  }
  if (matches && dialog.endReason !== '') endConfirmed(context, dialog, dialog.endReason);
}

function stamped(message: SipMessage, peer: Peer): string {
  const via = stampVia(message.viaText, message.via, peer.address, peer.port);
  return message.raw.slice(0, message.viaStart) + via + message.raw.slice(message.viaEnd);
}

/** The ACK of a failure response did not arrive, or the app did not respond to a request other than INVITE. */
export function onServerFailed(context: Context, transaction: Transaction): void {
  const inbound = transaction.user;
  if (inbound === null || !context.tables.inbound.has(inbound.txn)) return;
  context.log.debug({ txn: inbound.txn }, 'request not responded to');
  context.tables.removeInbound(inbound);
}
