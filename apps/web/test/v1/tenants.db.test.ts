import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

let web: Web;
let fixture: TenantFixture;
let key: string;
beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
});
afterAll(() => web.stop());

const put = (tenantRef: string, body: unknown) => call('putTenant', { key, path: { tenantRef }, body });
const defaults = {
  teamView: true,
  monitoring: { modes: ['LISTEN'] },
  autoOffline: { enabled: false, missedThreshold: 3 },
  recording: { enabled: null, retentionDays: null },
};

test('a tenant is created with defaults, read back and listed', async () => {
  const { tenant } = (await put('first', { name: ' First ' })).json;
  expect(tenant).toMatchObject({ ref: 'first', name: 'First', status: 'ACTIVE', settings: defaults });
  expect((await call('getTenant', { key, path: { tenantRef: 'first' } })).json.tenant).toEqual(tenant);
  expect((await call('listTenants', { key })).json.tenants.map(({ ref }) => ref)).toEqual(['shop', 'first']);
});

test('the list includes counts of each tenant on request', async () => {
  const [shop] = (await call('listTenants', { key, query: 'counts=true' })).json.tenants;
  const path = { tenantRef: 'shop' };
  const { agents } = (await call('listAgents', { key, path })).json;
  const { queues } = (await call('listQueues', { key, path })).json;
  const { channels } = (await call('listChannels', { key, path })).json;
  expect(shop?.counts).toEqual({ agents: agents.length, queues: queues.length, channels: channels.length });
  expect((await call('listTenants', { key })).json.tenants[0]).not.toHaveProperty('counts');
});

test('settings are kept when omitted or null, replaced when given, cleared by {}', async () => {
  const settings = {
    team_view: false,
    monitoring: { modes: ['listen', 'Whisper', 'LISTEN'] },
    auto_offline: { enabled: true, missed_threshold: 100 },
    recording: { enabled: true, retention_days: 3650 },
  };
  const stored = {
    teamView: false,
    monitoring: { modes: ['LISTEN', 'WHISPER'] },
    autoOffline: { enabled: true, missedThreshold: 100 },
    recording: { enabled: true, retentionDays: 3650 },
  };
  expect((await put('kept', { name: 'K', settings })).json.tenant.settings).toEqual(stored);
  expect((await put('kept', { name: 'K' })).json.tenant.settings).toEqual(stored);
  expect((await put('kept', { name: 'K', settings: null })).json.tenant.settings).toEqual(stored);
  expect((await put('kept', { name: 'K', settings: { team_view: false } })).json.tenant.settings).toEqual({
    ...defaults,
    teamView: false,
  });
  expect((await put('kept', { name: 'K', settings: {} })).json.tenant.settings).toEqual(defaults);
});

test('an omitted status means ACTIVE and lifts a suspension', async () => {
  expect((await put('lifted', { name: 'L', status: 'suspended' })).json.tenant.status).toBe('SUSPENDED');
  expect((await put('lifted', { name: 'L' })).json.tenant.status).toBe('ACTIVE');
});

test('an invalid field is named as it was sent', async () => {
  for (const [body, field] of [
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'T', status: 'CLOSED' }, 'status'],
    [{ name: 'T', settings: 'none' }, 'settings'],
    [{ name: 'T', settings: { team_view: 'yes' } }, 'settings.team_view'],
    [{ name: 'T', settings: { monitoring: { modes: ['listen', 'spy'] } } }, 'settings.monitoring.modes[1]'],
    [
      { name: 'T', settings: { auto_offline: { missed_threshold: 0 } } },
      'settings.auto_offline.missed_threshold',
    ],
    [
      { name: 'T', settings: { auto_offline: { missed_threshold: 101 } } },
      'settings.auto_offline.missed_threshold',
    ],
    [{ name: 'T', settings: { recording: { retention_days: 3651 } } }, 'settings.recording.retention_days'],
    [{ name: 'T', settings: { recording: { retention_days: 1.5 } } }, 'settings.recording.retention_days'],
  ] as const) {
    expectError(await put('wrong', body), 400, 'invalid_request', field);
  }
  expectError(await call('getTenant', { key, path: { tenantRef: 'wrong' } }), 404, 'not_found');
});

test('only a SUSPENDED tenant without live calls can be deleted, with everything that belongs to it', async () => {
  const path = { tenantRef: 'shop' };
  expectError(await call('deleteTenant', { key, path }), 409, 'tenant_active');
  const { callId } = (
    await call('createCall', {
      key,
      path,
      body: { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' } },
    })
  ).json.call;
  await put('shop', { name: 'Shop', status: 'SUSPENDED' });
  expectError(await call('deleteTenant', { key, path }), 409, 'call_active');
  await call('terminateCall', { key, path: { callId } });
  expect((await call('deleteTenant', { key, path })).status).toBe(204);
  expectError(await call('getTenant', { key, path }), 404, 'not_found');
  expectError(await call('getCall', { key, path: { callId } }), 404, 'not_found');
  const { db } = web.runtime;
  expect(await db.event.count()).toBe(0);
  expect(
    await db.phoneNumber.findMany({ select: { status: true, tenantRef: true, channelRef: true } }),
  ).toEqual([{ status: 'RELEASED', tenantRef: 'shop', channelRef: 'main' }]);
});

test('a request that starts while its tenant is being deleted is a 404', async () => {
  await put('going', { name: 'Going', status: 'SUSPENDED' });
  const path = { tenantRef: 'going', agentRef: 'late', queueRef: 'late' };
  const { db } = web.runtime;
  const late = await db.$transaction(async (tx) => {
    await tx.tenant.deleteMany({ where: { ref: 'going' } });
    const begun = [
      call('putAgent', { key, path, body: { name: 'Late' } }),
      call('putQueue', { key, path, body: { name: 'Late' } }),
    ];
    // Both have found the tenant and wait for the lock.
    const blocked = () => db.$queryRaw<{ n: number }[]>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await blocked())[0]?.n).toBe(2);
    return begun;
  });
  for (const answer of await Promise.all(late)) expectError(answer, 404, 'not_found');
});

test('each change is in the audit log with its actor', async () => {
  await put('audited', { name: 'A' });
  const entry = await web.runtime.db.auditEntry.findFirstOrThrow({ where: { target: 'audited' } });
  expect(entry).toMatchObject({
    action: 'tenant.put',
    actorKind: 'apiKey',
    details: { name: 'A', status: 'ACTIVE' },
  });
});
