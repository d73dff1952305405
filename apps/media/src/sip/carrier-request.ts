/** Requests to a carrier outside a call: OPTIONS and REGISTER, with digest authentication and a deadline. */
import { isIPv6 } from 'node:net';
import { failures, type FailureCode } from '@clarion/protocol';
import {
  CARRIER_RESPONSE_TIMEOUT_MS,
  type CarrierReply,
  type NameFacts,
} from '@clarion/protocol/carrier-requests';
import type { TrunkTarget } from '@clarion/protocol/media';
import { DigestSession, isChallenge } from './digest.ts';
import { cseqOf } from './dialog.ts';
import type { SipRequest, SipResponse, SrfClient } from './srf.ts';
import type { Hop } from './trunk-addresses.ts';

export interface CarrierRequest {
  target: TrunkTarget;
  hop: Hop;
  method: 'OPTIONS' | 'REGISTER';
  uri: string;
  headers: Record<string, string>;
  /** By performance.now(). */
  deadlineMs: number;
}

export interface CarrierAnswer {
  reply: CarrierReply;
  /** The request as it was sent, and its final response; null: there was none. */
  request: SipRequest | null;
  response: SipResponse | null;
}

/** `sip:host:port;transport=udp` */
export const targetUri = (host: string, port: number, transport: TrunkTarget['transport']): string =>
  `sip:${bracketed(host)}:${port};transport=${transport.toLowerCase()}`;

export const bracketed = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** Why a trunk without an address that may be contacted cannot be reached. */
export function notLocated(target: TrunkTarget, { refused, error }: NameFacts): CarrierReply {
  const code = refused.length > 0 ? 'host_private' : 'host_not_found';
  return unanswered(
    { target: targetUri(target.host, target.port, target.transport), address: null },
    code,
    code === 'host_not_found' && error !== null ? error : failures[code].text,
  );
}

/** Never throws. A challenge is answered with the trunk's credentials. */
export async function requestCarrier(srf: SrfClient, request: CarrierRequest): Promise<CarrierAnswer> {
  const { target, hop, method, deadlineMs } = request;
  const sentTo = { target: targetUri(hop.host, hop.port, target.transport), address: hop.address };
  const attempt =
    target.username === null
      ? null
      : new DigestSession({ username: target.username, password: target.password ?? '' }).attempt();
  let { headers } = request;
  let digest: CarrierReply['digest'] = 'none';
  for (;;) {
    const startedAt = performance.now();
    const exchanged = await exchange(srf, { ...request, headers }, deadlineMs).catch(() => null);
    const response = exchanged?.response ?? null;
    if (!exchanged || !response) {
      const code = method === 'OPTIONS' ? 'options_no_response' : 'registration_no_response';
      return { reply: unanswered(sentTo, code), request: exchanged?.request ?? null, response: null };
    }
    // The SIP server itself generates a response if the connection fails.
    if (!response.source_address) {
      const code = target.transport === 'UDP' ? 'carrier_unreachable' : 'tcp_failed';
      return { reply: unanswered(sentTo, code), request: exchanged.request, response: null };
    }
    const rttMs = Math.round(performance.now() - startedAt);
    if (isChallenge(response) && (digest === 'none' || digest === 'accepted')) {
      const hashed = { method, uri: exchanged.request.uri };
      const authorization = attempt?.answer(response, hashed) ?? null;
      if (authorization) {
        digest = 'accepted';
        headers = { ...request.headers, ...sameRequest(exchanged.request), ...authorization };
        continue;
      }
      digest = attempt === null ? 'missing' : digest === 'accepted' ? 'rejected' : 'unsupported';
    } else if (digest === 'accepted' && response.status === 403) digest = 'rejected';
    const { status, reason } = response;
    const reply: CarrierReply = {
      ...sentTo,
      status,
      reason: reason === '' ? null : reason,
      rttMs,
      error: null,
      code: null,
      digest,
      via: parseVia(response.get('Via')),
    };
    return { reply, request: exchanged.request, response };
  }
}

function unanswered(
  sentTo: Pick<CarrierReply, 'target' | 'address'>,
  code: FailureCode,
  error: string = failures[code].text,
): CarrierReply {
  return { ...sentTo, status: null, reason: null, rttMs: null, error, code, digest: 'none', via: null };
}

/** A request that is repeated with credentials has the next CSeq number and the same Call-ID and From (RFC 3261 §22.2). */
const sameRequest = (sent: SipRequest): Record<string, string> => ({
  'Call-ID': sent.get('Call-ID') ?? '',
  From: sent.get('From') ?? '',
  CSeq: `${cseqOf(sent) + 1} ${sent.method}`,
});

/** `response` is null if there is none in time. Rejects if the SIP server does not send the request. */
function exchange(
  srf: SrfClient,
  { method, uri, headers, target, hop }: CarrierRequest,
  deadlineMs: number,
): Promise<{ request: SipRequest; response: SipResponse | null }> {
  return new Promise((resolve, reject) => {
    const waitMs = Math.max(0, Math.min(CARRIER_RESPONSE_TIMEOUT_MS, deadlineMs - performance.now()));
    let request: SipRequest | null = null;
    const timer = setTimeout(() => {
      if (request) resolve({ request, response: null });
      else reject(new Error('the SIP server did not send the request'));
    }, waitMs);
    srf.request({ uri, method, headers, proxy: nextHop(target, hop) }, (error, sent) => {
      if (!sent) {
        clearTimeout(timer);
        reject(error ?? new Error('the SIP server did not send the request'));
        return;
      }
      request = sent;
      sent.on('response', (response) => {
        if (response.status < 200) return;
        clearTimeout(timer);
        resolve({ request: sent, response });
      });
    });
  });
}

/** The checked address. Over TLS with the name that the certificate must have. */
function nextHop({ transport }: TrunkTarget, { host, address, port }: Hop): string {
  if (transport !== 'TLS' || host === address) return targetUri(address, port, transport);
  return `sip:${host}:${port};maddr=${bracketed(address)};transport=tls`;
}

/** The top Via: the first value, whose parameters contain no comma. */
export function parseVia(header: string | undefined): CarrierReply['via'] {
  const [top = ''] = (header ?? '').split(',');
  const announced = /^\s*SIP\s*\/\s*2\.0\s*\/\s*\w+\s+(\[[^\]]+\]|[^\s:;]+)/i.exec(top)?.[1];
  if (announced === undefined) return null;
  const parameter = (name: string) =>
    new RegExp(`;\\s*${name}\\s*=\\s*(\\[[^\\]]+\\]|[^;\\s]+)`, 'i').exec(top)?.[1] ?? null;
  const rport = Number(parameter('rport') ?? Number.NaN);
  return {
    announced: plain(announced),
    received: plainOrNull(parameter('received')),
    rport: Number.isInteger(rport) && rport > 0 ? rport : null,
  };
}

const plain = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
const plainOrNull = (host: string | null): string | null => (host === null ? null : plain(host));
