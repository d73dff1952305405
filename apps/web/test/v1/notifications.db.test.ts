import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listen } from '@clarion/db';
import type { Listener } from '@clarion/db';
import { call, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

/** The notifications to realtime when the API changes something that live calls and sockets depend on. */
let web: Web;
let fixture: TenantFixture;
let key: string;
let listener: Listener;
let heard: string[] = [];
const tenantRef = 'shop';
beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
  key = fixture.key;
  const hear = (what: string) => (payload: string) => heard.push(`${what} ${payload}`);
  listener = listen(web.runtime.env.DATABASE_URL, {
    clarion_agent: hear('agent'),
    clarion_queue: hear('queue'),
    clarion_tenant: hear('tenant'),
    clarion_call: hear('call'),
  });
  await listener.ready;
});
afterAll(async () => {
  await listener.stop();
  await web.stop();
});
beforeEach(() => (heard = []));

const expectHeard = (...what: string[]) =>
  expect.poll(() => heard.toSorted(), { timeout: 2_000 }).toEqual(what.toSorted());
const queueId = async () =>
  (await call('getQueue', { key, path: { tenantRef, queueRef: 'support' } })).json.queue.id;
const agentId = async (agentRef: string) =>
  (await call('getAgent', { key, path: { tenantRef, agentRef } })).json.agent.id;

test('a changed queue, and a queue that lost an agent, are notified', async () => {
  const id = await queueId();
  await call('putQueueMembers', {
    key,
    path: { tenantRef, queueRef: 'support' },
    body: { members: [{ agent_ref: 'ben' }] },
  });
  await expectHeard(`queue ${id}`);
  heard = [];
  const ben = await agentId('ben');
  await call('deleteAgent', { key, path: { tenantRef, agentRef: 'ben' } });
  await expectHeard(`agent ${ben}`, `queue ${id}`);
});

test('a suspended tenant is notified; a lifted suspension and a rejected change are not', async () => {
  const { tenant } = (
    await call('putTenant', { key, path: { tenantRef }, body: { name: 'S', status: 'SUSPENDED' } })
  ).json;
  await expectHeard(`tenant ${tenant.id}`);
  heard = [];
  await call('putQueue', {
    key,
    path: { tenantRef, queueRef: 'support' },
    body: { name: 'S', members: [{ agent_ref: 'nobody' }] },
  });
  await call('putTenant', { key, path: { tenantRef }, body: { name: 'S' } });
  await call('putTenant', { key, path: { tenantRef }, body: { name: 'S', status: 'SUSPENDED' } });
  await expectHeard(`tenant ${tenant.id}`);
  await call('putTenant', { key, path: { tenantRef }, body: { name: 'S' } });
});

test('do-not-disturb notifies the agent’s apps, and a terminate request notifies realtime', async () => {
  const ada = await agentId('ada');
  await call('putDoNotDisturb', { key, path: { tenantRef, agentRef: 'ada' }, body: { enabled: true } });
  await expectHeard(`agent ${ada}`);
  heard = [];
  const { callId } = (
    await call('createCall', {
      key,
      path: { tenantRef },
      body: { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' } },
    })
  ).json.call;
  const toldOfCalls = () => heard.filter((what) => what.startsWith('call ')).length;
  await expect.poll(toldOfCalls, { timeout: 2_000 }).toBe(1); // for the intent
  heard = [];
  await call('terminateCall', { key, path: { callId } });
  await expect.poll(toldOfCalls, { timeout: 2_000 }).toBe(1);
});
