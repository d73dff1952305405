/** Responses from the network to our requests, and requests without a response. */
import { Dialog, MAX_FORKS } from '../dialog/dialog.ts';
import type { HeaderLine } from '../message/build.ts';
import { buildMessage } from '../message/build.ts';
import type { SipMessage } from '../message/message.ts';
import { hasToken, header } from '../message/message.ts';
import { parseDigits } from '../message/uri.ts';
import type { ClientTransaction, FailureCause } from '../transaction/layer.ts';
import type { Peer } from '../transport/transport.ts';
import { armRingTimer, failInvite, releaseCancel } from './cancel.ts';
import type { Context } from './context.ts';
import { notifyNetwork, routeOf } from './context.ts';
import { endUnwantedFork, endConfirmed } from './end-dialog.ts';
import { MAX_FORWARDS, notifyGenerated, tryAlternative } from './outbound-request.ts';
import { applyResponse } from './session-refresh.ts';
import type { Outbound } from './tables.ts';

const MAX_RSEQ = 2 ** 32 - 1;

export function onResponse(
  context: Context,
  transaction: ClientTransaction<Outbound>,
  message: SipMessage,
  peer: Peer,
): void {
  const outbound = transaction.user;
  if (message.status < 200) onProvisional(context, outbound, message, peer);
  else if (outbound.method === 'INVITE' && message.status < 300) onSuccess(context, outbound, message, peer);
  else onFinal(context, outbound, message, peer);
}

function onProvisional(context: Context, outbound: Outbound, message: SipMessage, peer: Peer): void {
  const { dialog } = outbound;
  if (outbound.method === 'INVITE') {
    releaseCancel(context, outbound);
    armRingTimer(context, outbound);
  }
  if (outbound.settled) return;
  if (message.status === 100) {
    // The app learns that its INVITE has arrived.
    if (outbound.initial) notify(context, outbound, message, peer);
    return;
  }
  if (dialog !== null && outbound.initial) {
    if (!dialog.acceptsFork(message.toTag)) return;
    if (isRepeatedReliable(dialog, message)) return;
    if (dialog.phase === 'early') {
      dialog.updateFromResponse(message);
      dialog.peer = peer;
    }
  }
  notify(context, outbound, message, peer);
}

/**
 * Whether a reliable provisional response is a repetition or out of order: its RSeq is not the next one (RFC 3262 §4).
 */
function isRepeatedReliable(dialog: Dialog, message: SipMessage): boolean {
  if (!hasToken(message, 'require', '100rel')) return false;
  const rseq = parseDigits(header(message, 'rseq') ?? '', MAX_RSEQ);
  if (rseq < 0) return false;
  const seen = dialog.rseqSeen.get(message.toTag);
  if (seen !== undefined && rseq !== seen + 1) return true;
  dialog.rseqSeen.set(message.toTag, rseq);
  dialog.awaitPrack(message.toTag, rseq);
  return false;
}

function onSuccess(context: Context, outbound: Outbound, message: SipMessage, peer: Peer): void {
  const { dialog } = outbound;
  if (dialog === null) return;
  if (outbound.settled) {
    onRepeatedSuccess(context, dialog, message, peer);
    return;
  }
  outbound.settled = true;
  context.tables.removeOutbound(outbound);
  dialog.inviteOut = false;
  if (outbound.initial) {
    dialog.updateFromResponse(message);
    dialog.phase = 'confirmed';
  } else {
    dialog.refreshTarget(message);
    keepOffer(dialog, outbound);
  }
  dialog.peer = peer;
  if (outbound.done !== null) {
    outbound.done(message.status, message);
    return;
  }
  dialog.unackedCSeq = message.cseq;
  applyResponse(context, dialog, message);
  if (outbound.cancel !== 'none') dialog.endReason = 'ACK-BYE due to cancel race condition';
  if (dialog.owner.connected) notify(context, outbound, message, peer);
  else endConfirmed(context, dialog, 'application lost');
}

/**
 * Our offer in a request becomes the current description when the remote party accepts it; a rejected one changes
 * nothing (RFC 3261 §14.1).
 */
function keepOffer(dialog: Dialog, { text }: Outbound): void {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  if (body !== '') dialog.localSdp = body;
}

/**
 * Handles a 2xx after the first: a repetition gets the same ACK; that of another fork is acknowledged and its dialog
 * ended.
 */
function onRepeatedSuccess(context: Context, dialog: Dialog, message: SipMessage, peer: Peer): void {
  if (message.toTag !== dialog.remoteTag) {
    endFork(context, dialog, message, peer);
    return;
  }
  const { storedAck } = dialog;
  if (storedAck !== null && storedAck.cseq === message.cseq) context.send(storedAck.text, storedAck.peer);
}

/** Ends a fork with its own dialog object, which stores the ACK for repetitions of the fork's 2xx. */
function endFork(context: Context, dialog: Dialog, message: SipMessage, peer: Peer): void {
  const ended = dialog.endedForks.get(message.toTag);
  if (ended !== undefined) {
    if (ended.storedAck !== null) context.send(ended.storedAck.text, ended.storedAck.peer);
    return;
  }
  if (dialog.endedForks.size >= MAX_FORKS) return;
  const fork = new Dialog({
    id: `${dialog.id};fork=${message.toTag}`,
    role: 'uac',
    callId: dialog.callId,
    localTag: dialog.localTag,
    remoteTag: message.toTag,
    localAddress: dialog.localAddress,
    remoteAddress: dialog.remoteAddress,
    localCSeq: message.cseq,
    remoteTarget: dialog.remoteTarget,
    contact: dialog.contact,
    protocol: dialog.protocol,
    peer,
    owner: dialog.owner,
  });
  fork.updateFromResponse(message);
  dialog.endedForks.set(message.toTag, fork);
  endUnwantedFork(context, fork, message.cseq);
}

function onFinal(context: Context, outbound: Outbound, message: SipMessage, peer: Peer): void {
  if (outbound.settled) return;
  outbound.settled = true;
  context.tables.removeOutbound(outbound);
  const { dialog } = outbound;
  const success = message.status < 300;
  if (dialog !== null && outbound.method === 'INVITE') dialog.inviteOut = false;
  if (dialog !== null && outbound.method === 'UPDATE' && success) {
    dialog.refreshTarget(message);
    keepOffer(dialog, outbound);
    applyResponse(context, dialog, message);
  }
  outbound.done?.(message.status, message);
  notify(context, outbound, message, peer);
  if (dialog !== null) afterFinal(context, outbound, dialog, message.status);
}

/** Updates the dialog after a final response, received or generated. */
function afterFinal(context: Context, outbound: Outbound, dialog: Dialog, status: number): void {
  if (outbound.initial) context.tables.removeDialog(dialog);
  else if (outbound.method === 'BYE') {
    // A challenged BYE is sent again with credentials, so the dialog must remain.
    if (status === 401 || status === 407) dialog.phase = 'confirmed';
    else context.tables.removeDialog(dialog);
  }
}

function notify(context: Context, outbound: Outbound, message: SipMessage, peer: Peer): void {
  if (outbound.app === null) return;
  notifyNetwork(context, outbound.app, message, {
    route: routeOf(peer),
    txn: outbound.txn,
    dialogId: outbound.dialog?.id ?? '',
  });
}

export function onClientFailed(
  context: Context,
  transaction: ClientTransaction<Outbound>,
  cause: FailureCause,
): void {
  const outbound = transaction.user;
  if (outbound.settled) return;
  if (cause === 'transport' && outbound.cancel === 'none' && tryAlternative(context, outbound)) return;
  if (cause === 'transport') outbound.failure = failureCode(transaction.failure);
  failOutbound(context, outbound, cause === 'transport' ? 503 : outbound.cancel === 'none' ? 408 : 487);
}

/** Node's code of a network or TLS error. Without one, a probe has found that nothing listens on the port. */
function failureCode(error: (Error & { code?: unknown }) | null): string {
  const code = error === null ? 'ECONNREFUSED' : error.code;
  return typeof code === 'string' && /^\w+$/.test(code) ? code : 'ECONNRESET';
}

/** Ends one of our requests with a generated final response. */
export function failOutbound(context: Context, outbound: Outbound, status: number): void {
  if (outbound.initial && status !== 503) {
    failInvite(context, outbound, status);
    return;
  }
  outbound.settled = true;
  context.tables.removeOutbound(outbound);
  const { dialog } = outbound;
  if (dialog !== null && outbound.method === 'INVITE') dialog.inviteOut = false;
  outbound.done?.(status, null);
  notifyGenerated(context, outbound, status);
  if (dialog !== null) afterFinal(context, outbound, dialog, status);
}

/** Builds the ACK of a failure response: same Request-URI, top Via and Route as the INVITE (RFC 3261 §17.1.1.3). */
export function failureAck(transaction: ClientTransaction<Outbound>, response: SipMessage): string {
  const head = transaction.text.slice(0, transaction.text.indexOf('\r\n\r\n')).split('\r\n');
  const [startLine = '', ...lines] = head;
  const headers: HeaderLine[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 2);
    if (name === 'Via' || name === 'Route' || name === 'From' || name === 'Call-ID')
      headers.push([name, value]);
    else if (name === 'Max-Forwards') headers.push([name, MAX_FORWARDS]);
    else if (name === 'To') headers.push([name, header(response, 'to') ?? value]);
    else if (name === 'CSeq') headers.push([name, `${response.cseq} ACK`]);
  }
  return buildMessage(`ACK${startLine.slice('INVITE'.length)}`, headers, '');
}

/** Handles a response without a transaction: a late 2xx of a known call; others are ignored. */
export function onStrayResponse(context: Context, message: SipMessage, peer: Peer): void {
  context.counters.strayResponses++;
  if (message.method !== 'INVITE' || message.status < 200 || message.status >= 300) return;
  const dialog = context.tables.dialogOf(message.callId, message.fromTag);
  if (dialog === undefined || dialog.role !== 'uac') return;
  if (dialog.phase === 'abandoned' && dialog.unackedCSeq < 0 && dialog.storedAck === null) {
    dialog.updateFromResponse(message);
    dialog.peer = peer;
    endUnwantedFork(context, dialog, message.cseq);
    return;
  }
  onRepeatedSuccess(context, dialog, message, peer);
}
