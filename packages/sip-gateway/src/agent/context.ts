/** What all parts of the agent use. */
import type { Clock } from '../clock.ts';
import type { Route } from '../control/frames.ts';
import { notification } from '../control/frames.ts';
import type { App } from '../control/server.ts';
import type { Log } from '../log.ts';
import type { HeaderLine } from '../message/build.ts';
import { buildResponse, reasonPhrase } from '../message/build.ts';
import type { SipMessage } from '../message/message.ts';
import type { ServerTransaction, TransactionLayer } from '../transaction/layer.ts';
import type { TimerValues } from '../transaction/timers.ts';
import type { Addresses } from '../transport/addresses.ts';
import type { Locator } from '../transport/locate.ts';
import type { Peer, Protocol } from '../transport/transport.ts';
import type { Counters } from './counters.ts';
import type { Inbound, Outbound, Tables } from './tables.ts';

export interface AgentSettings {
  readonly timers: TimerValues;
  /** Timer C: how long an outbound INVITE may ring (RFC 3261 §16.6 step 11). Ms. */
  readonly ringTimeoutMs: number;
  /** How long an app may take to respond to an inbound INVITE. Ms. */
  readonly appResponseTimeoutMs: number;
  /** How long calls are kept for an app whose control connection was lost. Ms. */
  readonly appReconnectGraceMs: number;
}

export interface Context {
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: AgentSettings;
  readonly tables: Tables;
  readonly counters: Counters;
  readonly addresses: Addresses;
  readonly locator: Locator;
  readonly layer: TransactionLayer<Inbound, Outbound>;
  /** The next app, in turn, for a method. */
  nextApp(method: string): App | undefined;
  /** Sends outside any transaction (ACK of a 2xx, retransmissions of the ACK and of a 2xx). */
  send(text: string, peer: Peer): void;
  /** Checks whether a UDP port is open; calls back only if it certainly is not. */
  probe(peer: Peer, refused: () => void): void;
  /** Whether the stream connection of a message is still open. */
  isOpen(peer: Peer): boolean;
  /** A call from this address was accepted: it is no stranger to the flood guard. */
  sourceAccepted(address: string): void;
  /** Our port for a protocol; null if the protocol is not enabled. */
  portOf(protocol: Protocol): number | null;
}

export function routeOf(peer: Peer): Route {
  return { protocol: peer.protocol, address: peer.address, port: peer.port };
}

/**
 * In replies and notifications about responses, only those to an INVITE carry the protocol; the others and ACK leave it
 * empty.
 */
export function responseRoute(method: string, peer: Peer): Route {
  return { protocol: method === 'INVITE' ? peer.protocol : '', address: peer.address, port: peer.port };
}

/** Our `host:port` as the peer should use it. */
export function ownHostPort(
  context: Pick<Context, 'addresses' | 'portOf'>,
  protocol: Protocol,
  peerAddress: string,
): string {
  const host = context.addresses.ownAddressFor(peerAddress);
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${shown}:${context.portOf(protocol) ?? 0}`;
}

export function ownContact(context: Context, protocol: Protocol, peerAddress: string): string {
  const hostPort = ownHostPort(context, protocol, peerAddress);
  return protocol === 'udp' ? `<sip:${hostPort}>` : `<sip:${hostPort};transport=${protocol}>`;
}

/** Responds to a request without the app. */
export function respond(
  context: Context,
  transaction: ServerTransaction<Inbound>,
  status: number,
  toTag: string,
  extra: readonly HeaderLine[] = [],
): string {
  const text = buildResponse(
    transaction.request,
    transaction.stampedVia,
    status,
    reasonPhrase(status),
    status === 100 ? '' : toTag,
    extra,
  );
  context.layer.respond(transaction, status, text);
  return text;
}

/** The message as passed to the app: as received, with the top Via stamped. */
export function stampedText(transaction: ServerTransaction<Inbound>): string {
  const { raw, viaStart, viaEnd } = transaction.request;
  return raw.slice(0, viaStart) + transaction.stampedVia + raw.slice(viaEnd);
}

/** Notifies an app of a message from the network. */
export function notifyNetwork(
  context: Context,
  app: App,
  message: SipMessage,
  about: {
    route: Route;
    txn: string;
    dialogId: string;
    text?: string;
    receivedOn?: { host: string; port: number };
  },
): void {
  const { receivedOn } = about;
  app.send(
    notification({
      source: 'network',
      bytes: message.raw.length,
      route: about.route,
      time: context.clock.now(),
      txn: about.txn,
      dialogId: about.dialogId,
      text: about.text ?? message.raw,
      ...(receivedOn === undefined ? {} : { receivedOn }),
    }),
  );
}
