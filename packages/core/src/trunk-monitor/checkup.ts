/** The lines of a check-up, from what media found out about the carrier and what is stored of the trunk. Pure. */
import { failures, type FailureCode, type TrunkCheck, type TrunkRegistration } from '@clarion/protocol';
import type { CarrierReply, CheckupFacts } from '@clarion/protocol/carrier-requests';
import ipaddr from 'ipaddr.js';
import { isUp } from './ping.ts';

/** A certificate that expires sooner is reported. */
export const CERTIFICATE_WARNING_DAYS = 21;
const DAY_MS = 86_400_000;

/** What the check-up compares with. */
export interface CheckedTrunk {
  host: string;
  transport: 'UDP' | 'TCP' | 'TLS';
  status: string;
  inboundSourceCidrs: readonly string[];
  /** In the trunk's order; G.711 if it names none. */
  codecs: readonly string[];
  register: boolean;
  username: string | null;
  registration: TrunkRegistration | null;
}

type Finding = Omit<TrunkCheck, 'check'>;
type Details = TrunkCheck['details'];

const ok = (text: string, details: Details = {}): Finding => ({ result: 'OK', text, code: null, details });
const skipped = (text: string, details: Details = {}): Finding => ({
  result: 'SKIPPED',
  text,
  code: null,
  details,
});
const problem =
  (result: 'WARNING' | 'FAILED') =>
  (code: FailureCode, details: Details = {}, more = ''): Finding => ({
    result,
    text: more === '' ? failures[code].text : `${failures[code].text} ${more}`,
    code,
    details,
  });
const warning = problem('WARNING');
const failed = problem('FAILED');

const NO_ADDRESS = 'The host has no address that may be contacted.';

/** Every line, in the order of `trunkChecks`. */
export function checkupLines(trunk: CheckedTrunk, facts: CheckupFacts): TrunkCheck[] {
  return [
    { check: 'DNS', ...dns(trunk, facts) },
    { check: 'CONNECTION', ...connection(trunk, facts) },
    { check: 'CERTIFICATE', ...certificate(trunk, facts) },
    { check: 'OPTIONS', ...options(facts) },
    { check: 'CREDENTIALS', ...credentials(trunk, facts) },
    { check: 'REGISTRATION', ...registration(trunk) },
    { check: 'OUR_ADDRESS', ...ourAddress(trunk, facts) },
    { check: 'CODECS', ...codecs(trunk, facts) },
    { check: 'SOURCES', ...sources(trunk, facts) },
  ];
}

function dns({ host }: CheckedTrunk, { names }: CheckupFacts): Finding {
  const addresses = names.flatMap((name) => name.addresses);
  const srv = names.flatMap((name) => name.srv ?? []);
  const details = { addresses, ...(srv.length > 0 && { srv }) };
  const refused = names.flatMap((name) => name.refused);
  if (refused.length > 0) return failed('host_private', { ...details, refused });
  const missing = names.filter((name) => name.addresses.length === 0);
  const [first] = missing;
  if (first) {
    const found = { ...details, host: first.host };
    return missing.includes(names[0] ?? first)
      ? failed('host_not_found', found, first.error ?? '')
      : warning('host_not_found', found, first.error ?? '');
  }
  const list = addresses.join(', ');
  return addresses.length === 1 && addresses[0] === host
    ? ok(`The host is the address ${list}.`, details)
    : ok(`The host name has the ${plural('address', addresses)} ${list}.`, details);
}

const plural = (word: string, list: readonly unknown[]): string => (list.length === 1 ? word : `${word}es`);

function connection({ transport }: CheckedTrunk, facts: CheckupFacts): Finding {
  if (transport === 'UDP') return skipped('UDP has no connections.');
  if (!facts.connection) return skipped(NO_ADDRESS);
  const { address, ms, error } = facts.connection;
  return error === null
    ? ok(`The connection to ${address} was set up in ${ms} ms.`, { address, ms })
    : failed('tcp_failed', { address, ms }, error);
}

function certificate({ transport }: CheckedTrunk, { certificate: found, at }: CheckupFacts): Finding {
  if (transport !== 'TLS') return skipped('Only TLS has certificates.');
  if (!found) return skipped('There was no TLS connection.');
  const { names, issuer, validTo, matchesHost, untrusted } = found;
  const details = { names, issuer, validTo, untrusted };
  const leftMs = validTo === null ? Infinity : Date.parse(validTo) - Date.parse(at);
  if (leftMs <= 0) return failed('certificate_expired', details);
  if (untrusted !== null) return failed('certificate_untrusted', details, `OpenSSL reports ${untrusted}.`);
  if (!matchesHost) return failed('certificate_name', details, `Its names are ${names.join(', ')}.`);
  const days = Math.floor(leftMs / DAY_MS);
  if (days < CERTIFICATE_WARNING_DAYS)
    return warning('certificate_expires', details, `It is valid for ${days} more days.`);
  return ok(
    `The certificate is trusted and valid for the host, until ${validTo?.slice(0, 10) ?? '-'}.`,
    details,
  );
}

function options({ options: reply }: CheckupFacts): Finding {
  if (!reply) return skipped(NO_ADDRESS);
  const { target, status, reason, rttMs, code, error, allow } = reply;
  const details = { target, status, rttMs, allow };
  if (status === null) return failed(code ?? 'options_no_response', details, moreThan(code, error));
  const words = reason === null ? String(status) : `${status} ${reason}`;
  if (!isUp(reply)) return failed('options_error', details, `Its response was ${words}.`);
  return ok(`The carrier responded to OPTIONS with ${words} in ${rttMs ?? 0} ms.`, details);
}

/** The words of an error if they are not those of its code. */
const moreThan = (code: FailureCode | null, error: string | null): string =>
  error !== null && code !== null && error !== failures[code].text ? error : '';

/** Of OPTIONS and of the REGISTER that changes nothing. */
function credentials({ username }: CheckedTrunk, { options: reply, registrar }: CheckupFacts): Finding {
  const replies = [reply, registrar].filter((one) => one !== null && one.status !== null) as CarrierReply[];
  if (replies.length === 0) return skipped('There was no response.');
  const asked = (digest: CarrierReply['digest']) => replies.some((one) => one.digest === digest);
  if (asked('missing')) return failed('digest_required');
  if (asked('rejected')) return failed('digest_rejected');
  if (asked('unsupported'))
    return failed('digest_rejected', {}, 'It asks for an algorithm that the service does not support.');
  if (registrar?.status === 403) return failed('registration_rejected');
  if (registrar?.status === 404) return failed('registration_not_found');
  if (asked('accepted')) return ok('The carrier accepted the username and password.');
  return username === null
    ? ok('The carrier did not ask for a username and password.')
    : skipped('The carrier did not ask for the username and password. It may do so for calls.');
}

function registration({ register, status, registration: stored }: CheckedTrunk): Finding {
  if (!register) return skipped('The trunk does not register with the carrier.');
  if (status !== 'ACTIVE') return skipped('The trunk registers once it is active.');
  if (stored?.state === 'REGISTERED')
    return ok('The trunk is registered.', { target: stored.target, expiresAt: stored.expiresAt });
  if (stored?.state !== 'FAILED')
    return { result: 'WARNING', text: 'The trunk is about to register.', code: null, details: {} };
  const code = codeOf(stored.code) ?? 'registration_error';
  return failed(code, { status: stored.status, at: stored.at });
}

const codeOf = (code: string | null): FailureCode | null =>
  code !== null && code in failures ? (code as FailureCode) : null;

function ourAddress({ transport }: CheckedTrunk, { options: reply }: CheckupFacts): Finding {
  if (!reply?.via) return skipped('There was no response.');
  const { announced, received, rport } = reply.via;
  const details = { announced, received, rport };
  if (received !== null && received !== announced)
    return warning('address_translated', details, `It sees ${received} instead of ${announced}.`);
  // Over UDP the response states our port only if the carrier supports RFC 3581, and otherwise not even another address.
  if (transport === 'UDP' && received === null && rport === null)
    return skipped('The carrier does not report the address that it sees.', details);
  return ok(`The carrier sees our address ${announced}.`, details);
}

function codecs({ codecs: ours }: CheckedTrunk, { options: reply }: CheckupFacts): Finding {
  if (!reply?.codecs || reply.codecs.length === 0)
    return skipped('The carrier does not list its codecs in its response to OPTIONS.');
  const carrier = reply.codecs;
  const common = ours.filter((codec) => carrier.includes(codec));
  const details = { carrier, trunk: [...ours], common };
  return common.length === 0
    ? warning('no_shared_codec', details)
    : ok(`The carrier and the trunk share ${common.join(', ')}.`, details);
}

function sources(trunk: CheckedTrunk, { names }: CheckupFacts): Finding {
  const { inboundSourceCidrs, register } = trunk;
  if (inboundSourceCidrs.length === 0) {
    return register
      ? ok('The trunk receives calls from the address at which it is registered.')
      : failed('no_sources');
  }
  const called = names.flatMap((name) => name.addresses);
  const unlisted = called.filter((address) => !inboundSourceCidrs.some((cidr) => contains(cidr, address)));
  if (unlisted.length > 0)
    return warning('source_not_listed', { unlisted }, `It calls ${unlisted.join(', ')}.`);
  return called.length === 0
    ? skipped(NO_ADDRESS)
    : ok('The addresses that the trunk calls are among its source addresses.');
}

function contains(cidr: string, text: string): boolean {
  try {
    const address = ipaddr.process(text);
    const network = ipaddr.parse(cidr.split('/')[0] ?? '');
    const bits = cidr.includes('/') ? Number(cidr.split('/')[1]) : network.kind() === 'ipv4' ? 32 : 128;
    return network.kind() === address.kind() && address.match(network, bits);
  } catch {
    return false;
  }
}
