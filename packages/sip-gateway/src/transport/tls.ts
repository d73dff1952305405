/** SIP over TLS (RFC 3261 §26.3): the same stream, with a certificate. */
import tls from 'node:tls';
import { isIP } from 'node:net';
import type { StreamKind } from './stream.ts';

/** PEM texts. `ca` replaces the system's authorities when given (a carrier's private one, or a test's). */
export interface TlsMaterial {
  readonly key: string;
  readonly cert: string;
  readonly ca?: string;
}

export function tlsKind(material: TlsMaterial): StreamKind {
  const trusted = material.ca === undefined ? {} : { ca: material.ca };
  return {
    protocol: 'tls',
    listen: (accept) => {
      const server = tls.createServer({ key: material.key, cert: material.cert }, accept);
      // A failed handshake concerns one client.
      server.on('tlsClientError', () => undefined);
      return server;
    },
    connect: (peer, ready) => {
      const name = peer.host ?? peer.address;
      return tls.connect(
        {
          host: peer.address,
          port: peer.port,
          ...(isIP(name) === 0 ? { servername: name } : {}),
          ...trusted,
        },
        ready,
      );
    },
  };
}
