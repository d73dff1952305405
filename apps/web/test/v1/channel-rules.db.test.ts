import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture, platformTrunk } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

/** The six rules of lines, sentence by sentence (docs/requirements.md#lines); those of their list: channel-list.db.test.ts. */
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

const put = (channelRef: string, body: Record<string, unknown>, as = key) =>
  call('putChannel', { key: as, path: { tenantRef, channelRef }, body });
const line = async (channelRef: string, body: Record<string, unknown>) =>
  (await put(channelRef, body)).json.channel;
const remove = (channelRef: string) => call('deleteChannel', { key, path: { tenantRef, channelRef } });
const sip = (address: string, more: Record<string, unknown> = {}) => ({
  type: 'SIP',
  address,
  sip_trunk_id: fixture.trunkId,
  ...more,
});
const whatsApp = (address: string, account: unknown, more: Record<string, unknown> = {}) => ({
  type: 'WHATSAPP',
  address,
  provider_account_id: account,
  ...more,
});
const numbersOf = async (channelRef: string) =>
  (await web.runtime.db.phoneNumber.findMany({ where: { channelRef }, orderBy: { id: 'asc' } })).map(
    ({ number, status, channelId }) => `${number} ${status} ${channelId === null ? 'free' : 'held'}`,
  );
/** One success, and errors at the field for the others. */
function expectOneWinner(answers: Awaited<ReturnType<typeof put>>[], field: string): void {
  const losers = answers.filter(({ status }) => status !== 200);
  expect(losers).toHaveLength(answers.length - 1);
  for (const loser of losers) expectError(loser, 400, 'invalid_request', field);
}

describe('fields', () => {
  test('null equals omitting, for every field with a default', async () => {
    const full = await line(
      'nulls',
      sip('+442071839001', { display_name: 'N', owner_agent_ref: 'ada', status: 'DISABLED' }),
    );
    const nulls = await line(
      'nulls',
      sip('+442071839001', {
        display_name: null,
        provider_account_id: null,
        inbound_queue_ref: null,
        owner_agent_ref: null,
        ring_timeout_seconds: null,
        recording_enabled: null,
        status: null,
      }),
    );
    expect(nulls).toEqual({ ...full, displayName: null, ownerAgentId: null, status: 'ACTIVE' });
    expect(await line('nulls', sip('+442071839001', { display_name: '  ', inbound_queue_ref: '' }))).toEqual(
      nulls,
    );
  });

  test('the longest address and display name are accepted, and one more character is not', async () => {
    const spaced = `+44 20 7183 9002${' '.repeat(34)}`;
    expect(spaced).toHaveLength(50);
    expect((await line('long', sip(spaced))).address).toBe('+442071839002');
    expect((await line('long', whatsApp('w'.repeat(50), 'long'))).address).toBe('w'.repeat(50));
    expectError(await put('long', whatsApp('w'.repeat(51), 'long')), 400, 'invalid_request', 'address');
    const name = '☎️'.repeat(127);
    expect((await line('long', sip('+442071839002', { display_name: `${name}x` }))).displayName).toBe(
      `${name}x`,
    );
    expectError(
      await put('long', sip('+442071839002', { display_name: 'x'.repeat(256) })),
      400,
      'invalid_request',
      'display_name',
    );
  });

  test('recording_enabled false is the line’s own choice, null follows the account', async () => {
    expect((await line('quiet', sip('+442071839003', { recording_enabled: false }))).recording).toEqual({
      enabled: false,
      source: 'LINE',
    });
    expect((await line('quiet', sip('+442071839003'))).recording.source).toBe('ACCOUNT');
  });

  test('least-cost routing and margin guard are off unless set, and least-cost routing needs a backup trunk', async () => {
    const backup = await platformTrunk(web, 'cheaper');
    const careful = { backup_sip_trunk_id: backup, least_cost_routing: true, margin_guard: true };
    expect(await line('cheap', sip('+442071839004', careful))).toMatchObject({
      leastCostRouting: true,
      marginGuard: true,
    });
    expect(await line('cheap', sip('+442071839004', { backup_sip_trunk_id: backup }))).toMatchObject({
      leastCostRouting: false,
      marginGuard: false,
    });
    const alone = sip('+442071839004', { least_cost_routing: true });
    expectError(await put('cheap', alone), 400, 'invalid_request', 'least_cost_routing');
    const onWhatsApp = whatsApp('442071839005', 'cheap', { margin_guard: true });
    expectError(await put('cheap', onWhatsApp), 400, 'invalid_request', 'margin_guard');
  });

  test('an unknown ref is an error at its field: a queue or agent of another tenant, a deleted agent', async () => {
    const other = { tenantRef: 'branch' };
    await call('putTenant', { key, path: other, body: { name: 'Branch' } });
    await call('putQueue', { key, path: { ...other, queueRef: 'branch-queue' }, body: { name: 'Q' } });
    await call('putAgent', { key, path: { ...other, agentRef: 'branch-agent' }, body: { name: 'B' } });
    await call('putAgent', { key, path: { tenantRef, agentRef: 'left' }, body: { name: 'L' } });
    await call('deleteAgent', { key, path: { tenantRef, agentRef: 'left' } });
    for (const [field, value] of [
      ['inbound_queue_ref', 'branch-queue'],
      ['inbound_queue_ref', 7],
      ['inbound_queue_ref', 'x'.repeat(192)],
      ['owner_agent_ref', 'branch-agent'],
      ['owner_agent_ref', 'left'],
      ['owner_agent_ref', ['ada']],
    ] as const) {
      expectError(
        await put('reffed', sip('+442071839004', { [field]: value })),
        400,
        'invalid_request',
        field,
      );
    }
    expectError(
      await call('getChannel', { key, path: { tenantRef, channelRef: 'reffed' } }),
      404,
      'not_found',
    );
  });

  test('concurrent PUTs create a line once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => put('often', sip('+442071839005'))));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ json }) => json.channel.id)).size).toBe(1);
    expect(await numbersOf('often')).toEqual(['+442071839005 ASSIGNED held']);
  });

  test('a concurrent PUT and DELETE leave a line with its number, or neither', async () => {
    for (let round = 0; round < 8; round += 1) {
      await put('flicker', sip('+442071839006'));
      const [again, gone] = await Promise.all([put('flicker', sip('+442071839007')), remove('flicker')]);
      expect([again.status, gone.status]).toEqual([200, 204]);
      const held = await web.runtime.db.phoneNumber.count({
        where: { channelRef: 'flicker', status: 'ASSIGNED' },
      });
      expect(held).toBe(await web.runtime.db.channel.count({ where: { ref: 'flicker' } }));
      await remove('flicker');
    }
  });
});

describe('rule 1: all forms of a DID are one number', () => {
  test('a line in one form is the same line in every other form', async () => {
    await put('did', sip('0044 20 7183 9010'));
    for (const form of ['+442071839010', '442071839010', '00442071839010', '+44-20-7183-9010']) {
      expectError(await put('twin', sip(form)), 400, 'invalid_request', 'address');
      expect((await line('did', sip(form))).address).toBe('+442071839010');
    }
  });
});

describe('rule 2: an address and a provider account belong to one line', () => {
  test('a provider account ID as a string or an integer is the same', async () => {
    expect((await line('acc', whatsApp('+447700901001', 436666719526789))).providerAccountId).toBe(
      '436666719526789',
    );
    expectError(
      await put('acc2', whatsApp('+447700901002', ' 436666719526789 ')),
      400,
      'invalid_request',
      'provider_account_id',
    );
    expect((await line('acc', whatsApp('+447700901001', 'x'.repeat(191)))).providerAccountId).toHaveLength(
      191,
    );
    for (const wrong of ['x'.repeat(192), 1.5, 2 ** 53, true, ['1'], {}, null, ' ']) {
      expectError(
        await put('acc', whatsApp('+447700901001', wrong)),
        400,
        'invalid_request',
        'provider_account_id',
      );
    }
  });

  test('an account belongs to one line of any type, tenant and consumer', async () => {
    await put('mine', whatsApp('+447700901010', 'taken'));
    expectError(
      await put('sip-too', sip('+442071839020', { provider_account_id: 'taken' })),
      400,
      'invalid_request',
      'provider_account_id',
    );
    const rival = await createTenantFixture(web, 'rival');
    expectError(
      await put('x', whatsApp('+447700901011', 'taken'), rival.key),
      400,
      'invalid_request',
      'provider_account_id',
    );
    expectError(
      await put('x', whatsApp('447700901010', 'free'), rival.key),
      400,
      'invalid_request',
      'address',
    );
    await remove('mine');
    expect((await put('x', whatsApp('+447700901010', 'taken'), rival.key)).status).toBe(200);
    await call('deleteChannel', { key: rival.key, path: { tenantRef, channelRef: 'x' } });
  });

  test('of concurrent lines with one account, one succeeds', async () => {
    const rivals = Array.from({ length: 6 }, (_, index) =>
      put(`account-${index}`, whatsApp(`+44770090202${index}`, 'wanted')),
    );
    expectOneWinner(await Promise.all(rivals), 'provider_account_id');
  });

  test('of concurrent WhatsApp lines with one number in any form, one succeeds', async () => {
    const other = (await createTenantFixture(web, 'late')).key;
    const forms = ['+447700901030', '447700901030', '00447700901030', '+44 7700 901030'];
    const answers = await Promise.all([
      ...forms.map((form, index) => put(`form-${index}`, whatsApp(form, `form-${index}`))),
      ...forms.map((form, index) => put(`form-${index}`, whatsApp(form, `other-${index}`), other)),
    ]);
    expectOneWinner(answers, 'address');
  });

  test('one number may be a WhatsApp line and a SIP line, and a SIP line on each of two trunks', async () => {
    const trunk = await platformTrunk(web, 'another');
    expect((await put('n1', sip('+447700901040'))).status).toBe(200);
    expect((await put('n2', whatsApp('+447700901040', 'n2'))).status).toBe(200);
    expect((await put('n3', sip('+447700901040', { sip_trunk_id: trunk }))).status).toBe(200);
    expectError(await put('n3', sip('+447700901040')), 400, 'invalid_request', 'address');
    expect((await line('n3', sip('+447700901040', { sip_trunk_id: trunk }))).sipTrunkId).toBe(trunk);
  });

  test('of concurrent lines with one number on one trunk, of any consumer, one succeeds', async () => {
    const stranger = (await createTenantFixture(web, 'strange')).key;
    const answers = await Promise.all(
      [key, stranger, key, stranger].map((as, index) => put(`did-${index}`, sip('+442071839030'), as)),
    );
    expectOneWinner(answers, 'address');
  });
});

describe('rules 3 to 5: shared, personal, neither', () => {
  test('each PUT can change the owner of a line', async () => {
    const shared = await line('hands', sip('+442071839040', { inbound_queue_ref: 'support' }));
    expect([shared.inboundQueueId === null, shared.ownerAgentId]).toEqual([false, null]);
    const personal = await line(
      'hands',
      sip('+442071839040', { owner_agent_ref: 'ada', ring_timeout_seconds: 5 }),
    );
    expect([personal.inboundQueueId, personal.ownerAgentId === null, personal.ringTimeoutSeconds]).toEqual([
      null,
      false,
      5,
    ]);
    const neither = await line('hands', sip('+442071839040'));
    expect([neither.inboundQueueId, neither.ownerAgentId, neither.ringTimeoutSeconds]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('a personal line keeps its owner when the owner is deleted and created again', async () => {
    const path = { tenantRef, agentRef: 'rejoiner' };
    await call('putAgent', { key, path, body: { name: 'R' } });
    const { ownerAgentId } = await line('rejoined', sip('+442071839041', { owner_agent_ref: 'rejoiner' }));
    await call('deleteAgent', { key, path });
    const get = () => call('getChannel', { key, path: { tenantRef, channelRef: 'rejoined' } });
    expect((await get()).json.channel.ownerAgentId).toBe(ownerAgentId);
    expect((await call('putAgent', { key, path, body: { name: 'R' } })).json.agent.id).toBe(ownerAgentId);
  });
});

describe('trunks of SIP lines', () => {
  test('a line can be put on a trunk of its own consumer in any state', async () => {
    const { id: consumerId } = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
    for (const status of ['DRAFT', 'PENDING', 'ACTIVE', 'DISABLED', 'SUSPENDED'] as const) {
      const { id } = await web.runtime.db.sipTrunk.create({
        data: { consumerId, name: status, status, host: 'h', ingressLabel: `own-${status}` },
      });
      expect((await put('early', sip('+442071839050', { sip_trunk_id: id }))).status).toBe(200);
    }
  });

  test('any other trunk is 400, as is a trunk on a WhatsApp line', async () => {
    const stranger = await web.runtime.db.consumer.create({ data: { slug: 'trunk-owner', name: 'T' } });
    const theirs = await web.runtime.db.sipTrunk.create({
      data: {
        consumerId: stranger.id,
        name: 'theirs',
        status: 'ACTIVE',
        host: 'h',
        ingressLabel: 'theirs-2',
      },
    });
    const prepared = await web.runtime.db.sipTrunk.create({
      data: { name: 'prepared', status: 'DRAFT', host: 'h', ingressLabel: 'prepared-2' },
    });
    for (const sip_trunk_id of [theirs.id, prepared.id, 0, -1, 2 ** 31, 1.5, 'one', true]) {
      expectError(
        await put('astray', sip('+442071839051', { sip_trunk_id })),
        400,
        'invalid_request',
        'sip_trunk_id',
      );
    }
    const body = whatsApp('+447700901050', 'astray', { sip_trunk_id: theirs.id });
    expectError(await put('astray', body), 400, 'invalid_request', 'sip_trunk_id');
    expect((await line('astray', { ...body, sip_trunk_id: fixture.trunkId })).sipTrunkId).toBeNull();
  });
});

describe('a line that changes its type', () => {
  test('from SIP to WhatsApp releases its number and needs an account; changing back claims the number again', async () => {
    const first = await line('switch', sip('+442071839060', { credentials: { access_token: ' EAAB\n' } }));
    expectError(
      await put('switch', { type: 'WHATSAPP', address: '+442071839060' }),
      400,
      'invalid_request',
      'provider_account_id',
    );
    expect(await numbersOf('switch')).toEqual(['+442071839060 ASSIGNED held']);
    const switched = await line('switch', whatsApp('+442071839060', 'switch'));
    expect(switched).toMatchObject({
      id: first.id,
      type: 'WHATSAPP',
      sipTrunkId: null,
      phoneNumberId: null,
      hasCredentials: true,
    });
    expect(await numbersOf('switch')).toEqual(['+442071839060 RELEASED free']);
    const row = await web.runtime.db.channel.findUniqueOrThrow({ where: { id: first.id } });
    expect(web.runtime.secrets.open('channel-credentials', row.credentialsSealed ?? '')).toBe(
      '{"access_token":"EAAB"}',
    );
    expect(await line('switch', sip('+442071839060'))).toEqual(first);
    expect(await numbersOf('switch')).toEqual(['+442071839060 ASSIGNED held']);
  });

  test('moving to another trunk releases the number there', async () => {
    const trunk = await platformTrunk(web, 'move');
    const { phoneNumberId } = await line('mover', sip('+442071839061'));
    const moved = await line('mover', sip('+442071839061', { sip_trunk_id: trunk }));
    expect(moved.phoneNumberId).not.toBe(phoneNumberId);
    expect(await numbersOf('mover')).toEqual(['+442071839061 RELEASED free', '+442071839061 ASSIGNED held']);
  });

  test('deleting a line releases its number and its account', async () => {
    await put('leaver', sip('+442071839062', { provider_account_id: 'leaver' }));
    expect((await remove('leaver')).status).toBe(204);
    expect(await numbersOf('leaver')).toEqual(['+442071839062 RELEASED free']);
    expect((await put('heir', sip('+442071839062', { provider_account_id: 'leaver' }))).status).toBe(200);
  });
});

describe('credentials of a WhatsApp line', () => {
  test('are kept when omitted, cleared by null, need an access_token, and are never returned', async () => {
    const body = whatsApp('+447700901060', 'cred');
    expect((await line('cred', body)).hasCredentials).toBe(false);
    const set = await put('cred', { ...body, credentials: { access_token: 'EAAB-secret' } });
    expect([set.json.channel.hasCredentials, set.text.includes('EAAB')]).toEqual([true, false]);
    for (const wrong of [
      {},
      { access_token: '' },
      { access_token: '  ' },
      { access_token: 7 },
      { token: 'x' },
    ]) {
      expectError(
        await put('cred', { ...body, credentials: wrong }),
        400,
        'invalid_request',
        'credentials.access_token',
      );
    }
    for (const wrong of ['EAAB', 7, ['EAAB']]) {
      expectError(await put('cred', { ...body, credentials: wrong }), 400, 'invalid_request', 'credentials');
    }
    expect((await line('cred', body)).hasCredentials).toBe(true);
    expect((await line('cred', { ...body, credentials: null })).hasCredentials).toBe(false);
    const entries = await web.runtime.db.auditEntry.findMany({ where: { target: 'cred' } });
    expect(JSON.stringify(entries.map(({ details }) => details))).not.toContain('EAAB');
  });
});
