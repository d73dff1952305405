import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

/** The rules of the list of lines, sentence by sentence (docs/requirements.md#lists). */
let web: Web;
let fixture: TenantFixture;
let key: string;
afterAll(() => web.stop());

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

const path = { tenantRef: 'listed' };
const get = (query: string) => call('listChannels', { key, path, query });
const refs = async (query = '') => (await get(query)).json.channels.map(({ ref }) => ref);
beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
  await call('putTenant', { key, path, body: { name: 'Listed' } });
  for (const agentRef of ['owner', 'lineless']) {
    await call('putAgent', { key, path: { ...path, agentRef }, body: { name: agentRef } });
  }
  for (const [channelRef, body] of [
    ['z', sip('+442071839101', { owner_agent_ref: 'owner' })],
    ['y', whatsApp('447700901101', 'y', { owner_agent_ref: 'owner' })],
    ['x', sip('+442071839103')],
    ['w', whatsApp('+44 7700 901104', 'w')],
  ] as const) {
    await call('putChannel', { key, path: { ...path, channelRef }, body });
  }
});

test('is oldest first, and a PUT does not make a line younger', async () => {
  await call('putChannel', {
    key,
    path: { ...path, channelRef: 'z' },
    body: sip('+442071839101', { owner_agent_ref: 'owner' }),
  });
  expect(await refs()).toEqual(['z', 'y', 'x', 'w']);
});

test('filters by type, owner, unowned and address, and by all at once', async () => {
  expect(await refs('type=SIP')).toEqual(['z', 'x']);
  expect(await refs('type=whatsapp')).toEqual(['y', 'w']);
  expect(await refs('owner_agent_ref=owner')).toEqual(['z', 'y']);
  expect(await refs('owner_agent_ref=owner&type=SIP')).toEqual(['z']);
  expect(await refs('owner_agent_ref=owner&unowned=false')).toEqual(['z', 'y']);
  expect(await refs('owner_agent_ref=lineless')).toEqual([]);
  expect(await refs('unowned=true')).toEqual(['x', 'w']);
  expect(await refs('unowned=TRUE&type=WHATSAPP')).toEqual(['w']);
  for (const [ref, digits] of [
    ['z', '442071839101'],
    ['y', '447700901101'],
    ['w', '447700901104'],
  ] as const) {
    for (const form of [digits, `%2B${digits}`, `+${digits}`, `00${digits}`]) {
      expect([form, await refs(`address=${form}`)]).toEqual([form, [ref]]);
    }
  }
  expect(await refs('address=442071839101&type=WHATSAPP')).toEqual([]);
  expect(await refs('type=&owner_agent_ref=&unowned=&address=&limit=&after_id=')).toEqual([
    'z',
    'y',
    'x',
    'w',
  ]);
});

test('pages of any size contain each line once and end with null', async () => {
  const all = (await get('')).json;
  expect([all.channels.length, all.nextAfterId]).toEqual([4, null]);
  for (const limit of [1, 2, 3, 4, 5, 500]) {
    const seen: string[] = [];
    let afterId: number | null = 0;
    while (afterId !== null) {
      const { channels, nextAfterId }: typeof all = (await get(`limit=${limit}&after_id=${afterId}`)).json;
      expect(channels.length).toBeLessThanOrEqual(limit);
      seen.push(...channels.map(({ ref }) => ref));
      afterId = nextAfterId;
    }
    expect(seen).toEqual(['z', 'y', 'x', 'w']);
  }
  // A last page that is full has nothing after it.
  expect((await get('limit=4')).json.nextAfterId).toBeNull();
  expect(await refs(`after_id=${all.channels[1]?.id}`)).toEqual(['x', 'w']);
});

test('each invalid parameter is named, and each bound is accepted', async () => {
  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=-1', 'limit'],
    ['after_id=x', 'after_id'],
    ['after_id=2147483648', 'after_id'],
    ['type=FAX', 'type'],
    ['unowned=1', 'unowned'],
    ['unowned=true&owner_agent_ref=owner', 'unowned'],
    ['unowned=true&owner_agent_ref=nobody', 'unowned'],
    [`owner_agent_ref=${'x'.repeat(192)}`, 'owner_agent_ref'],
    [`address=${'4'.repeat(192)}`, 'address'],
  ] as const) {
    expectError(await get(query), 400, 'invalid_request', field);
  }
  for (const query of ['limit=1', 'limit=500', 'after_id=2147483647', 'address=%20']) {
    expect([query, (await get(query)).status]).toEqual([query, 200]);
  }
  expectError(await get('owner_agent_ref=nobody'), 404, 'not_found');
  expectError(await get('owner_agent_ref=ada'), 404, 'not_found');
  expectError(await call('listChannels', { key, path: { tenantRef: 'nowhere' } }), 404, 'not_found');
});
