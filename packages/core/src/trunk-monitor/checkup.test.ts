import { failures, trunkChecks, type TrunkCheckName } from '@clarion/protocol';
import type { CheckupFacts, OptionsReply, RegisterReply } from '@clarion/protocol/carrier-requests';
import { describe, expect, test } from 'vitest';
import { checkupLines, type CheckedTrunk } from './checkup.ts';

const AT = '2026-01-05T09:00:00.000Z';
const options: OptionsReply = {
  target: 'sip:sip.carrier.example:5060;transport=udp',
  address: '198.41.0.4',
  status: 200,
  reason: 'OK',
  rttMs: 18,
  error: null,
  code: null,
  digest: 'none',
  via: { announced: '203.0.113.5', received: null, rport: 5060 },
  allow: ['INVITE'],
  codecs: ['PCMA', 'G729'],
};
const registrar: RegisterReply = {
  ...options,
  expiresSeconds: null,
  minExpiresSeconds: null,
  retryAfterSeconds: null,
};
const certificate = {
  names: ['sip.carrier.example'],
  issuer: 'A Public CA',
  validTo: '2026-06-01T00:00:00.000Z',
  matchesHost: true,
  untrusted: null,
};
const facts: CheckupFacts = {
  at: AT,
  names: [{ host: 'sip.carrier.example', addresses: ['198.41.0.4'], refused: [], srv: null, error: null }],
  connection: null,
  certificate: null,
  options,
  registrar: null,
};
const trunk: CheckedTrunk = {
  host: 'sip.carrier.example',
  transport: 'UDP',
  status: 'ACTIVE',
  inboundSourceCidrs: ['198.41.0.0/28'],
  codecs: ['PCMA', 'PCMU'],
  register: false,
  username: null,
  registration: null,
};
const registered = {
  state: 'REGISTERED',
  status: 200,
  error: null,
  code: null,
  at: AT,
  expiresAt: AT,
  target: 'x',
} as const;

function line(check: TrunkCheckName, of: Partial<CheckedTrunk>, found: Partial<CheckupFacts> = {}) {
  const { result, text, code } = checkupLines({ ...trunk, ...of }, { ...facts, ...found }).find(
    (one) => one.check === check,
  ) ?? { result: null, text: '', code: null };
  return { result, code, text };
}
const withOptions = (change: Partial<OptionsReply>) => ({ options: { ...options, ...change } });

test('a healthy trunk has every line, and none of them is a problem', () => {
  const lines = checkupLines(trunk, facts);
  expect(lines.map(({ check }) => check)).toEqual([...trunkChecks]);
  expect(lines.map(({ result }) => result)).toEqual([
    'OK',
    'SKIPPED',
    'SKIPPED',
    'OK',
    'OK',
    'SKIPPED',
    'OK',
    'OK',
    'OK',
  ]);
  expect(lines.every(({ code }) => code === null)).toBe(true);
});

const name = { host: 'sip.carrier.example', addresses: ['198.41.0.4'], refused: [], srv: null, error: null };
const tls = { transport: 'TLS' as const };
const up = { connection: { address: '198.41.0.4', ms: 3, error: null } };

describe.each<[TrunkCheckName, string, string | null, Partial<CheckedTrunk>, Partial<CheckupFacts>]>([
  ['DNS', 'FAILED', 'host_private', {}, { names: [{ ...name, refused: ['10.0.0.1'] }] }],
  ['DNS', 'FAILED', 'host_not_found', {}, { names: [{ ...name, addresses: [], error: 'No such host.' }] }],
  ['DNS', 'WARNING', 'host_not_found', {}, { names: [name, { ...name, addresses: [] }] }],
  [
    'CONNECTION',
    'FAILED',
    'tcp_failed',
    { transport: 'TCP' },
    { connection: { address: 'x', ms: 1, error: 'Refused.' } },
  ],
  ['CONNECTION', 'OK', null, { transport: 'TCP' }, up],
  ['CONNECTION', 'SKIPPED', null, { transport: 'TCP' }, {}],
  ['CERTIFICATE', 'OK', null, tls, { ...up, certificate }],
  ['CERTIFICATE', 'SKIPPED', null, tls, up],
  ['CERTIFICATE', 'FAILED', 'certificate_expired', tls, { certificate: { ...certificate, validTo: AT } }],
  [
    'CERTIFICATE',
    'FAILED',
    'certificate_untrusted',
    tls,
    { certificate: { ...certificate, untrusted: 'X' } },
  ],
  ['CERTIFICATE', 'FAILED', 'certificate_name', tls, { certificate: { ...certificate, matchesHost: false } }],
  [
    'CERTIFICATE',
    'WARNING',
    'certificate_expires',
    tls,
    { certificate: { ...certificate, validTo: '2026-01-26T08:59:59.000Z' } },
  ],
  ['CERTIFICATE', 'OK', null, tls, { certificate: { ...certificate, validTo: '2026-01-26T09:00:01.000Z' } }],
  [
    'OPTIONS',
    'FAILED',
    'options_no_response',
    {},
    withOptions({ status: null, code: 'options_no_response', error: 'It was late.' }),
  ],
  [
    'OPTIONS',
    'FAILED',
    'carrier_unreachable',
    {},
    withOptions({ status: null, code: 'carrier_unreachable' }),
  ],
  ['OPTIONS', 'FAILED', 'options_error', {}, withOptions({ status: 503 })],
  ['OPTIONS', 'OK', null, {}, withOptions({ status: 404 })],
  ['OPTIONS', 'SKIPPED', null, {}, { options: null }],
  ['CREDENTIALS', 'FAILED', 'digest_required', {}, withOptions({ status: 401, digest: 'missing' })],
  ['CREDENTIALS', 'FAILED', 'digest_rejected', {}, withOptions({ status: 401, digest: 'rejected' })],
  ['CREDENTIALS', 'FAILED', 'digest_rejected', {}, withOptions({ status: 401, digest: 'unsupported' })],
  [
    'CREDENTIALS',
    'FAILED',
    'digest_rejected',
    {},
    { registrar: { ...registrar, status: 401, digest: 'rejected' } },
  ],
  ['CREDENTIALS', 'FAILED', 'registration_not_found', {}, { registrar: { ...registrar, status: 404 } }],
  ['CREDENTIALS', 'FAILED', 'registration_rejected', {}, { registrar: { ...registrar, status: 403 } }],
  ['CREDENTIALS', 'OK', null, {}, { registrar: { ...registrar, digest: 'accepted' } }],
  ['CREDENTIALS', 'SKIPPED', null, { username: 'acme' }, {}],
  ['CREDENTIALS', 'SKIPPED', null, {}, { options: null }],
  ['REGISTRATION', 'OK', null, { register: true, registration: registered }, {}],
  [
    'REGISTRATION',
    'FAILED',
    'registration_not_found',
    { register: true, registration: { ...registered, state: 'FAILED', code: 'registration_not_found' } },
    {},
  ],
  ['REGISTRATION', 'WARNING', null, { register: true }, {}],
  ['REGISTRATION', 'SKIPPED', null, { register: true, status: 'DRAFT' }, {}],
  [
    'OUR_ADDRESS',
    'WARNING',
    'address_translated',
    {},
    withOptions({ via: { announced: '10.0.0.5', received: '203.0.113.9', rport: 1024 } }),
  ],
  [
    'OUR_ADDRESS',
    'SKIPPED',
    null,
    {},
    withOptions({ via: { announced: '10.0.0.5', received: null, rport: null } }),
  ],
  [
    'OUR_ADDRESS',
    'OK',
    null,
    { transport: 'TCP' },
    withOptions({ via: { announced: '10.0.0.5', received: null, rport: null } }),
  ],
  ['CODECS', 'WARNING', 'no_shared_codec', {}, withOptions({ codecs: ['G729'] })],
  ['CODECS', 'SKIPPED', null, {}, withOptions({ codecs: null })],
  ['SOURCES', 'FAILED', 'no_sources', { inboundSourceCidrs: [] }, {}],
  ['SOURCES', 'OK', null, { inboundSourceCidrs: [], register: true }, {}],
  ['SOURCES', 'WARNING', 'source_not_listed', { inboundSourceCidrs: ['198.41.0.5'] }, {}],
  ['SOURCES', 'OK', null, { inboundSourceCidrs: ['198.41.0.4'] }, {}],
])('%s: %s %s', (check, result, code, of, found) => {
  test('is the line, with the words of the catalogue', () => {
    const { text, ...rest } = line(check, of, found);
    expect(rest).toEqual({ result, code });
    if (code !== null) expect(text.startsWith(failures[code as keyof typeof failures].text)).toBe(true);
    expect(text).toMatch(/^[A-Z].*\.$/);
  });
});
