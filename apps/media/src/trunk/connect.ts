/**
 * TCP connection and TLS handshake of a check-up. They are made here and not in realtime, because media is next to the SIP gateway: the same
 * firewalls and routes apply to its connections as to calls.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { CertificateFacts, CheckupFacts } from '@clarion/protocol/carrier-requests';
import type { Hop } from '../sip/trunk-addresses.ts';

/** The most names of a certificate that are reported. */
const MAX_NAMES = 20;

type Connection = NonNullable<CheckupFacts['connection']>;

/** Never throws. */
export async function tryTcp({ address, port }: Hop, timeoutMs: number): Promise<Connection> {
  const startedAt = performance.now();
  const socket = connectTcp({ host: address, port });
  const error = await opened(socket, 'connect', timeoutMs);
  socket.destroy();
  return { address, ms: Math.round(performance.now() - startedAt), error };
}

/**
 * Never throws. Null: the handshake failed before there was a certificate.
 *
 * @param ca trusted instead of the system's authorities
 */
export async function tryTls(
  { host, address, port }: Hop,
  timeoutMs: number,
  ca: string | undefined,
): Promise<{ certificate: CertificateFacts | null; error: string | null }> {
  const socket = connectTls({
    host: address,
    port,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== undefined && { ca }),
    // The certificate is reported whatever is wrong with it. Nothing is sent over this connection.
    rejectUnauthorized: false,
  });
  const error = await opened(socket, 'secureConnect', timeoutMs);
  const certificate = error === null ? certificateOf(socket, host) : null;
  socket.destroy();
  return { certificate, error };
}

function certificateOf(socket: TLSSocket, host: string): CertificateFacts | null {
  const peer = socket.getPeerCertificate();
  if (Object.keys(peer).length === 0) return null;
  const problem = socket.authorizationError as unknown;
  return {
    names: namesOf(peer),
    issuer: [peer.issuer.O ?? peer.issuer.CN].flat()[0] ?? null,
    validTo: Number.isNaN(Date.parse(peer.valid_to)) ? null : new Date(peer.valid_to).toISOString(),
    matchesHost: checkServerIdentity(host, peer) === undefined,
    untrusted: trustProblem(problem),
  };
}

/** The name of the error. Expiry and a wrong name are reported by themselves. */
function trustProblem(problem: unknown): string | null {
  if (problem === null || problem === undefined) return null;
  const code = typeof problem === 'string' ? problem : ((problem as NodeJS.ErrnoException).code ?? 'UNKNOWN');
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'CERT_HAS_EXPIRED' ? null : code;
}

function namesOf({ subject, subjectaltname }: PeerCertificate): string[] {
  const alternatives = (subjectaltname ?? '')
    .split(',')
    .map((name) => /^\s*(?:DNS|IP Address):(.+)$/.exec(name)?.[1]?.trim())
    .filter((name) => name !== undefined);
  const common = [subject.CN].flat().filter((name) => name !== undefined);
  return [...new Set(alternatives.length > 0 ? alternatives : common)].slice(0, MAX_NAMES);
}

/** Null once the event has happened, otherwise the error in words. */
function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  timeoutMs: number,
): Promise<string | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('There was no response in time.'), timeoutMs);
    const done = (result: string | null) => {
      clearTimeout(timer);
      resolve(result);
    };
    socket.once(event, () => done(null));
    socket.on('error', (error: NodeJS.ErrnoException) => done(words(error)));
    socket.once('close', () => done('The connection was closed.'));
  });
}

function words({ code }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'The connection was refused.';
    case 'ECONNRESET':
      return 'The connection was closed.';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'There is no route to the address.';
    case 'ETIMEDOUT':
      return 'There was no response in time.';
    default:
      return `The connection failed${code === undefined ? '' : ` (${code})`}.`;
  }
}
