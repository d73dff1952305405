/** OPTIONS and REGISTER to carriers, on the wire. */
import type { RegisterReply } from '@clarion/protocol/carrier-requests';
import type { MediaReplies, TrunkTarget } from '@clarion/protocol/media';
import { headerOf } from '@clarion/test-phone/sip/text';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { trunkDns, type Dns } from '../src/sip/trunk-addresses.ts';
import {
  startStreamCarrier,
  startUdpCarrier,
  type CarrierResponder,
  type Respond,
} from './support/carrier-responder.ts';
import { MediaFixture, testTrunk } from './support/media-fixture.ts';

const CHALLENGE = 'Digest realm="carrier.example", nonce="n1", qop="auth", algorithm=SHA-256';
const ACCOUNT = { username: 'acme', password: 'secret' };

/** Names that tests define; others come from the system. */
const names = new Map<string, string[]>();
const services = new Map<string, { name: string; port: number; priority: number; weight: number }[]>();
const dns: Dns = {
  addresses: async (name) => names.get(name) ?? (await trunkDns(true).addresses(name)),
  srv: async (name) => services.get(name) ?? [],
};

let media: MediaFixture;
const open: CarrierResponder[] = [];
beforeAll(async () => {
  media = await MediaFixture.start({ dns });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((carrier) => carrier.close()));
});
afterAll(() => media.close());

async function carrier(respond?: Respond): Promise<CarrierResponder> {
  const started = await startUdpCarrier(respond);
  open.push(started);
  return started;
}

const ping = (port: number, change: Partial<TrunkTarget> = {}): Promise<MediaReplies['trunk:ping']> =>
  media.realtime.command('trunk:ping', { target: testTrunk(port, change) });

let cseq = 100;
const register = (
  port: number,
  change: Partial<TrunkTarget> = ACCOUNT,
  expiresSeconds = 600,
): Promise<RegisterReply> =>
  media.realtime.command('trunk:register', {
    target: testTrunk(port, change),
    registration: { contactUser: 'acme-carrier', sipCallId: 'registration-1', cseq: (cseq += 10) },
    expiresSeconds,
  });

test('a ping reports the response, its time, and our address as the carrier sees it', async () => {
  const far = await carrier((request) => ({
    status: 200,
    headers: ['Allow: INVITE, ACK, BYE', 'Allow: OPTIONS'],
    via: `${headerOf(request, 'Via').replace(';rport', ';rport=40123')};received=192.0.2.7`,
    body: [
      'v=0',
      'o=- 1 1 IN IP4 127.0.0.1',
      's=-',
      'c=IN IP4 127.0.0.1',
      't=0 0',
      'm=audio 9 RTP/AVP 9 8 111 101',
      'a=rtpmap:111 opus/48000/2',
      'a=rtpmap:101 telephone-event/8000',
      '',
    ].join('\r\n'),
  }));
  const reply = await ping(far.port);
  expect(reply).toMatchObject({
    target: `sip:127.0.0.1:${far.port};transport=udp`,
    address: '127.0.0.1',
    status: 200,
    reason: 'Answer',
    error: null,
    code: null,
    digest: 'none',
    via: { announced: '127.0.0.1', received: '192.0.2.7', rport: 40_123 },
    allow: ['INVITE', 'ACK', 'BYE', 'OPTIONS'],
    codecs: ['G722', 'PCMA', 'OPUS'],
  });
  expect(reply.rttMs).toBeLessThan(2_000);
  const [request = ''] = far.requests;
  expect(request).toMatch(new RegExp(`^OPTIONS sip:127.0.0.1:${far.port} SIP/2.0\r\n`));
  expect(headerOf(request, 'Accept')).toBe('application/sdp');
});

test.each([404, 405, 486, 500, 503])('a ping reports the final response %i', async (status) => {
  const far = await carrier(() => ({ status }));
  expect(await ping(far.port)).toMatchObject({ status, error: null, codecs: null, allow: [] });
});

test('a carrier that does not respond is no error of the command', async () => {
  const far = await carrier(() => null);
  expect(await ping(far.port)).toMatchObject({
    status: null,
    rttMs: null,
    error: 'The carrier did not respond to OPTIONS.',
    code: 'options_no_response',
    via: null,
  });
  // Over UDP the request is repeated (RFC 3261, section 17.1.2.1).
  expect(far.requests).toHaveLength(1);
});

test('a refused connection is reported immediately', async () => {
  const far = await startStreamCarrier();
  await far.close();
  const startedAt = performance.now();
  expect(await ping(far.port, { transport: 'TCP' })).toMatchObject({ status: null, code: 'tcp_failed' });
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

test('a ping goes over TCP to a trunk with that transport', async () => {
  const far = await startStreamCarrier();
  open.push(far);
  expect(await ping(far.port, { transport: 'TCP' })).toMatchObject({
    target: `sip:127.0.0.1:${far.port};transport=tcp`,
    status: 200,
  });
  expect(far.requests[0]).toContain('Via: SIP/2.0/TCP');
});

test('a challenge is answered with the credentials of the trunk, or reported', async () => {
  const accepts: Respond = (request) =>
    headerOf(request, 'Authorization') === ''
      ? { status: 401, headers: [`WWW-Authenticate: ${CHALLENGE}`] }
      : { status: 200 };
  const far = await carrier(accepts);
  expect(await ping(far.port, ACCOUNT)).toMatchObject({ status: 200, digest: 'accepted' });
  const [first = '', second = ''] = far.requests;
  expect(headerOf(second, 'Call-ID')).toBe(headerOf(first, 'Call-ID'));
  expect(Number.parseInt(headerOf(second, 'CSeq'), 10)).toBe(
    Number.parseInt(headerOf(first, 'CSeq'), 10) + 1,
  );
  expect(headerOf(second, 'Authorization')).toMatch(/^Digest username="acme", realm="carrier.example"/);
  expect(await ping(far.port)).toMatchObject({ status: 401, digest: 'missing' });
  far.respond = () => ({ status: 407, headers: [`Proxy-Authenticate: ${CHALLENGE}`] });
  expect(await ping(far.port, ACCOUNT)).toMatchObject({ status: 407, digest: 'rejected' });
  far.respond = () => ({ status: 401, headers: ['WWW-Authenticate: Bearer realm="x"'] });
  expect(await ping(far.port, ACCOUNT)).toMatchObject({ status: 401, digest: 'unsupported' });
});

test('a host that leads into our own network gets no request', async () => {
  const guarded = await MediaFixture.start({ dns }, [], { CLARION_ALLOW_PRIVATE_EGRESS: '0' });
  const far = await carrier();
  names.set('rebinding.example', ['93.184.215.14', '127.0.0.1']);
  try {
    for (const host of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '[::1]', 'rebinding.example']) {
      const target = testTrunk(far.port, { host });
      expect(await guarded.realtime.command('trunk:ping', { target }), host).toMatchObject({
        address: null,
        status: null,
        code: 'host_private',
      });
    }
    expect(far.requests).toEqual([]);
    // The operator's own trunk may lead there.
    const target = testTrunk(far.port, { platform: true });
    expect(await guarded.realtime.command('trunk:ping', { target })).toMatchObject({ status: 200 });
  } finally {
    await guarded.close();
  }
});

test('a host name without an address is reported', async () => {
  names.set('gone.example', []);
  expect(await ping(5060, { host: 'gone.example' })).toMatchObject({ status: null, code: 'host_not_found' });
});

test('SRV records give the addresses, and the next one responds if the first does not', async () => {
  const [silent, far] = [await carrier(() => null), await carrier()];
  names.set('a.carrier.example', ['127.0.0.1']);
  services.set('_sip._udp.carrier.example', [
    { name: 'a.carrier.example', port: far.port, priority: 20, weight: 1 },
    { name: 'a.carrier.example', port: silent.port, priority: 10, weight: 1 },
  ]);
  const reply = await ping(9, { host: 'carrier.example', useSrv: true });
  expect(reply).toMatchObject({ status: 200, target: `sip:a.carrier.example:${far.port};transport=udp` });
  expect(silent.requests).toHaveLength(1);
});

test('commands for trunks fail with capacity while the SIP server is not connected', async () => {
  const lost = await MediaFixture.start({ dns });
  try {
    await lost.loseGateway();
    await expect
      .poll(() => lost.realtime.send('trunk:ping', { target: testTrunk(5060) }))
      .toMatchObject({ ok: false, error: { code: 'capacity' } });
  } finally {
    await lost.close();
  }
});

test('a registration binds our contact and reports the time that the registrar grants', async () => {
  const far = await carrier((request) => ({
    status: 200,
    contact: `<sip:other@192.0.2.1>;expires=3000, ${headerOf(request, 'Contact').replace('=600', '=120')}`,
    headers: ['Expires: 3600'],
  }));
  const reply = await register(far.port, {
    ...ACCOUNT,
    identity: { ...testTrunk(1).identity, fromDomain: 'carrier.example' },
  });
  expect(reply).toMatchObject({ status: 200, expiresSeconds: 120, code: null });
  const [request = ''] = far.requests;
  expect(request).toMatch(/^REGISTER sip:carrier\.example SIP\/2\.0\r\n/);
  expect(headerOf(request, 'To')).toBe('<sip:acme@carrier.example>');
  expect(headerOf(request, 'From')).toMatch(/^<sip:acme@carrier\.example>;tag=/);
  expect(headerOf(request, 'Call-ID')).toBe('registration-1');
  expect(headerOf(request, 'Contact')).toBe(`<sip:acme-carrier@127.0.0.1:${media.sip.port}>;expires=600`);
});

test('what a registrar refuses is reported with its figures', async () => {
  const far = await carrier();
  for (const [response, reply] of [
    [
      { status: 423, headers: ['Min-Expires: 1800'] },
      { status: 423, minExpiresSeconds: 1_800 },
    ],
    [
      { status: 503, headers: ['Retry-After: 90 (busy);duration=10'] },
      { status: 503, retryAfterSeconds: 90 },
    ],
    [{ status: 403 }, { status: 403 }],
    [{ status: 404 }, { status: 404 }],
  ] as const) {
    far.respond = () => response;
    expect(await register(far.port)).toMatchObject({ ...reply, expiresSeconds: null });
  }
  far.respond = () => null;
  expect(await register(far.port)).toMatchObject({ status: null, code: 'registration_no_response' });
});

test('unregistering removes only our contact', async () => {
  const far = await carrier();
  await media.realtime.command('trunk:unregister', {
    target: testTrunk(far.port, ACCOUNT),
    registration: { contactUser: 'acme-carrier', sipCallId: 'registration-1', cseq: 900 },
  });
  expect(headerOf(far.requests[0] ?? '', 'Contact')).toMatch(/^<sip:acme-carrier@[^>]+>;expires=0$/);
});
