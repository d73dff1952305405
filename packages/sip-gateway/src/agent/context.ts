/** What every part of the agent works with. */
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
  /** Timer C: how long an INVITE of ours may ring (RFC 3261 §16.6 step 11). Ms. */
  readonly ringTimeoutMs: number;
  /** How long an app may leave an inbound INVITE without any answer. Ms. */
  readonly appResponseTimeoutMs: number;
  /** How long calls wait for an app that lost its control connection. Ms. */
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
  /** The app whose turn it is for a method. */
  nextApp(method: string): App | undefined;
  /** Sends outside any transaction (ACK of a 2xx, its repetitions, 2xx repetitions). */
  send(text: string, peer: Peer): void;
  /** Asks whether anything listens at a UDP peer; calls back only when certainly not. */
  probe(peer: Peer, refused: () => void): void;
  /** True when the stream connection a message came on still stands. */
  isOpen(peer: Peer): boolean;
  /** Our port for a protocol; null when it is not offered. */
  portOf(protocol: Protocol): number | null;
}

export function routeOf(peer: Peer): Route {
  return { protocol: peer.protocol, address: peer.address, port: peer.port };
}

/** An INVITE carries its protocol in replies and notifications about answers; the others and ACK leave it empty. */
export function responseRoute(method: string, peer: Peer): Route {
  return { protocol: method === 'INVITE' ? peer.protocol : '', address: peer.address, port: peer.port };
}

/** `host:port` of ours as the peer should write it, and the URI parameters that go with the protocol. */
export function ownHostPort(context: Context, protocol: Protocol, peerAddress: string): string {
  const host = context.addresses.ownAddressFor(peerAddress);
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${shown}:${context.portOf(protocol) ?? 0}`;
}

export function ownContact(context: Context, protocol: Protocol, peerAddress: string): string {
  const hostPort = ownHostPort(context, protocol, peerAddress);
  return protocol === 'udp' ? `<sip:${hostPort}>` : `<sip:${hostPort};transport=${protocol}>`;
}

/** Answers a request without asking the app. */
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

/** The message as shown to the app: as received, with the top Via stamped. */
export function stampedText(transaction: ServerTransaction<Inbound>): string {
  const { raw, viaStart, viaEnd } = transaction.request;
  return raw.slice(0, viaStart) + transaction.stampedVia + raw.slice(viaEnd);
}

/** Tells an app about a message from the network. */
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
