/** The check-up of a trunk on the wire: every line with what a carrier, its certificate and DNS do. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkupLines, type CheckedTrunk } from '@clarion/core/trunk-monitor/checkup';
import type { TrunkCheckName } from '@clarion/protocol';
import type { TrunkTarget } from '@clarion/protocol/media';
import { selfSigned } from '@clarion/sip-gateway/self-signed';
import { headerOf } from '@clarion/test-phone/sip/text';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Dns } from '../src/sip/trunk-addresses.ts';
import {
  startStreamCarrier,
  startUdpCarrier,
  type CarrierResponder,
  type Respond,
} from './support/carrier-responder.ts';
import { MediaFixture, testTrunk } from './support/media-fixture.ts';

/** Read by tests/failure-catalogue.test.ts: every entry of the catalogue is produced by a test. */
export const producedFailures = [
  'source_not_listed',
  'no_sources',
  'tcp_failed',
  'certificate_untrusted',
  'certificate_name',
  'certificate_expired',
  'certificate_expires',
  'options_no_response',
  'options_error',
  'digest_required',
  'digest_rejected',
  'address_translated',
  'no_shared_codec',
  'registration_not_found',
  'host_private',
  'host_not_found',
];

const DAY_MS = 86_400_000;
const HOST = 'sip.carrier.example';
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const certificates = {
  good: selfSigned([HOST], inDays(-1), inDays(300)),
  expiring: selfSigned([HOST], inDays(-300), inDays(5)),
  expired: selfSigned([HOST], inDays(-300), inDays(-1)),
  otherName: selfSigned(['other.example'], inDays(-1), inDays(300)),
  untrusted: selfSigned([HOST], inDays(-1), inDays(300)),
};

const names = new Map<string, string[]>([[HOST, ['127.0.0.1']]]);
const dns: Dns = {
  addresses: async (name) => {
    const found = names.get(name);
    if (!found) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
    return found;
  },
  srv: async () => [],
};

let media: MediaFixture;
let dir: string;
const open: CarrierResponder[] = [];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clarion-ca-'));
  media = await MediaFixture.start({ dns });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((carrier) => carrier.close()));
});
afterAll(async () => {
  await media.close();
  await rm(dir, { recursive: true });
});

async function opened(carrier: Promise<CarrierResponder>): Promise<CarrierResponder> {
  const started = await carrier;
  open.push(started);
  return started;
}

/** `check result code` of the lines, and the milliseconds that the command took. */
async function checkup(
  port: number,
  change: Partial<TrunkTarget> = {},
  trunk: Partial<CheckedTrunk> = {},
): Promise<{ line: (check: TrunkCheckName) => string; ms: number }> {
  const target = testTrunk(port, { host: HOST, ...change });
  const startedAt = performance.now();
  const facts = await media.realtime.command('trunk:checkup', { target, registers: trunk.register ?? false });
  const checked: CheckedTrunk = {
    host: target.host,
    transport: target.transport,
    status: 'ACTIVE',
    inboundSourceCidrs: ['127.0.0.0/8'],
    codecs: target.codecs,
    register: false,
    username: target.username,
    registration: null,
    ...trunk,
  };
  const lines = checkupLines(checked, facts);
  return {
    ms: performance.now() - startedAt,
    line(name) {
      const { result, code } = lines.find(({ check }) => check === name) ?? { result: 'none', code: null };
      return code === null ? result : `${result} ${code}`;
    },
  };
}

/** With a gateway and a media node that trust this certificate. */
async function overTls(ca: string, port: number) {
  const file = join(dir, 'ca.pem');
  await writeFile(file, ca);
  const tls = { ...selfSigned(['127.0.0.1'], inDays(-1), inDays(300)), ca, port: 0 };
  const before = media;
  media = await MediaFixture.start({ dns }, [], { CLARION_SIP_TLS_CA: file }, undefined, { tls });
  try {
    return await checkup(port, { transport: 'TLS' });
  } finally {
    await media.close();
    media = before;
  }
}

test('a healthy carrier over UDP', async () => {
  const far = await opened(
    startUdpCarrier((request) => ({
      status: 200,
      via: headerOf(request, 'Via').replace(';rport', ';rport=5060;received=127.0.0.1'),
      body: 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 8\r\n',
    })),
  );
  const { line, ms } = await checkup(far.port);
  for (const check of ['DNS', 'OPTIONS', 'CREDENTIALS', 'OUR_ADDRESS', 'CODECS', 'SOURCES'] as const)
    expect([check, line(check)]).toEqual([check, 'OK']);
  expect([line('CONNECTION'), line('CERTIFICATE')]).toEqual(['SKIPPED', 'SKIPPED']);
  expect(ms).toBeLessThan(2_000);
});

test('problems of the addresses and codecs', async () => {
  const far = await opened(
    startUdpCarrier((request) => ({
      status: 200,
      via: `${headerOf(request, 'Via')};received=203.0.113.9`,
      body: 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 18\r\n',
    })),
  );
  const { line } = await checkup(far.port, {}, { inboundSourceCidrs: ['198.41.0.4'] });
  expect([line('OUR_ADDRESS'), line('CODECS'), line('SOURCES')]).toEqual([
    'WARNING address_translated',
    'WARNING no_shared_codec',
    'WARNING source_not_listed',
  ]);
  expect((await checkup(far.port, {}, { inboundSourceCidrs: [] })).line('SOURCES')).toBe('FAILED no_sources');
});

test('what a carrier does with credentials', async () => {
  const challenge = { status: 401, headers: ['WWW-Authenticate: Digest realm="x", nonce="1", qop="auth"'] };
  const account = { username: 'acme', password: 'secret' };
  const far = await opened(startUdpCarrier(() => challenge));
  expect((await checkup(far.port)).line('CREDENTIALS')).toBe('FAILED digest_required');
  expect((await checkup(far.port, account)).line('CREDENTIALS')).toBe('FAILED digest_rejected');
  const accepts: Respond = (request) =>
    headerOf(request, 'Authorization') === '' ? challenge : { status: 200 };
  far.respond = accepts;
  expect((await checkup(far.port, account)).line('CREDENTIALS')).toBe('OK');
  // Of a trunk that registers, a REGISTER without a contact tries them: it changes no binding.
  far.respond = (request) => (request.startsWith('REGISTER') ? { status: 404 } : { status: 200 });
  expect((await checkup(far.port, account, { register: true })).line('CREDENTIALS')).toBe(
    'FAILED registration_not_found',
  );
  far.respond = (request) => (request.startsWith('REGISTER') ? { status: 403 } : { status: 200 });
  expect((await checkup(far.port, account, { register: true })).line('CREDENTIALS')).toBe(
    'FAILED registration_rejected',
  );
  const register = far.requests.findLast((request) => request.startsWith('REGISTER')) ?? '';
  expect(headerOf(register, 'Contact')).toBe('');
});

test('a carrier with an error, and one that does not respond, within six seconds', async () => {
  const far = await opened(startUdpCarrier(() => ({ status: 500 })));
  expect((await checkup(far.port)).line('OPTIONS')).toBe('FAILED options_error');
  far.respond = () => null;
  const { line, ms } = await checkup(far.port, { username: 'acme', password: 'x' }, { register: true });
  expect(line('OPTIONS')).toBe('FAILED options_no_response');
  expect(ms).toBeLessThan(6_000);
});

test('hosts that DNS does not know, or that are not public', async () => {
  expect((await checkup(5060, { host: 'gone.example' })).line('DNS')).toBe('FAILED host_not_found');
  const guarded = await MediaFixture.start({ dns }, [], { CLARION_ALLOW_PRIVATE_EGRESS: '0' });
  const before = media;
  media = guarded;
  try {
    const { line } = await checkup(5060, { transport: 'TCP' });
    expect(line('DNS')).toBe('FAILED host_private');
    expect([line('CONNECTION'), line('OPTIONS')]).toEqual(['SKIPPED', 'SKIPPED']);
  } finally {
    media = before;
    await guarded.close();
  }
});

test('a refused connection', async () => {
  const far = await startStreamCarrier();
  await far.close();
  const { line, ms } = await checkup(far.port, { transport: 'TCP' });
  expect([line('CONNECTION'), line('OPTIONS')]).toEqual(['FAILED tcp_failed', 'FAILED tcp_failed']);
  expect(ms).toBeLessThan(2_000);
});

test.each([
  ['good', 'OK', 'OK'],
  ['expiring', 'WARNING certificate_expires', 'OK'],
  ['expired', 'FAILED certificate_expired', 'FAILED tcp_failed'],
  ['otherName', 'FAILED certificate_name', 'FAILED tcp_failed'],
  ['untrusted', 'FAILED certificate_untrusted', 'FAILED tcp_failed'],
] as const)('TLS with a certificate that is %s', async (which, certificate, options) => {
  const far = await opened(startStreamCarrier(() => ({ status: 200 }), certificates[which]));
  const { line } = await overTls(certificates[which === 'untrusted' ? 'good' : which].cert, far.port);
  expect([line('CONNECTION'), line('CERTIFICATE')]).toEqual(['OK', certificate]);
  // The gateway verifies the certificate by itself, against the name although it connects to the address.
  expect(line('OPTIONS')).toBe(options);
});

test('a port that speaks no TLS', async () => {
  const far = await opened(startStreamCarrier());
  const { line } = await overTls(certificates.good.cert, far.port);
  expect([line('CONNECTION'), line('CERTIFICATE')]).toEqual(['FAILED tcp_failed', 'SKIPPED']);
});
