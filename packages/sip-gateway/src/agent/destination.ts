/** Where our requests are sent. */
import type { Dialog } from '../dialog/dialog.ts';
import type { SipUri } from '../message/uri.ts';
import { parseUri } from '../message/uri.ts';
import { isInternal } from '../transport/addresses.ts';
import { locateNow, protocolOf } from '../transport/locate.ts';
import type { Peer, Protocol } from '../transport/transport.ts';
import type { Context } from './context.ts';

/** A known peer, or one that DNS still has to resolve. */
export interface Destination {
  readonly protocol: Protocol;
  readonly peer: Peer | null;
  readonly uri: SipUri;
  /** Used instead of addresses in our own network; absent if these are allowed. */
  readonly source?: Peer;
}

export function destinationFor(
  context: Pick<Context, 'portOf'>,
  uri: SipUri,
  fallback: Protocol,
): Destination | null {
  const protocol = protocolOf(uri, fallback);
  if (protocol === null || context.portOf(protocol) === null) return null;
  return { protocol, peer: locateNow(uri, protocol), uri };
}

/**
 * Where the next request of a dialog is sent. A remote party with a public address that names an internal one in its
 * Contact or Record-Route is behind NAT, or wants us to send requests into our own network: the request is then sent to
 * the source of its last message.
 */
export function destinationInDialog(
  context: Pick<Context, 'addresses' | 'isOpen' | 'portOf'>,
  dialog: Pick<Dialog, 'path' | 'peer' | 'protocol'>,
): Destination {
  const { nextHop } = dialog.path();
  const uri = parseUri(nextHop);
  const from = dialog.peer;
  const here: SipUri = {
    scheme: 'sip',
    user: '',
    host: from.address,
    port: from.port,
    params: '',
    headers: '',
  };
  const back: Destination = { protocol: from.protocol, peer: from, uri: here };
  if (uri === null || uri.scheme === 'tel') return back;
  const destination = destinationFor(context, uri, dialog.protocol);
  if (destination === null) return back;
  const isPublic = from.address !== '' && !isOurs(context, from.address);
  if (destination.peer === null) return isPublic ? { ...destination, source: from } : destination;
  if (isPublic && isOurs(context, destination.peer.address)) return back;
  // Reuses a stream that the remote party opened while it is open; the Contact may not be reachable.
  const reuse =
    from.protocol === destination.protocol &&
    from.address === destination.peer.address &&
    context.isOpen(from);
  if (reuse) return { ...destination, peer: from };
  // A Contact with an address is verified against the name that was dialled, as before the connection was closed.
  const isSame = from.host !== undefined && from.address === destination.peer.address;
  return isSame ? { ...destination, peer: { ...destination.peer, host: from.host } } : destination;
}

/** Resolves a destination, best first. Rejects if its name has no address. */
export async function resolveDestination(
  context: Pick<Context, 'addresses' | 'locator'>,
  { uri, protocol, source }: Destination,
): Promise<Peer[]> {
  const peers = await context.locator.locate(uri, protocol);
  if (source === undefined) return peers;
  const outside = peers.filter(({ address }) => !isOurs(context, address));
  return outside.length > 0 ? outside : [source];
}

/** Whether an address is in our network, or one of this machine's. */
function isOurs({ addresses }: Pick<Context, 'addresses'>, address: string): boolean {
  return isInternal(address) || addresses.isOwn(address);
}
