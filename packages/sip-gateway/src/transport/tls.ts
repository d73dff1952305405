/** SIP over TLS (RFC 3261 §26.3): a stream with a certificate. */
import tls from 'node:tls';
import { isIP } from 'node:net';
import type { StreamKind } from './stream.ts';

/** In PEM format. `ca` replaces the system's CAs (for a carrier's private CA, or a test's). */
export interface TlsMaterial {
  readonly key: string;
  readonly cert: string;
  readonly ca?: string;
}

export function tlsKind(material: TlsMaterial): StreamKind {
  const trusted = material.ca === undefined ? {} : { ca: material.ca };
  return {
    protocol: 'tls',
    createServer: () => {
      const server = tls.createServer({ key: material.key, cert: material.cert });
      // A failed handshake affects only one client.
      server.on('tlsClientError', () => undefined);
      return server;
    },
    ready: 'secureConnection',
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
