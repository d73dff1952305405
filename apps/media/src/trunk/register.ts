/** REGISTER (RFC 3261 §10.2): one transaction. The caller keeps the schedule. */
import type { Registration, RegisterReply } from '@clarion/protocol/carrier-requests';
import type { TrunkTarget } from '@clarion/protocol/media';
import { ALLOW, SUPPORTED } from '../sip/capabilities.ts';
import { bracketed, type CarrierAnswer } from '../sip/carrier-request.ts';
import { escapeUser } from '../sip/headers.ts';
import type { SipRequest, SipResponse } from '../sip/srf.ts';
import type { TrunkRequest } from './trunk-request.ts';

/** Seconds; longer times in headers are read as this. */
const MAX_SECONDS = 86_400;
/** User part for a trunk without a username: the registrar then asks for one. */
const NO_ACCOUNT = 'anonymous';

/** @param expiresSeconds 0 removes the binding of our contact */
export function registerRequest(
  target: TrunkTarget,
  { contactUser, sipCallId, cseq }: Registration,
  expiresSeconds: number,
): TrunkRequest {
  // `localhost` is replaced by the address of the SIP server.
  const contact = `<sip:${escapeUser(contactUser)}@localhost${transportOf(target)}>`;
  const { uri, headers } = bindingsRequest(target);
  return {
    method: 'REGISTER',
    uri,
    headers: {
      ...headers,
      'Call-ID': sipCallId,
      CSeq: `${cseq} REGISTER`,
      Contact: `${contact};expires=${expiresSeconds}`,
      Expires: String(expiresSeconds),
    },
  };
}

/** A REGISTER without a contact asks for the bindings and changes none (RFC 3261 §10.2.3). */
export function bindingsRequest(target: TrunkTarget): TrunkRequest {
  const { identity, username, host } = target;
  const domain = bracketed(identity.fromDomain ?? host);
  const address = `<sip:${escapeUser(username ?? identity.fromUser ?? NO_ACCOUNT)}@${domain}>`;
  return {
    method: 'REGISTER',
    uri: `sip:${domain}${transportOf(target)}`,
    headers: { From: address, To: address, Allow: ALLOW, Supported: SUPPORTED },
  };
}

const transportOf = ({ transport }: TrunkTarget): string =>
  transport === 'UDP' ? '' : `;transport=${transport.toLowerCase()}`;

export function registerReplyOf({ reply, request, response }: CarrierAnswer): RegisterReply {
  const granted = response !== null && response.status >= 200 && response.status < 300;
  return {
    ...reply,
    expiresSeconds: granted && request ? grantedSeconds(request, response) : null,
    minExpiresSeconds: response ? seconds(response.get('Min-Expires')) : null,
    retryAfterSeconds: response ? seconds(response.get('Retry-After')) : null,
  };
}

/**
 * The registrar lists all bindings of the account; ours has the URI of our contact, or at least its user part, because some registrars
 * rewrite the address (RFC 3261 §10.2.4). Without one the response states the time for all, or grants what was asked for.
 */
function grantedSeconds(request: SipRequest, response: SipResponse): number | null {
  const asked = seconds(request.get('Expires'));
  const bindings = splitContacts(response.get('Contact'));
  const [mine] = splitContacts(request.get('Contact'));
  const ours =
    bindings.find(({ uri }) => uri === mine?.uri) ??
    bindings.findLast(({ user }) => user !== '' && user === mine?.user);
  const stated = ours?.expires ?? seconds(response.get('Expires'));
  if (stated !== null) return stated;
  // A registrar that lists other bindings only has not stored ours.
  return bindings.length > 0 && !ours ? null : asked;
}

interface Binding {
  uri: string;
  user: string;
  expires: number | null;
}

/** The addresses of a Contact header. Commas inside angle brackets and quotes do not separate. */
export function splitContacts(header: string | undefined): Binding[] {
  const values = (header ?? '').match(/(?:"(?:[^"\\]|\\.)*"|<[^>]*>|[^,"<])+/g) ?? [];
  return values.flatMap((value) => {
    const uri = /<([^>]*)>/.exec(value)?.[1] ?? value.trim().split(';')[0] ?? '';
    if (uri === '') return [];
    const user = /^sips?:([^@]*)@/i.exec(uri)?.[1] ?? '';
    const parameters = value.slice(value.lastIndexOf('>') + 1);
    return [{ uri, user, expires: seconds(/;\s*expires\s*=\s*"?(\d+)/i.exec(parameters)?.[1]) }];
  });
}

/** A number of seconds, without what may follow it (`Retry-After: 60 (busy);duration=60`). */
function seconds(header: string | undefined): number | null {
  const digits = /^\s*(\d{1,10})\b/.exec(header ?? '')?.[1];
  return digits === undefined ? null : Math.min(Number(digits), MAX_SECONDS);
}
