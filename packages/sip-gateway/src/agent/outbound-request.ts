/** Sends our requests: Via, transaction, and the handling of failures. */
import type { App } from '../control/server.ts';
import type { Route } from '../control/frames.ts';
import { notification } from '../control/frames.ts';
import type { Dialog } from '../dialog/dialog.ts';
import { randomId } from '../ids.ts';
import type { HeaderLine } from '../message/build.ts';
import { buildMessage, reasonPhrase } from '../message/build.ts';
import { MAGIC_COOKIE } from '../message/via.ts';
import type { Peer, Protocol } from '../transport/transport.ts';
import type { Context } from './context.ts';
import { ownHostPort } from './context.ts';
import type { Destination } from './destination.ts';
import { resolveDestination } from './destination.ts';
import type { Outbound, ReceivedFinal } from './tables.ts';

/** RFC 3261 §8.1.1.6. */
export const MAX_FORWARDS = '70';

export function newBranch(): string {
  return MAGIC_COOKIE + randomId();
}

/** Our top Via. `rport` only on UDP, where the response needs it to pass NAT (RFC 3581). */
export function ownVia(
  context: Pick<Context, 'addresses' | 'portOf'>,
  protocol: Protocol,
  peerAddress: string,
  branch: string,
): string {
  const hostPort = ownHostPort(context, protocol, peerAddress);
  return `SIP/2.0/${protocol.toUpperCase()} ${hostPort};${protocol === 'udp' ? 'rport;' : ''}branch=${branch}`;
}

/** Builds a request in a dialog. `extra` may contain Contact, body headers and the headers of the app. */
export function inDialogText(
  context: Context,
  dialog: Dialog,
  destination: Destination,
  request: {
    method: string;
    cseq: number;
    branch: string;
    extra: readonly HeaderLine[];
    body: string;
  },
): string {
  const { uri, routes } = dialog.path();
  const headers: HeaderLine[] = [
    ['Via', ownVia(context, destination.protocol, destination.peer?.address ?? '', request.branch)],
    ...routes.map((route): HeaderLine => ['Route', route]),
  ];
  if (!request.extra.some(([name]) => name.toLowerCase() === 'max-forwards')) {
    headers.push(['Max-Forwards', MAX_FORWARDS]);
  }
  headers.push(...dialog.identity(request.method, request.cseq), ...request.extra);
  return buildMessage(`${request.method} ${uri} SIP/2.0`, headers, request.body);
}

/** Creates a request that is not sent yet. */
export function newOutbound(init: {
  txn: string;
  method: string;
  app: App | null;
  dialog: Dialog | null;
  initial?: boolean;
  text: string;
  branch: string;
  done?: (status: number, message: ReceivedFinal) => void;
}): Outbound {
  return {
    txn: init.txn,
    method: init.method,
    app: init.app,
    dialog: init.dialog,
    initial: init.initial ?? false,
    transaction: null,
    text: init.text,
    branch: init.branch,
    alternatives: [],
    cancel: 'none',
    cancelledByApp: false,
    cancelText: null,
    timer: null,
    settled: false,
    probed: false,
    failure: '',
    done: init.done ?? null,
  };
}

/** Sends a request, after DNS resolution if necessary (503 if that fails). */
export function submit(
  context: Context,
  outbound: Outbound,
  destination: Destination,
  failed: (status: number) => void,
): void {
  context.tables.outbound.set(outbound.txn, outbound);
  if (destination.peer !== null) {
    start(context, outbound, destination.peer);
    return;
  }
  resolveDestination(context, destination)
    .then(
      ([first, ...others]) => {
        if (outbound.settled || first === undefined) return;
        // Cancelled before it was sent.
        if (outbound.cancel !== 'none') return failed(487);
        outbound.alternatives = others;
        outbound.text = withViaFor(context, outbound.text, outbound.branch, destination, first);
        start(context, outbound, first);
      },
      (error: unknown) => {
        context.log.info({ host: destination.uri.host, err: String(error) }, 'destination not found');
        outbound.failure = 'ENOTFOUND';
        if (!outbound.settled) failed(503);
      },
    )
    .catch((error: unknown) => context.log.error({ err: String(error) }, 'request failed'));
}

/**
 * The protocol in the Via of a request must be the one that it is sent with; the source of a dialog may have another
 * one than the URI.
 */
export function withViaFor(
  context: Pick<Context, 'addresses' | 'portOf'>,
  text: string,
  branch: string,
  { protocol }: Destination,
  peer: Peer,
): string {
  if (peer.protocol === protocol) return text;
  const via = ownVia(context, protocol, '', branch);
  return text.replace(via, () => ownVia(context, peer.protocol, peer.address, branch));
}

function start(context: Context, outbound: Outbound, peer: Peer): void {
  outbound.transaction = context.layer.request(
    outbound.text,
    outbound.method,
    outbound.branch,
    peer,
    outbound,
  );
}

/**
 * Tries the next destination after a transport failure (RFC 3263 §4.3), as a new transaction. Returns false if none is
 * left.
 */
export function tryAlternative(context: Context, outbound: Outbound): boolean {
  const next = outbound.alternatives.shift();
  if (next === undefined) return false;
  const branch = newBranch();
  outbound.text = outbound.text.replace(outbound.branch, branch);
  outbound.branch = branch;
  outbound.probed = false;
  start(context, outbound, next);
  return true;
}

/** The route in replies and notifications about our requests: our own address on UDP, the peer's on a stream. */
export function sentRoute(context: Context, destination: Destination): Route {
  if (destination.peer === null) return { protocol: 'unknown', address: '', port: 0 };
  const { protocol, address, port } = destination.peer;
  if (protocol !== 'udp') return { protocol, address, port };
  return { protocol, address: context.addresses.ownAddressFor(address), port: context.portOf('udp') ?? 0 };
}

/**
 * Builds a final response that was not received: 408 after a timeout, 503 for a network failure, 487 for a CANCEL
 * without effect. `why`: the code of the network failure, for a Warning header (RFC 3261 §20.43).
 */
export function generatedResponse(requestText: string, status: number, why = ''): string {
  const copied: HeaderLine[] = why === '' ? [] : [['Warning', `399 clarion "${why}"`]];
  for (const line of requestText.slice(0, requestText.indexOf('\r\n\r\n')).split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (name === 'Via' || name === 'From' || name === 'Call-ID' || name === 'CSeq')
      copied.push([name, value]);
    if (name === 'To') copied.push([name, value.includes(';tag=') ? value : `${value};tag=${randomId()}`]);
  }
  return buildMessage(`SIP/2.0 ${status} ${reasonPhrase(status)}`, copied, '');
}

/** Notifies the app of a final response that this server generated. */
export function notifyGenerated(context: Context, outbound: Outbound, status: number): void {
  const protocol = outbound.transaction?.peer.protocol ?? 'unknown';
  outbound.app?.send(
    notification({
      source: 'network',
      bytes: 0,
      route: { protocol, address: '', port: 0 },
      time: context.clock.now(),
      txn: outbound.txn,
      dialogId: outbound.dialog?.id ?? '',
      text: generatedResponse(outbound.text, status, outbound.failure),
    }),
  );
}
