/** SIP over UDP: one socket for everything, so that responses and requests share the advertised port (RFC 3581). */
import dgram from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Peer, Transport, TransportEvents } from './transport.ts';

/** Kernel buffers, with room for a burst of a few thousand messages while the process is busy. Bytes. */
const SOCKET_BUFFER_BYTES = 4 * 1024 * 1024;
/** The shortest possible SIP datagram; shorter ones are keep-alives (RFC 5626 §3.5). Bytes. */
const MIN_MESSAGE_BYTES = 20;

/** Errors that say that a destination cannot be reached; others, such as EMFILE, are ours. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES', 'EINVAL']);

/** Whether a datagram can be a message. Port 0 can be forged, and no response can be sent to it. */
export function isMessage(bytes: number, fromPort: number): boolean {
  return bytes >= MIN_MESSAGE_BYTES && fromPort !== 0;
}

export async function openUdp(bind: string, port: number, events: TransportEvents): Promise<Transport> {
  const socket = dgram.createSocket({ type: isIPv6(bind) ? 'udp6' : 'udp4' });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address: bind, port }, () => {
      socket.off('error', reject);
      resolve();
    });
  });
  try {
    socket.setRecvBufferSize(SOCKET_BUFFER_BYTES);
    socket.setSendBufferSize(SOCKET_BUFFER_BYTES);
  } catch {
    // The kernel's limit is lower; the default is used.
  }
  socket.on('message', (data, from) => {
    if (!isMessage(data.length, from.port)) return;
    events.message(data.toString('latin1'), { protocol: 'udp', address: from.address, port: from.port });
  });
  // An error on an unconnected socket concerns one datagram, not the socket.
  socket.on('error', (error) => events.dropped({ protocol: 'udp', address: '', port: 0 }, error.message));
  let open = true;
  return {
    protocol: 'udp',
    port: socket.address().port,
    reliable: false,
    send(text: string, peer: Peer, failed: (error: Error) => void): void {
      if (!open) return;
      socket.send(Buffer.from(text, 'latin1'), peer.port, peer.address, (error) => {
        if (error !== null && open) failed(error);
      });
    },
    isOpen: () => false,
    close(): Promise<void> {
      open = false;
      return new Promise((resolve) => socket.close(() => resolve()));
    },
  };
}

/**
 * Checks whether a UDP port is closed. An unconnected socket does not receive ICMP errors, so a connected one sends a
 * keep-alive (four octets, ignored by every SIP server). `refused` is called if the host reports that the port is
 * closed, or if no datagram can be sent there. No reaction within `ms` proves nothing and is not reported.
 */
export function probeUdp(peer: Peer, ms: number, refused: () => void): void {
  const socket = dgram.createSocket({ type: isIPv6(peer.address) ? 'udp6' : 'udp4' });
  let done = false;
  const finish = (unreachable: boolean): void => {
    if (done) return;
    done = true;
    clearTimeout(timer);
    socket.close();
    if (unreachable) refused();
  };
  const timer = setTimeout(() => finish(false), ms);
  timer.unref();
  const fail = (error: NodeJS.ErrnoException): void => finish(UNREACHABLE.has(error.code ?? ''));
  socket.on('error', fail);
  socket.connect(peer.port, peer.address, (error?: Error) => {
    if (done) return;
    // Without a route the socket is not connected, and a send on it would throw.
    if (error) return fail(error);
    const keepAlive = Buffer.from('\r\n\r\n');
    socket.send(keepAlive, (first) => {
      if (first !== null) fail(first);
      // The error is reported by the next call on the socket, or by its error event.
      else if (!done) socket.send(keepAlive, (second) => (second === null ? undefined : fail(second)));
    });
  });
}
