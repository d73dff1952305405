import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture, platformTrunk } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

let web: Web;
let fixture: TenantFixture;
let key: string;
const tenantRef = 'shop';
beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
});
afterAll(() => web.stop());

const put = (channelRef: string, body: Record<string, unknown>) =>
  call('putChannel', { key, path: { tenantRef, channelRef }, body });
const sip = (address: string, more: Record<string, unknown> = {}) => ({
  type: 'SIP',
  address,
  sip_trunk_id: fixture.trunkId,
  ...more,
});
const list = async (query = '') => (await call('listChannels', { key, path: { tenantRef }, query })).json;
const refs = async (query = '') => (await list(query)).channels.map(({ ref }) => ref);

test('a SIP number is stored in E.164 however it was written', async () => {
  for (const written of ['+442071838001', '442071838001', '00442071838001', ' +44 (20) 7183-8001 ']) {
    expect((await put('forms', sip(written))).json.channel.address).toBe('+442071838001');
  }
  for (const wrong of ['02071838001', 'abc', '+44', '+4420718380011234', '+']) {
    expectError(await put('forms', sip(wrong)), 400, 'invalid_request', 'address');
  }
});

test('every field omitted from a PUT is reset to its default, and credentials are kept', async () => {
  const { channel } = (
    await put(
      'full',
      sip('+442071838002', {
        display_name: 'Full',
        provider_account_id: 4711,
        credentials: { user: 'u' },
        owner_agent_ref: 'ada',
        ring_timeout_seconds: 60,
        recording_enabled: true,
        status: 'disabled',
      }),
    )
  ).json;
  expect(channel).toMatchObject({
    displayName: 'Full',
    providerAccountId: '4711',
    hasCredentials: true,
    inboundQueueId: null,
    ringTimeoutSeconds: 60,
    recordingEnabled: true,
    recording: { enabled: true, source: 'LINE' },
    status: 'DISABLED',
  });
  expect(channel.ownerAgentId).not.toBeNull();
  const bare = (await put('full', sip('+442071838002'))).json.channel;
  expect(bare).toEqual({
    ...channel,
    displayName: null,
    providerAccountId: null,
    ownerAgentId: null,
    ringTimeoutSeconds: null,
    recordingEnabled: null,
    recording: { enabled: false, source: 'ACCOUNT' },
    status: 'ACTIVE',
  });
  expect((await put('full', sip('+442071838002', { credentials: null }))).json.channel.hasCredentials).toBe(
    false,
  );
  const row = await web.runtime.db.channel.findFirstOrThrow({ where: { ref: 'full' } });
  expect(row.credentialsSealed).toBeNull();
});

test('credentials are encrypted at rest', async () => {
  await put('sealed', sip('+442071838003', { credentials: { token: 'top-secret' } }));
  const { credentialsSealed } = await web.runtime.db.channel.findFirstOrThrow({ where: { ref: 'sealed' } });
  expect(credentialsSealed).not.toContain('top-secret');
  expect(web.runtime.secrets.open('channel-credentials', credentialsSealed ?? '')).toBe(
    '{"token":"top-secret"}',
  );
});

test('the recording that applies follows the line, then the tenant, then the account', async () => {
  const other = { tenantRef: 'recorded' };
  await call('putTenant', {
    key,
    path: other,
    body: { name: 'R', settings: { recording: { enabled: true } } },
  });
  const path = { ...other, channelRef: 'line' };
  const { channel } = (await call('putChannel', { key, path, body: sip('+442071838004') })).json;
  expect(channel.recording).toEqual({ enabled: true, source: 'TENANT' });
});

test('errors of the body name the field', async () => {
  for (const [body, field] of [
    [{ address: '+442071838010', sip_trunk_id: fixture.trunkId }, 'type'],
    [{ ...sip('+442071838010'), type: 'FAX' }, 'type'],
    [{ type: 'SIP', sip_trunk_id: fixture.trunkId }, 'address'],
    [sip('4'.repeat(51)), 'address'],
    [{ type: 'SIP', address: '+442071838010' }, 'sip_trunk_id'],
    [sip('+442071838010', { sip_trunk_id: String(fixture.trunkId) }), 'sip_trunk_id'],
    [sip('+442071838010', { sip_trunk_id: 999_999 }), 'sip_trunk_id'],
    [sip('+442071838010', { sip_trunk_id: 99_999_999_999 }), 'sip_trunk_id'],
    [sip('+442071838010', { display_name: 'x'.repeat(256) }), 'display_name'],
    [sip('+442071838010', { provider_account_id: 'x'.repeat(192) }), 'provider_account_id'],
    [sip('+442071838010', { credentials: 'secret' }), 'credentials'],
    [sip('+442071838010', { credentials: ['secret'] }), 'credentials'],
    [sip('+442071838010', { ring_timeout_seconds: 4 }), 'ring_timeout_seconds'],
    [sip('+442071838010', { ring_timeout_seconds: 61 }), 'ring_timeout_seconds'],
    [sip('+442071838010', { recording_enabled: 'yes' }), 'recording_enabled'],
    [sip('+442071838010', { status: 'OFF' }), 'status'],
    [sip('+442071838010', { inbound_queue_ref: 'nowhere' }), 'inbound_queue_ref'],
    [sip('+442071838010', { owner_agent_ref: 'nobody' }), 'owner_agent_ref'],
    [sip('+442071838010', { inbound_queue_ref: 'support', owner_agent_ref: 'ada' }), 'owner_agent_ref'],
    [{ type: 'WHATSAPP', address: '+442071838010' }, 'provider_account_id'],
    [
      { type: 'WHATSAPP', address: '+442071838010', provider_account_id: '1', credentials: {} },
      'credentials.access_token',
    ],
  ] as const) {
    expectError(await put('ruled', body), 400, 'invalid_request', field);
  }
  for (const ring_timeout_seconds of [5, 60]) {
    expect((await put('ruled', sip('+442071838010', { ring_timeout_seconds }))).status).toBe(200);
  }
});

test('a number can be one line per trunk, and lines on two trunks', async () => {
  await put('one', sip('+442071838020'));
  expectError(await put('two', sip('442071838020')), 400, 'invalid_request', 'address');
  const second = await platformTrunk(web, 'second');
  expect((await put('two', sip('+442071838020', { sip_trunk_id: second }))).status).toBe(200);
  const rival = await createWorldOnTrunk('rival');
  expectError(await rival('+442071838020'), 400, 'invalid_request', 'address');
});

/** Another consumer that puts a line on the first one's platform trunk. */
async function createWorldOnTrunk(slug: string) {
  const { apiKey } = await web.consumer(slug);
  await call('putTenant', { key: apiKey, path: { tenantRef }, body: { name: 'T' } });
  return (address: string) =>
    call('putChannel', { key: apiKey, path: { tenantRef, channelRef: 'x' }, body: sip(address) });
}

/** Two trunks with these source addresses, own or platform trunks, each used by another account. */
async function carrierOf(name: string, sources: [string, string], own: boolean) {
  const { db } = web.runtime;
  return Promise.all(
    sources.map(async (source, n) => {
      const slug = `${name}-${n}`;
      const { apiKey } = await web.consumer(slug);
      await call('putTenant', { key: apiKey, path: { tenantRef }, body: { name: 'T' } });
      const { id: consumerId } = await db.consumer.findUniqueOrThrow({ where: { slug } });
      const trunk = await db.sipTrunk.create({
        data: {
          name: slug,
          consumerId: own ? consumerId : null,
          status: 'ACTIVE',
          host: 'h',
          ingressLabel: slug,
          inboundSourceCidrs: [source],
        },
      });
      const putLine = (address: string, channelRef = 'x', body = {}) =>
        call('putChannel', {
          key: apiKey,
          path: { tenantRef, channelRef },
          body: { type: 'SIP', address, sip_trunk_id: trunk.id, ...body },
        });
      const change = (data: { ingressHostOnly?: boolean; status?: 'DRAFT' | 'ACTIVE' }) =>
        db.sipTrunk.update({ where: { id: trunk.id }, data });
      return { putLine, change };
    }),
  );
}

test.each([
  ['two platform trunks', ['192.0.2.0/28', '192.0.2.5'], false],
  ['trunks of two accounts that were active before', ['198.51.100.69', '198.51.100.64/28'], true],
  ['trunks of two accounts at a proxy on this machine', ['127.0.0.1', '127.0.0.0/8'], true],
] as const)(
  'a number of one tenant cannot be put on a trunk with the same sources by another: %s',
  async (what, [one, two], own) => {
    const slug = what.replaceAll(' ', '-').slice(0, 30);
    const [first, second] = await carrierOf(slug, [one, two], own);
    if (!first || !second) throw new Error('two trunks');
    expect((await first.putLine('+442071838060')).status).toBe(200);
    expectError(await second.putLine('+442071838060'), 400, 'invalid_request', 'address');
    // A line that exists cannot be moved to the number either.
    expect((await second.putLine('+442071838061')).status).toBe(200);
    expectError(await second.putLine('+442071838061', 'y'), 400, 'invalid_request', 'address');
    expectError(await second.putLine('+442071838060'), 400, 'invalid_request', 'address');
    expect((await first.putLine('+442071838060', 'x', { display_name: 'Main' })).status).toBe(200);
    // A trunk that is reached by its ingress host only does not claim calls by source address.
    await second.change({ ingressHostOnly: true });
    expect((await second.putLine('+442071838060')).status).toBe(200);
  },
);

test('a number may be on trunks with different sources, and on a trunk of another account that is not active yet', async () => {
  const [first, apart] = await carrierOf('apart', ['198.51.100.1', '198.51.100.2'], false);
  expect((await first?.putLine('+442071838062'))?.status).toBe(200);
  expect((await apart?.putLine('+442071838062'))?.status).toBe(200);
  const [active, draft] = await carrierOf('draft', ['198.51.100.3', '198.51.100.3'], true);
  await draft?.change({ status: 'DRAFT' });
  expect((await draft?.putLine('+442071838062'))?.status).toBe(200);
  expect((await active?.putLine('+442071838062'))?.status).toBe(200);
});

test('of two tenants that concurrently put one number on trunks with the same sources, one succeeds', async () => {
  const trunks = await carrierOf('raced', ['198.51.100.9', '198.51.100.9'], false);
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(
      trunks.map(({ putLine }) => putLine(`+44207183807${round}`, `r${round}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  }
});

test("another consumer's own trunk is unknown", async () => {
  const stranger = await web.runtime.db.consumer.create({ data: { slug: 'stranger', name: 'S' } });
  const { id } = await web.runtime.db.sipTrunk.create({
    data: { consumerId: stranger.id, name: 'theirs', status: 'ACTIVE', host: 'h', ingressLabel: 'theirs' },
  });
  expectError(
    await put('foreign', sip('+442071838030', { sip_trunk_id: id })),
    400,
    'invalid_request',
    'sip_trunk_id',
  );
  expectError(await call('getTrunk', { key, path: { trunkId: id } }), 404, 'not_found');
});

test('of two concurrent PUTs of one number, one succeeds and the other is an error', async () => {
  const answers = await Promise.all(['r1', 'r2', 'r3', 'r4'].map((ref) => put(ref, sip('+442071838040'))));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400]);
  for (const answer of answers.filter(({ status }) => status === 400)) {
    expectError(answer, 400, 'invalid_request', 'address');
  }
});

test('a line assigned to a queue while the queue is deleted: either the queue stays or the line is rejected', async () => {
  for (let round = 0; round < 10; round += 1) {
    const queue = { tenantRef, queueRef: `brief-${round}` };
    await call('putQueue', { key, path: queue, body: { name: 'Brief' } });
    const [line, deleted] = await Promise.all([
      put('raced', sip('+442071838041', { inbound_queue_ref: queue.queueRef })),
      call('deleteQueue', { key, path: queue }),
    ]);
    if (line.status === 200) expectError(deleted, 409, 'in_use');
    else expectError(line, 400, 'invalid_request', 'inbound_queue_ref');
    await put('raced', sip('+442071838041'));
  }
});

test('of two concurrent WhatsApp lines with one number, one succeeds and the other is an error', async () => {
  const answers = await Promise.all(
    ['wx', 'wy', 'wz'].map((ref) =>
      put(ref, { type: 'WHATSAPP', address: '+447700900050', provider_account_id: `account-${ref}` }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  for (const answer of answers.filter(({ status }) => status === 400)) {
    expectError(answer, 400, 'invalid_request', 'address');
  }
  for (const ref of ['wx', 'wy', 'wz'])
    await call('deleteChannel', { key, path: { tenantRef, channelRef: ref } });
});

test('the account and number of a WhatsApp line belong to it alone', async () => {
  const whatsapp = (address: string, account: unknown) => ({
    type: 'whatsapp',
    address,
    provider_account_id: account,
    credentials: { access_token: 'EAAB' },
  });
  const { channel } = (await put('wa', whatsapp('+447700900001', 15550001))).json;
  expect(channel).toMatchObject({
    type: 'WHATSAPP',
    address: '+447700900001',
    providerAccountId: '15550001',
    sipTrunkId: null,
    phoneNumberId: null,
    hasCredentials: true,
  });
  expectError(
    await put('wb', whatsapp('+447700900002', '15550001')),
    400,
    'invalid_request',
    'provider_account_id',
  );
  expectError(await put('wb', whatsapp('447700900001', '15550002')), 400, 'invalid_request', 'address');
});

test('changing the number of a line releases the first, which it can claim again', async () => {
  const numbers = () =>
    web.runtime.db.phoneNumber.findMany({
      where: { channelRef: 'moving' },
      orderBy: { id: 'asc' },
      select: { number: true, status: true, origin: true },
    });
  const first = (await put('moving', sip('+442071838050'))).json.channel.phoneNumberId;
  await put('moving', sip('+442071838051'));
  expect(await numbers()).toEqual([
    { number: '+442071838050', status: 'RELEASED', origin: 'PLATFORM' },
    { number: '+442071838051', status: 'ASSIGNED', origin: 'PLATFORM' },
  ]);
  expect((await put('moving', sip('+442071838050'))).json.channel.phoneNumberId).toBe(first);
  expect((await call('deleteChannel', { key, path: { tenantRef, channelRef: 'moving' } })).status).toBe(204);
  expect((await numbers()).map(({ status }) => status)).toEqual(['RELEASED', 'RELEASED']);
  expectError(
    await call('deleteChannel', { key, path: { tenantRef, channelRef: 'moving' } }),
    404,
    'not_found',
  );
});

test('lines are listed oldest first, with every filter, in pages or all together', async () => {
  const everything = await list();
  expect(everything.nextAfterId).toBeNull();
  const ids = everything.channels.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(await refs('type=whatsapp')).toEqual(['wa']);
  await put('adas', sip('+442071838060', { owner_agent_ref: 'ada' }));
  expect(await refs('owner_agent_ref=ada')).toEqual(['adas']);
  expect(await refs('unowned=true')).not.toContain('adas');
  expect(await refs('unowned=false')).toContain('adas');
  for (const address of ['%2B442071838060', '442071838060', '+442071838060', '00442071838060']) {
    expect(await refs(`address=${address}`)).toEqual(['adas']);
  }
  expect(await refs('address=%2B442071838999')).toEqual([]);
  expect(await refs('nonsense=1&type=')).toEqual(await refs());

  const seen: number[] = [];
  let after = '';
  for (;;) {
    const page = await list(`limit=3${after}`);
    seen.push(...page.channels.map(({ id }) => id));
    if (page.nextAfterId === null) break;
    expect(page.channels).toHaveLength(3);
    after = `&after_id=${page.nextAfterId}`;
  }
  expect(seen).toEqual((await list()).channels.map(({ id }) => id));
});

test('a wrong list query is named', async () => {
  const get = (query: string) => call('listChannels', { key, path: { tenantRef }, query });
  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=ten', 'limit'],
    ['after_id=-1', 'after_id'],
    ['type=FAX', 'type'],
    ['unowned=maybe', 'unowned'],
    ['unowned=true&owner_agent_ref=ada', 'unowned'],
  ] as const) {
    expectError(await get(query), 400, 'invalid_request', field);
  }
  expect((await get('limit=500')).status).toBe(200);
  expectError(await get('owner_agent_ref=nobody'), 404, 'not_found');
});

test('trunks: four fields of a platform trunk and all of an own trunk are shown, never a secret', async () => {
  const consumer = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
  const { id } = await web.runtime.db.sipTrunk.create({
    data: {
      consumerId: consumer.id,
      name: 'own',
      status: 'DRAFT',
      host: 'sip.carrier.example',
      ingressLabel: 'acme-own',
      inboundSourceCidrs: ['203.0.113.0/24'],
      numberRules: { countryCode: '44', nationalPrefix: '0' },
      username: 'u',
      passwordSealed: web.runtime.secrets.seal('trunk-password', 'hunter2'),
    },
  });
  await web.runtime.db.sipTrunk.create({ data: { name: 'prepared', host: 'h', ingressLabel: 'prepared' } });
  const answer = await call('listTrunks', { key });
  expect(answer.text).not.toContain('hunter2');
  expect(answer.json.selfService).toBe('APPROVAL');
  expect(answer.json.trunks.map(({ name }) => name)).not.toContain('prepared');
  expect(Object.keys(answer.json.trunks[0] ?? {}).toSorted()).toEqual(['id', 'name', 'owner', 'status']);
  expect((await call('getTrunk', { key, path: { trunkId: id } })).json.trunk).toMatchObject({
    owner: 'CONSUMER',
    ingressHost: 'acme-own.sip.example.com',
    ingressHostOnly: false,
    numberRules: { country_code: '44', national_prefix: '0' },
    codecs: null,
    hasCredentials: true,
    followTemplate: false,
  });
  for (const trunkId of [0, -1, 999_999, '1e3', 'abc', '99999999999']) {
    expectError(await call('getTrunk', { key, path: { trunkId } }), 404, 'not_found');
  }
});
