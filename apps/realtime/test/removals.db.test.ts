import { deleteAgent } from '@clarion/core/agent/delete-agent';
import { putAgent } from '@clarion/core/agent/put-agent';
import { putTenant } from '@clarion/core/tenant/put-tenant';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { apiOf } from './api.ts';
import { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

/** How changes through the Management API affect agents' apps: the API's verbs against two nodes. */
let fixture: RealtimeFixture;
let nodes: (Realtime & { url: string })[];
beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  nodes = [await fixture.startNode(), await fixture.startNode()];
});
afterAll(() => fixture.close());

/** An agent without access is disconnected within this time (docs/requirements.md#authentication). */
const CUT_WITHIN_MS = 1_000;

const api = () => apiOf(fixture);
const appsOf = async (agentRef: string, tenantRef = 't1') => {
  const apps = nodes.map(({ url }, index) => {
    return new AppSocket(url, fixture.token(agentRef, { tnt: tenantRef }), `device-${index}`);
  });
  await Promise.all(apps.map((app) => app.session()));
  return apps;
};
/** Resolves with the message of the error that preceded the server's closing of the socket. */
async function sentAway(app: AppSocket): Promise<string> {
  const { code } = await app.next('error');
  if (app.socket.connected) await new Promise((resolve) => app.socket.once('disconnect', resolve));
  return code;
}
async function expectCut(apps: AppSocket[], code: string, change: () => Promise<unknown>): Promise<void> {
  const since = performance.now();
  const cut = Promise.all(apps.map(sentAway));
  await change();
  expect(await cut).toEqual(apps.map(() => code));
  expect(performance.now() - since).toBeLessThan(CUT_WITHIN_MS);
}

test('PUT tenant SUSPENDED disconnects its agents on every device and rejects them; a PUT without status admits them', async () => {
  await putTenant(api(), 'business', { name: 'Business', status: 'ACTIVE', settings: null });
  const apps = [...(await appsOf('ann', 'business')), ...(await appsOf('bob', 'business'))];
  const bystanders = await appsOf('bystander');
  await expectCut(apps, 'tenant_suspended', () =>
    putTenant(api(), 'business', { name: 'Business', status: 'SUSPENDED', settings: null }),
  );
  await expect(appsOf('ann', 'business')).rejects.toThrow('tenant_suspended');
  expect(bystanders.every(({ socket }) => socket.connected)).toBe(true);
  await putTenant(api(), 'business', { name: 'Business', status: 'ACTIVE', settings: null });
  for (const app of [...(await appsOf('ann', 'business')), ...bystanders]) app.close();
});

test('DELETE agent disconnects their apps and rejects unexpired tokens; only a PUT admits them again', async () => {
  const apps = await appsOf('leaver');
  await expectCut(apps, 'unauthorized', () => deleteAgent(api(), 't1', 'leaver'));
  await expect(appsOf('leaver')).rejects.toThrow('unauthorized');
  await putAgent(api(), 't1', 'leaver', { name: 'Back', role: null });
  for (const app of await appsOf('leaver')) app.close();
});
