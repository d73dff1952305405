/** UDP sockets for audio: bound to one numeric address, without DNS, with errors of single packets ignored. */
import { createSocket, type Socket, type SocketOptions } from 'node:dgram';
import { isIP } from 'node:net';
import type { Source } from './source-lock.ts';

export interface UdpSocketOptions {
  address: string;
  /** 0: the system chooses. */
  port: number;
  /** Whether other sockets may be bound to the same port. */
  reuseAddr: boolean;
  onDatagram: (datagram: Buffer, from: Source) => void;
}

/** All our addresses are numeric, and Node's DNS lookup would cost more than the packet itself. */
const numeric: SocketOptions['lookup'] = (address, _options, found) =>
  found(null, address, isIP(address) === 6 ? 6 : 4);

export function openUdpSocket(options: UdpSocketOptions): Promise<Socket> {
  const { address, port, reuseAddr, onDatagram } = options;
  const socket = createSocket({ type: `udp${isIP(address) === 6 ? 6 : 4}`, reuseAddr, lookup: numeric });
  socket.on('message', onDatagram);
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => socket.close(() => reject(error));
    socket.once('error', failed);
    socket.bind({ port, address, exclusive: !reuseAddr }, () => {
      socket.off('error', failed);
      // ICMP errors of a connected socket (the remote port is closed) arrive here and are ignored.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

export function closeUdpSocket(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.removeAllListeners('message');
    socket.close(() => resolve());
  });
}
