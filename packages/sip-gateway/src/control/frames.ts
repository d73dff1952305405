/** The layouts of the frames sent to the app (the drachtio control protocol). Times are ms since the epoch. */
import { formatFrameTime } from '../clock.ts';
import { randomUUID } from '../ids.ts';

/** How a message was transported. `protocol` is '' where the control protocol leaves it empty, or `unknown`. */
export interface Route {
  readonly protocol: string;
  readonly address: string;
  readonly port: number;
}

/** The content of a `sip` notification. */
export interface Notification {
  readonly source: 'network' | 'application';
  /** Octets as received; 0 for a response that this server generated. */
  readonly bytes: number;
  readonly route: Route;
  readonly time: number;
  readonly txn: string;
  readonly dialogId: string;
  /** Our own address, in the first notification of a request outside a dialog. */
  readonly receivedOn?: { readonly host: string; readonly port: number };
  readonly text: string;
}

/** Txn of a notification about a request that this server itself sent. */
export const UNSOLICITED = 'unsolicited';

export function notification(n: Notification): string {
  const local = n.receivedOn === undefined ? '' : `${n.receivedOn.host}|${n.receivedOn.port}|`;
  const { protocol, address, port } = n.route;
  return (
    `${randomUUID()}|sip|${n.source}|${n.bytes}|${protocol}|${address}|${port}|${formatFrameTime(n.time)}` +
    `|${n.txn}|${n.dialogId}|${local}\r\n${n.text}`
  );
}

/** Reply without a SIP message: `OK`, `OK|pong`, `NOK|reason`, `NO|reason`. */
export function plainReply(commandId: string, ...fields: string[]): string {
  return `${randomUUID()}|response|${commandId}|${fields.join('|')}`;
}

/** A message that this server has sent or will send. */
export interface Sent {
  readonly bytes: number;
  readonly route: Route;
  readonly time: number;
  readonly txn: string;
  readonly text: string;
}

/** Reply to a request of the app. */
export function requestReply(commandId: string, sent: Sent): string {
  return `${sentHead(commandId, sent)}|Msg sent:|\r\n${sent.text}`;
}

/** Reply to a response of the app. */
export function responseReply(commandId: string, sent: Sent, dialogId: string): string {
  return `${sentHead(commandId, sent)}|${dialogId}||Msg sent:|\r\n${sent.text}`;
}

function sentHead(commandId: string, { bytes, route, time, txn }: Sent): string {
  return (
    `${randomUUID()}|response|${commandId}|OK|application|${bytes}|${route.protocol}|${route.address}` +
    `|${route.port}|${formatFrameTime(time)}|${txn}`
  );
}
