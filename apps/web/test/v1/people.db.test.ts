import { listen } from '@clarion/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

/** Tenants and agents, sentence by sentence (docs/requirements.md#fields). */
let web: Web;
let key: string;
const tenantRef = 'shop';
beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('acme')).apiKey;
  await putTenant(tenantRef, { name: 'Shop' });
});
afterAll(() => web.stop());

const putTenant = (ref: string, body: unknown) => call('putTenant', { key, path: { tenantRef: ref }, body });
const settingsOf = async (settings: unknown) =>
  (await putTenant('settings', { name: 'S', settings })).json.tenant.settings;
const putAgent = (agentRef: string, body: unknown) =>
  call('putAgent', { key, path: { tenantRef, agentRef }, body });
const agent = async (agentRef: string, body: unknown) => (await putAgent(agentRef, body)).json.agent;

describe('refs', () => {
  test('of 1 to 191 characters in any script are accepted, and belong to their consumer', async () => {
    for (const ref of ['x', 'x'.repeat(191), '🙂'.repeat(191), 'a/b?c#d%e', 'Ünï code']) {
      expect((await putTenant(ref, { name: 'T' })).json.tenant.ref).toBe(ref);
      expect((await call('getTenant', { key, path: { tenantRef: ref } })).json.tenant.ref).toBe(ref);
      const path = { tenantRef: ref, agentRef: ref };
      expect((await call('putAgent', { key, path, body: { name: 'A' } })).json.agent).toMatchObject({
        ref,
        tenantRef: ref,
      });
    }
  });

  test('that are too long or blank are 400 on a PUT and 404 elsewhere', async () => {
    for (const ref of ['x'.repeat(192), ' ', '\0', '🙂'.repeat(192)]) {
      expectError(await putTenant(ref, { name: 'T' }), 400, 'invalid_request', 'tenant_ref');
      expectError(await putAgent(ref, { name: 'A' }), 400, 'invalid_request', 'agent_ref');
      expectError(await call('getTenant', { key, path: { tenantRef: ref } }), 404, 'not_found');
      expectError(await call('getAgent', { key, path: { tenantRef, agentRef: ref } }), 404, 'not_found');
      expectError(await call('deleteAgent', { key, path: { tenantRef, agentRef: ref } }), 404, 'not_found');
    }
  });
});

describe('a tenant', () => {
  test('is replaced by PUT except for its settings; unknown fields are ignored', async () => {
    const first = (
      await putTenant('whole', { name: 'One', status: 'SUSPENDED', settings: { team_view: false } })
    ).json;
    const second = (await putTenant('whole', { name: ' Two ', colour: 'red', settings: null })).json;
    expect(second.tenant).toEqual({
      ...first.tenant,
      name: 'Two',
      status: 'ACTIVE',
      updatedAt: second.tenant.updatedAt,
    });
    expect(second.tenant.settings.teamView).toBe(false);
    expect((await putTenant('whole', { name: 'Two', status: ' Suspended ' })).json.tenant.status).toBe(
      'SUSPENDED',
    );
    expect((await putTenant('whole', { name: 'Two', status: '' })).json.tenant.status).toBe('ACTIVE');
    expect((await putTenant('whole', { name: 'Two', status: null })).json.tenant.status).toBe('ACTIVE');
  });

  test('has exact bounds', async () => {
    expect((await putTenant('edges', { name: 'n'.repeat(255) })).status).toBe(200);
    expectError(await putTenant('edges', { name: 'n'.repeat(256) }), 400, 'invalid_request', 'name');
    for (const [group, name, min, max] of [
      ['auto_offline', 'missed_threshold', 1, 100],
      ['recording', 'retention_days', 1, 3650],
    ] as const) {
      for (const value of [min, max]) expect(await settingsOf({ [group]: { [name]: value } })).toBeTruthy();
      for (const value of [min - 1, max + 1, 1.5, '5', true]) {
        expectError(
          await putTenant('edges', { name: 'E', settings: { [group]: { [name]: value } } }),
          400,
          'invalid_request',
          `settings.${group}.${name}`,
        );
      }
    }
    for (const settings of [[], 'none', 7, true]) {
      expectError(await putTenant('edges', { name: 'E', settings }), 400, 'invalid_request', 'settings');
    }
    expectError(await putTenant('edges', '[]'), 400, 'invalid_request');
    expectError(await putTenant('edges', '{"name":'), 400, 'invalid_request');
  });

  test('settings get the defaults for omitted fields', async () => {
    expect(await settingsOf({ auto_offline: { enabled: true } })).toMatchObject({
      teamView: true,
      autoOffline: { enabled: true, missedThreshold: 3 },
    });
    expect(await settingsOf({ monitoring: { modes: [] } })).toMatchObject({ monitoring: { modes: [] } });
    expect(await settingsOf({ monitoring: { modes: ['Barge', ' whisper '] } })).toMatchObject({
      monitoring: { modes: ['BARGE', 'WHISPER'] },
      autoOffline: { enabled: false },
    });
    expect(await settingsOf({ recording: { enabled: false } })).toMatchObject({
      recording: { enabled: false, retentionDays: null },
    });
    expect(await settingsOf({})).toEqual({
      teamView: true,
      monitoring: { modes: ['LISTEN'] },
      autoOffline: { enabled: false, missedThreshold: 3 },
      recording: { enabled: null, retentionDays: null },
    });
  });

  test('is created once by concurrent PUTs', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => putTenant('often', { name: 'O' })));
    expect(new Set(answers.map(({ json }) => json.tenant.id)).size).toBe(1);
  });

  test('that is SUSPENDED can be configured over the API; only its users cannot connect', async () => {
    await putTenant('closed', { name: 'Closed', status: 'SUSPENDED' });
    const path = { tenantRef: 'closed', agentRef: 'amy' };
    expect((await call('putAgent', { key, path, body: { name: 'Amy' } })).status).toBe(200);
    expect((await call('listAgents', { key, path })).json.agents).toHaveLength(1);
    expectError(await call('deleteTenant', { key, path: { tenantRef: 'open?' } }), 404, 'not_found');
    expect((await call('deleteTenant', { key, path })).status).toBe(204);
    expectError(await call('deleteTenant', { key, path }), 404, 'not_found');
  });
});

describe('an agent', () => {
  test('has a name and a role; an omitted, null or blank role is kept', async () => {
    expect(await agent('rita', { name: ' Rita ' })).toMatchObject({ name: 'Rita', role: 'AGENT' });
    expect((await agent('rita', { name: 'Rita', role: ' supervisor ' })).role).toBe('SUPERVISOR');
    for (const role of [undefined, null, '', ' ']) {
      expect((await agent('rita', { name: 'Rita', role })).role).toBe('SUPERVISOR');
    }
    expect((await agent('rita', { name: 'Rita', role: 'agent' })).role).toBe('AGENT');
  });

  test('has exact bounds, and each invalid field is named', async () => {
    expect((await agent('edge', { name: 'n'.repeat(255) })).name).toHaveLength(255);
    for (const [body, field] of [
      [{}, 'name'],
      [{ name: null }, 'name'],
      [{ name: ' ' }, 'name'],
      [{ name: 7 }, 'name'],
      [{ name: 'a\0b' }, 'name'],
      [{ name: 'n'.repeat(256) }, 'name'],
      [{ name: 'A', role: 'ADMIN' }, 'role'],
      [{ name: 'A', role: 1 }, 'role'],
      [{ name: 'A', role: ['AGENT'] }, 'role'],
    ] as const) {
      expectError(await putAgent('edge', body), 400, 'invalid_request', field);
    }
    expectError(await putAgent('edge', 'name=A'), 400, 'invalid_request');
  });

  test('stays on do not disturb until it is turned off, also after a PUT', async () => {
    const path = { tenantRef, agentRef: 'quiet' };
    const disturb = (body: unknown) => call('putDoNotDisturb', { key, path, body });
    expectError(await disturb({ enabled: true }), 404, 'not_found');
    expect((await agent('quiet', { name: 'Q', do_not_disturb: true })).doNotDisturb).toBe(false);
    expect((await disturb({ enabled: true })).json.agent.doNotDisturb).toBe(true);
    expect((await disturb({ enabled: true })).json.agent.doNotDisturb).toBe(true);
    expect((await agent('quiet', { name: 'Q' })).doNotDisturb).toBe(true);
    expect((await disturb({ enabled: false })).json.agent.doNotDisturb).toBe(false);
    for (const enabled of [undefined, null, '', 'true', 1, []]) {
      expectError(await disturb({ enabled }), 400, 'invalid_request', 'enabled');
    }
    expectError(await disturb('[true]'), 400, 'invalid_request');
  });

  test('is listed oldest first, and a PUT does not make one younger', async () => {
    const path = { tenantRef: 'ordered' };
    await putTenant('ordered', { name: 'Ordered' });
    for (const agentRef of ['c', 'a', 'b', 'c']) {
      await call('putAgent', { key, path: { ...path, agentRef }, body: { name: agentRef } });
    }
    const refs = async () => (await call('listAgents', { key, path })).json.agents.map(({ ref }) => ref);
    expect(await refs()).toEqual(['c', 'a', 'b']);
    await call('deleteAgent', { key, path: { ...path, agentRef: 'a' } });
    expect(await refs()).toEqual(['c', 'b']);
    expectError(await call('listAgents', { key, path: { tenantRef: 'nowhere' } }), 404, 'not_found');
  });

  test('who was deleted and created again is new: not a supervisor, not on do not disturb, in no queue', async () => {
    const path = { tenantRef, agentRef: 'phoenix', queueRef: 'nest' };
    const { id } = await agent('phoenix', { name: 'P', role: 'SUPERVISOR' });
    await call('putDoNotDisturb', { key, path, body: { enabled: true } });
    await call('putQueue', { key, path, body: { name: 'N', members: [{ agent_ref: 'phoenix' }] } });
    expect((await call('deleteAgent', { key, path })).status).toBe(204);
    expect(await agent('phoenix', { name: 'P' })).toMatchObject({
      id,
      role: 'AGENT',
      doNotDisturb: false,
      availability: 'OFFLINE',
    });
    expect((await call('getQueueMembers', { key, path })).json.members).toEqual([]);
  });

  test('is created once by concurrent PUTs', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => putAgent('often', { name: 'O' })));
    expect(new Set(answers.map(({ json }) => json.agent.id)).size).toBe(1);
  });
});

test('realtime is notified of each relevant change when it commits', async () => {
  const heard: string[] = [];
  const listener = listen(web.runtime.env.DATABASE_URL, {
    clarion_tenant: (id) => void heard.push(`tenant ${id}`),
    clarion_agent: (id) => void heard.push(`agent ${id}`),
  });
  await listener.ready;
  try {
    const tenant = (await putTenant('told', { name: 'T', status: 'SUSPENDED' })).json.tenant.id;
    const path = { tenantRef: 'told', agentRef: 'tom' };
    const { id } = (await call('putAgent', { key, path, body: { name: 'Tom' } })).json.agent;
    await call('putDoNotDisturb', { key, path, body: { enabled: true } });
    await call('deleteAgent', { key, path });
    await call('deleteTenant', { key, path });
    const expected = [`tenant ${tenant}`, `agent ${id}`, `agent ${id}`, `agent ${id}`, `tenant ${tenant}`];
    await expect.poll(() => heard).toEqual(expected);
  } finally {
    await listener.stop();
  }
});

test('each change of an agent is in the audit log with its actor and channel of access', async () => {
  const path = { tenantRef, agentRef: 'logged' };
  await putAgent('logged', { name: 'L', role: 'SUPERVISOR' });
  await call('putDoNotDisturb', { key, path, body: { enabled: true } });
  await call('deleteAgent', { key, path });
  const entries = await web.runtime.db.auditEntry.findMany({
    where: { target: 'logged' },
    orderBy: { id: 'asc' },
  });
  expect(
    entries.map(({ action, details, actorKind, surface }) => [action, details, actorKind, surface]),
  ).toEqual([
    ['agent.put', { name: 'L', role: 'SUPERVISOR' }, 'apiKey', 'api'],
    ['agent.put_do_not_disturb', { enabled: true }, 'apiKey', 'api'],
    ['agent.delete', null, 'apiKey', 'api'],
  ]);
});
