import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchedSession, makeStaff, signedIn } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

let web: Web;
let key: string;
beforeAll(async () => {
  web = await startWeb();
  await web.runtime.ready;
  ({ key } = await createTenantFixture(web, 'acme'));
});
afterAll(() => web.stop());

test('a user changes their own name, and the audit log names them', async () => {
  const user = await makeStaff(web, 'acme', 'SUPERVISOR');
  const mine = await signedIn(web, user);
  const rename = (name: string) => call('patchMe', { ...mine, body: { name } });
  expect((await rename('  Ada Lovelace ')).json.me.name).toBe('Ada Lovelace');
  expect((await call('getMe', mine)).json.me.name).toBe('Ada Lovelace');
  expectError(await rename('  '), 400, 'invalid_request', 'name');
  expectError(await rename('a'.repeat(256)), 400, 'invalid_request', 'name');
  const entries = await web.runtime.db.auditEntry.findMany({ where: { target: user.email } });
  expect(entries.filter(({ action }) => action === 'staff.change').map(({ details }) => details)).toEqual([
    { name: 'Ada Lovelace' },
  ]);
});

test('an API key and a launched user cannot change a name', async () => {
  const body = { name: 'Ada' };
  expectError(await call('patchMe', { key, body }), 403, 'forbidden');
  const launched = await launchedSession(web, 'acme', 'shop', 'ADMIN');
  expectError(await call('patchMe', { ...launched, body }), 403, 'forbidden');
});
