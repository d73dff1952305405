/** SIP over TCP. */
import net from 'node:net';
import type { StreamKind } from './stream.ts';

export const tcpKind: StreamKind = {
  protocol: 'tcp',
  createServer: () => net.createServer(),
  ready: 'connection',
  connect: (peer, ready) => net.connect({ host: peer.address, port: peer.port }, ready),
};
