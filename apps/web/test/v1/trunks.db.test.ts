/** Creating and changing own trunks: every field, and every rule on addresses. */
import { trunkQuirks } from '@clarion/protocol';
import { moveTrunk } from '@clarion/core/trunk/trunk-moves';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
let otherKey: string;
const names: Record<string, string[]> = {
  'sip.carrier.example': ['198.41.0.4'],
  'sip2.carrier.example': ['198.41.0.5', '2606:4700::1111'],
  'inside.carrier.example': ['10.0.0.5'],
  'mixed.carrier.example': ['198.41.0.4', '192.168.0.1'],
};

beforeAll(async () => {
  web = await startWeb();
  web.runtime.settings.resolve = async (name) => {
    const addresses = names[name];
    if (!addresses) throw new Error('no such name');
    return addresses;
  };
  key = (await web.consumer('acme')).apiKey;
  otherKey = (await web.consumer('other')).apiKey;
});
afterAll(() => web.stop());
beforeEach(async () => {
  await web.runtime.db.sipTrunk.deleteMany({});
});

const post = (body: Record<string, unknown>, who = key) =>
  call('createTrunk', { key: who, body: { name: 'carrier-uk', host: 'sip.carrier.example', ...body } });
const created = async (body: Record<string, unknown> = {}) => (await post(body)).json.trunk;
const put = (trunkId: number, body: Record<string, unknown> = {}) =>
  call('putTrunk', { key, path: { trunkId }, body: { host: 'sip.carrier.example', ...body } });
const get = async (trunkId: number) => (await call('getTrunk', { key, path: { trunkId } })).json.trunk;
const rowOf = (id: number) => web.runtime.db.sipTrunk.findUniqueOrThrow({ where: { id } });
const submit = (trunkId: number) => call('submitTrunk', { key, path: { trunkId } });

describe('a new trunk', () => {
  test('is a DRAFT with defaults, and is read back by GET', async () => {
    const trunk = await created();
    expect(trunk).toEqual({
      id: trunk.id,
      name: 'carrier-uk',
      owner: 'CONSUMER',
      status: 'DRAFT',
      host: 'sip.carrier.example',
      port: 5060,
      transport: 'UDP',
      inboundSourceCidrs: [],
      ingressHost: 'acme-carrier-uk.sip.example.com',
      ingressHostOnly: false,
      numberRules: null,
      techPrefixes: null,
      codecs: null,
      destinations: [],
      register: false,
      srtp: false,
      quirks: {},
      maxCalls: null,
      callsPerSecond: null,
      hasCredentials: false,
      reviewNote: null,
      submittedAt: null,
      reviewedAt: null,
      createdAt: trunk.createdAt,
      buyDeckId: null,
      inboundBuyDeckId: null,
      templateId: null,
      followTemplate: false,
      registration: null,
      up: null,
    });
    expect(await get(trunk.id)).toEqual(trunk);
  });

  test('has every setting that is given', async () => {
    const trunk = await created({
      port: 5061,
      transport: 'tls',
      inbound_source_cidrs: '198.41.0.4, 198.41.0.64/28 2606:4700:1::/48',
      country_code: 44,
      national_prefix: '0',
      tech_prefixes: { inbound: [{ prefix: '77#', purpose: 'process' }], outbound: '88', redirect: '99' },
      codecs: ['g722', 'PCMA'],
      destinations: [
        { host: 'sip2.carrier.example', priority: 2, weight: 5 },
        { host: '198.41.0.9', port: 5070 },
      ],
      username: 'acme',
      password: 'secret',
      register: true,
      srtp: true,
      max_calls: 30,
      calls_per_second: 5,
      quirks: { called_plus: true, national_outbound: true, from_domain: 'Acme.Example', use_srv: false },
    });
    expect(trunk).toMatchObject({
      port: 5061,
      transport: 'TLS',
      inboundSourceCidrs: ['198.41.0.4', '198.41.0.64/28', '2606:4700:1::/48'],
      numberRules: { country_code: '44', national_prefix: '0' },
      techPrefixes: { inbound: [{ prefix: '77#', purpose: 'PROCESS' }], outbound: '88', redirect: '99' },
      codecs: ['G722', 'PCMA'],
      destinations: [
        { host: 'sip2.carrier.example', port: 5061, priority: 2, weight: 5 },
        { host: '198.41.0.9', port: 5070, priority: 1, weight: 1 },
      ],
      hasCredentials: true,
      register: true,
      srtp: true,
      maxCalls: 30,
      callsPerSecond: 5,
      quirks: { calledPlus: true, nationalOutbound: true, fromDomain: 'acme.example' },
    });
    // Sealed in the database, and never in a response.
    const row = await rowOf(trunk.id);
    expect(row.passwordSealed).not.toContain('secret');
    expect(web.runtime.secrets.open('trunk-password', row.passwordSealed ?? '')).toBe('secret');
    expect(JSON.stringify(await get(trunk.id))).not.toContain('secret');
    expect(trunkQuirks.parse(row.quirks)).toEqual(
      trunk.owner === 'CONSUMER' && 'quirks' in trunk && trunk.quirks,
    );
  });

  test('has a name that is unique in the account, and an ingress label that is unique in the deployment', async () => {
    const label = async (name: string, who = key) => {
      const { trunk } = (await post({ name }, who)).json;
      return trunk.ingressHost?.split('.')[0];
    };
    expect(await label('a.b')).toBe('acme-a-b');
    expect(await label('a-b')).toBe('acme-a-b-2');
    expect(await label('a_b')).toBe('acme-a-b-3');
    expectError(await post({ name: 'a-b' }), 409, 'exists', 'name');
    // The same name in another account is another trunk.
    expect(await label('a-b', otherKey)).toBe('other-a-b');
    const long = 'x'.repeat(64);
    expect((await label(long))?.length).toBe(63);
    expect(await label(`${long.slice(0, 63)}y`)).toBe(`acme-${'x'.repeat(56)}-2`);
    // Two that are created at the same time get different labels.
    const both = await Promise.all([label('c.d'), label('c-d'), label('c_d')]);
    expect(new Set(both).size).toBe(3);
  });

  test('created twice at the same time exists once', async () => {
    const answers = await Promise.all([post({}), post({}), post({})]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expect(await web.runtime.db.sipTrunk.count()).toBe(1);
  });

  test('is created once per Idempotency-Key, and a repetition returns it', async () => {
    const send = () =>
      call('createTrunk', {
        key,
        body: { name: 'once', host: 'sip.carrier.example' },
        headers: { 'idempotency-key': 'trunk-once' },
      });
    const [first, second] = [await send(), await send()];
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  test('counts towards the limit of the plan, which is checked before the name', async () => {
    await web.changeConsumer('acme', { planTrunks: 2 });
    await created({ name: 'one' });
    const answers = await Promise.all([post({ name: 'two' }), post({ name: 'three' })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expectError(await post({ name: 'one' }), 409, 'too_many_trunks');
    // Platform trunks and those of other accounts do not count.
    expect((await post({ name: 'one' }, otherKey)).status).toBe(201);
    await web.changeConsumer('acme', { planTrunks: 20 });
    expectError(await post({ name: 'one' }), 409, 'exists', 'name');
  });
});

describe('addresses', () => {
  test.each([
    '198.41.0.4',
    '198.41.0.0/24',
    '198.41.0.64/28',
    '198.41.0.4/32',
    '2606:4700::1111',
    '2606:4700:1::/48',
    '2606:4700:1:2::/64',
  ])('%s is public', async (source) => {
    expect(await created({ inbound_source_cidrs: [source] })).toMatchObject({ inboundSourceCidrs: [source] });
  });

  test.each([
    '10.0.0.1',
    '10.1.2.0/24',
    '172.16.0.0/24',
    '192.168.1.0/28',
    '127.0.0.1',
    '127.0.0.0/24',
    '169.254.169.254',
    '169.254.0.0/24',
    '100.64.0.0/24',
    '192.0.2.0/24',
    '198.51.100.7',
    '203.0.113.0/25',
    '198.18.0.0/24',
    '224.0.0.0/24',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '0.0.0.0/24',
    '0.0.0.0/32',
    '::1',
    '::',
    'fe80::1',
    'fe80::/64',
    'fc00::/48',
    'fd12:3456:789a::1',
    'ff02::1',
    '2001:db8::/48',
    '2001:db8:1:2::1',
    '2002:7f00:1::/48',
    '64:ff9b::7f00:1',
    '::ffff:198.41.0.4',
    '::ffff:10.0.0.1',
    '5f00::/48',
  ])('%s is not public', async (source) => {
    const answer = await post({ inbound_source_cidrs: ['198.41.0.4', '198.41.0.4', source] });
    expectError(answer, 400, 'invalid_request', 'inbound_source_cidrs[2]');
  });

  test.each(['0.0.0.0/0', '198.41.0.0/23', '10.0.0.0/8', '2000::/3', '2606:4700::/32', '::/0'])(
    '%s is too wide',
    async (source) => {
      expectError(
        await post({ inbound_source_cidrs: source }),
        400,
        'invalid_request',
        'inbound_source_cidrs',
      );
    },
  );

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    'fd00::1',
    'inside.carrier.example',
    'mixed.carrier.example',
  ])('the host %s leads into our own network and is rejected', async (host) => {
    expectError(await post({ host }), 400, 'invalid_request', 'host');
    const destinations = [{ host: 'sip2.carrier.example' }, { host }];
    expectError(await post({ destinations }), 400, 'invalid_request', 'destinations[1].host');
    const { id } = await created();
    expectError(await put(id, { host }), 400, 'invalid_request', 'host');
  });

  test('a host that has no address yet is accepted: it is looked up again when a call is placed', async () => {
    expect(await created({ host: 'soon.carrier.example' })).toMatchObject({ host: 'soon.carrier.example' });
  });

  test('in development a host may be private, but not a source', async () => {
    const { settings } = web.runtime;
    settings.allowPrivateEgress = true;
    try {
      expect(await created({ host: '127.0.0.1' })).toMatchObject({ host: '127.0.0.1' });
      expectError(
        await post({ name: 'x', inbound_source_cidrs: '127.0.0.1' }),
        400,
        'invalid_request',
        'inbound_source_cidrs',
      );
    } finally {
      settings.allowPrivateEgress = false;
    }
  });
});

describe('a PUT', () => {
  test('replaces every field except the name, the credentials and the tech prefixes', async () => {
    const { id } = await created({
      port: 5070,
      transport: 'TLS',
      inbound_source_cidrs: '198.41.0.4',
      country_code: '44',
      national_prefix: '0',
      tech_prefixes: { outbound: '88' },
      codecs: ['PCMU'],
      destinations: [{ host: 'sip2.carrier.example' }],
      username: 'acme',
      password: 'secret',
      register: true,
      srtp: true,
      max_calls: 30,
      calls_per_second: 5,
      quirks: { called_plus: true },
    });
    const { trunk } = (await put(id, { host: 'sip2.carrier.example', name: 'ignored' })).json;
    expect(trunk).toMatchObject({
      name: 'carrier-uk',
      host: 'sip2.carrier.example',
      port: 5060,
      transport: 'UDP',
      inboundSourceCidrs: [],
      numberRules: null,
      codecs: null,
      destinations: [],
      register: false,
      srtp: false,
      quirks: {},
      maxCalls: null,
      callsPerSecond: null,
      techPrefixes: { outbound: '88' },
      hasCredentials: true,
    });
    expect(await get(id)).toEqual(trunk);
  });

  test('keeps, replaces or removes tech prefixes', async () => {
    const { id } = await created({ tech_prefixes: { outbound: '88' } });
    const prefixes = async (body: object) => {
      const { trunk } = (await put(id, { ...body })).json;
      return trunk.techPrefixes;
    };
    expect(await prefixes({})).toEqual({ outbound: '88' });
    expect(await prefixes({ tech_prefixes: { redirect: '9' } })).toEqual({ redirect: '9' });
    expect(await prefixes({ tech_prefixes: null })).toBeNull();
    expectError(
      await put(id, { tech_prefixes: { outbound: '+' } }),
      400,
      'invalid_request',
      'tech_prefixes.outbound',
    );
  });

  test('keeps, replaces or clears credentials, and new ones win', async () => {
    const { id } = await created({ username: 'one', password: 'p1' });
    const stored = async (body: object) => {
      const { trunk } = (await put(id, { ...body })).json;
      const { username, passwordSealed } = await rowOf(id);
      expect(trunk.hasCredentials).toBe(username !== null);
      return [username, passwordSealed && web.runtime.secrets.open('trunk-password', passwordSealed)];
    };
    expect(await stored({})).toEqual(['one', 'p1']);
    expect(await stored({ password: 'ignored' })).toEqual(['one', 'p1']);
    expect(await stored({ username: 'two', password: 'p2' })).toEqual(['two', 'p2']);
    // Some carriers use an empty password.
    expect(await stored({ username: 'three' })).toEqual(['three', null]);
    expect(await stored({ username: 'four', password: 'p4', clear_credentials: true })).toEqual([
      'four',
      'p4',
    ]);
    expect(await stored({ clear_credentials: true })).toEqual([null, null]);
  });

  test('registration needs a username, given or kept', async () => {
    expectError(await post({ register: true }), 400, 'invalid_request', 'register');
    const { id } = await created();
    expectError(await put(id, { register: true }), 400, 'invalid_request', 'register');
    expect((await put(id, { register: true, username: 'u' })).status).toBe(200);
    expect((await put(id, { register: true })).json.trunk).toMatchObject({ register: true });
    expectError(
      await put(id, { register: true, clear_credentials: true }),
      400,
      'invalid_request',
      'register',
    );
  });

  test('of a trunk that is submitted must leave an address', async () => {
    const { id } = await created({ inbound_source_cidrs: '198.41.0.4' });
    expect((await put(id, {})).status).toBe(200); // a draft may have none
    await put(id, { inbound_source_cidrs: '198.41.0.4' });
    await submit(id);
    expectError(await put(id, {}), 400, 'invalid_request', 'inbound_source_cidrs');
    await moveTrunk(web.operator, id, 'approve', null);
    expectError(await put(id, { inbound_source_cidrs: [] }), 400, 'invalid_request', 'inbound_source_cidrs');
    const { trunk } = (await put(id, { inbound_source_cidrs: ['198.41.0.9'] })).json;
    // No new review.
    expect(trunk).toMatchObject({ status: 'ACTIVE', inboundSourceCidrs: ['198.41.0.9'] });
  });

  test('of a platform trunk, or of one of another account, is 404', async () => {
    const platform = await web.runtime.db.sipTrunk.create({
      data: { name: 'platform', status: 'ACTIVE', host: '198.41.0.4', ingressLabel: 'platform' },
    });
    const theirs = (await post({}, otherKey)).json.trunk;
    for (const trunkId of [platform.id, theirs.id]) {
      expectError(await put(trunkId), 404, 'not_found');
      expectError(await submit(trunkId), 404, 'not_found');
      expectError(await call('deleteTrunk', { key, path: { trunkId } }), 404, 'not_found');
    }
  });

  test('is recorded with what changed, without secrets', async () => {
    const { id } = await created({
      inbound_source_cidrs: '198.41.0.4',
      username: 'u',
      password: 'first-secret',
    });
    await put(id, { host: '198.41.0.8', username: 'u', password: 'other-secret' });
    const log = (await call('listAuditLog', { key, query: 'action=trunk' })).json.entries;
    const entries = log.filter(({ target }) => target === String(id));
    expect(entries.map(({ action }) => action)).toEqual(['trunk.put', 'trunk.create']);
    expect(entries[0]?.details).toEqual({
      host: '198.41.0.8',
      hostBefore: 'sip.carrier.example',
      inboundSourceCidrs: '',
      inboundSourceCidrsBefore: '198.41.0.4',
      credentials: 'changed',
    });
    expect(JSON.stringify(entries)).not.toContain('secret');
  });
});
