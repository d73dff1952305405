/** The numbers of SIP lines: assigned, released and assigned again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchedSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

let web: Web;
let fixture: TenantFixture;
let key: string;
let ownTrunk: number;

beforeAll(async () => {
  web = await startWeb();
  web.runtime.settings.resolve = async () => ['198.41.0.4'];
  fixture = await createTenantFixture(web, 'acme'); // with the line `main` of tenant `shop`
  ({ key } = fixture);
  await call('putTenant', { key, path: { tenantRef: 'cafe' }, body: { name: 'Cafe' } });
  const body = { name: 'own', host: 'sip.carrier.example' };
  ownTrunk = (await call('createTrunk', { key, body })).json.trunk.id;
});
afterAll(() => web.stop());

const numbers = async (query = '') => (await call('listNumbers', { key, query })).json.numbers;
const line = (tenantRef: string, channelRef: string, address: string, trunkId: number) =>
  call('putChannel', {
    key,
    path: { tenantRef, channelRef },
    body: { type: 'SIP', address, sip_trunk_id: trunkId },
  });
const remove = (tenantRef: string, channelRef: string) =>
  call('deleteChannel', { key, path: { tenantRef, channelRef } });

test('a number is assigned with its line, released with it, and assigned again under the same ID', async () => {
  await line('shop', 'sales', '+442071838701', ownTrunk);
  const [assigned] = (await numbers('tenant_ref=shop')).filter(({ channelRef }) => channelRef === 'sales');
  expect(assigned).toEqual({
    id: assigned?.id,
    number: '+442071838701',
    sipTrunkId: ownTrunk,
    trunkName: 'own',
    origin: 'BYOC',
    status: 'ASSIGNED',
    tenantRef: 'shop',
    channelRef: 'sales',
    verifiedAt: null,
    createdAt: assigned?.createdAt,
    releasedAt: null,
  });
  await line('shop', 'sales', '+442071838702', ownTrunk);
  const released = (await numbers('status=released')).find(({ id }) => id === assigned?.id);
  expect(released).toMatchObject({ status: 'RELEASED', tenantRef: 'shop', channelRef: 'sales' });
  expect(released?.releasedAt).not.toBeNull();
  // Another tenant gets it.
  await line('cafe', 'bar', '+442071838701', ownTrunk);
  expect((await numbers('tenant_ref=cafe')).map(({ id, status }) => [id, status])).toEqual([
    [assigned?.id, 'ASSIGNED'],
  ]);
  await remove('cafe', 'bar');
  await remove('shop', 'sales');
});

test('a number stays verified with its tenant, and is verified again for another one', async () => {
  await line('shop', 'sure', '+442071838711', ownTrunk);
  const verifiedAt = new Date('2026-02-01T10:00:00.000Z');
  const where = { number: '+442071838711' };
  await web.runtime.db.phoneNumber.updateMany({ where, data: { verifiedAt } });
  const shown = async () => (await numbers()).find(({ number }) => number === where.number)?.verifiedAt;
  expect(await shown()).toBe(verifiedAt.toISOString());
  await remove('shop', 'sure');
  await line('shop', 'sure-again', '+442071838711', ownTrunk);
  expect(await shown()).toBe(verifiedAt.toISOString());
  await remove('shop', 'sure-again');
  await line('cafe', 'new', '+442071838711', ownTrunk);
  expect(await shown()).toBeNull();
  await remove('cafe', 'new');
});

test('a number belongs to the first trunk of a line only', async () => {
  const count = (await numbers()).length;
  const { channel } = (
    await call('putChannel', {
      key,
      path: { tenantRef: 'shop', channelRef: 'two' },
      body: {
        type: 'SIP',
        address: '+442071838703',
        sip_trunk_id: fixture.trunkId,
        backup_sip_trunk_id: ownTrunk,
      },
    })
  ).json;
  expect(channel).toMatchObject({ sipTrunkId: fixture.trunkId, backupSipTrunkId: ownTrunk });
  const added = (await numbers()).slice(count);
  expect(added.map(({ sipTrunkId, origin }) => [sipTrunkId, origin])).toEqual([
    [fixture.trunkId, 'PLATFORM'],
  ]);
  // The same number on the other trunk is another line.
  expect((await line('shop', 'other', '+442071838703', ownTrunk)).status).toBe(200);
  await remove('shop', 'other');
  // A PUT without it removes the second trunk.
  expect(
    (await line('shop', 'two', '+442071838703', fixture.trunkId)).json.channel.backupSipTrunkId,
  ).toBeNull();
  for (const wrong of [fixture.trunkId, 999_999, 0, -1, 3_000_000_000]) {
    const body = {
      type: 'SIP',
      address: '+442071838703',
      sip_trunk_id: fixture.trunkId,
      backup_sip_trunk_id: wrong,
    };
    const answer = await call('putChannel', { key, path: { tenantRef: 'shop', channelRef: 'two' }, body });
    expectError(answer, 400, 'invalid_request', 'backup_sip_trunk_id');
  }
  await remove('shop', 'two');
});

test("another account's trunk cannot be the second trunk", async () => {
  const stranger = (await web.consumer('stranger')).apiKey;
  const theirs = (
    await call('createTrunk', { key: stranger, body: { name: 'theirs', host: 'sip.carrier.example' } })
  ).json.trunk.id;
  const answer = await call('putChannel', {
    key,
    path: { tenantRef: 'shop', channelRef: 'main' },
    body: {
      type: 'SIP',
      address: '+442071838750',
      sip_trunk_id: fixture.trunkId,
      backup_sip_trunk_id: theirs,
    },
  });
  expectError(answer, 400, 'invalid_request', 'backup_sip_trunk_id');
  expect((await call('listNumbers', { key: stranger })).json.numbers).toEqual([]);
});

test('the list is filtered by status and tenant; an unknown tenant is 404', async () => {
  const all = await numbers();
  expect((await numbers('status=ASSIGNED&tenant_ref=shop')).map(({ channelRef }) => channelRef)).toEqual([
    'main',
  ]);
  expect((await numbers('status=ASSIGNED')).length + (await numbers('status=RELEASED')).length).toBe(
    all.length,
  );
  for (const reserved of ['AVAILABLE', 'porting']) expect(await numbers(`status=${reserved}`)).toEqual([]);
  expectError(await call('listNumbers', { key, query: 'status=LOST' }), 400, 'invalid_request', 'status');
  expectError(await call('listNumbers', { key, query: 'tenant_ref=nobody' }), 404, 'not_found');
});

test("a person of one tenant sees that tenant's numbers", async () => {
  await line('cafe', 'front', '+442071838704', ownTrunk);
  const launched = await launchedSession(web, 'acme', 'cafe', 'ADMIN');
  const seen = (await call('listNumbers', launched)).json.numbers;
  expect(seen.map(({ tenantRef }) => tenantRef)).toEqual(seen.map(() => 'cafe'));
  expect(seen.map(({ number }) => number)).toContain('+442071838704');
  expectError(await call('listNumbers', { ...launched, query: 'tenant_ref=shop' }), 404, 'not_found');
});

test('numbers of a deleted tenant stay in the list', async () => {
  const path = { tenantRef: 'brief' };
  await call('putTenant', { key, path, body: { name: 'Brief' } });
  await line('brief', 'desk', '+442071838705', ownTrunk);
  await call('putTenant', { key, path, body: { name: 'Brief', status: 'SUSPENDED' } });
  expect((await call('deleteTenant', { key, path })).status).toBe(204);
  expect((await numbers('status=RELEASED')).find(({ number }) => number === '+442071838705')).toMatchObject({
    tenantRef: 'brief',
    channelRef: 'desk',
  });
});
