import { putTenant } from '@clarion/core/tenant/put-tenant';
import { forConsumer } from '@clarion/core/consumer/operator';
import { admitWatcher } from '@clarion/core/realtime-ticket/watcher';
import { readTicket, REALTIME_TICKET_SECONDS } from '@clarion/core/realtime-ticket/ticket';
import type { CreatedConsumer } from '@clarion/core/consumer/create-consumer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchedSession, staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let acme: CreatedConsumer;

beforeAll(async () => {
  web = await startWeb();
  acme = await web.consumer('acme');
  await web.consumer('other');
  for (const ref of ['north', 'south']) await tenant(ref);
});
afterAll(() => web.stop());

async function tenant(ref: string, status: 'ACTIVE' | 'SUSPENDED' = 'ACTIVE') {
  const consumer = await web.runtime.db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
  await putTenant(forConsumer(web.operator, consumer), ref, { name: ref, status, settings: {} });
}
const ask = (session: string, tenantRef = 'north') =>
  call('createRealtimeTicket', { session, body: { tenant_ref: tenantRef } });
const admitted = (ticket: string, at = new Date()) => {
  const { db, secrets } = web.runtime;
  return admitWatcher({ db, secrets }, ticket, at);
};

test('a ticket is for a user and a tenant, for a minute', async () => {
  const { session, sessionId } = await staffSession(web, 'acme', 'SUPERVISOR');
  const answer = await ask(session);
  expect(answer.status).toBe(201);
  const { ticket, expiresAt } = answer.json;
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(REALTIME_TICKET_SECONDS * 1000);
  expect(await admitted(ticket)).toMatchObject({
    sessionId,
    tenant: { ref: 'north' },
    role: 'SUPERVISOR',
    modes: ['LISTEN'],
  });
  await expect(admitted(ticket, new Date(Date.parse(expiresAt)))).rejects.toMatchObject({
    code: 'unauthorized',
  });
});

test('a modified or malformed ticket is rejected', async () => {
  const { session } = await staffSession(web, 'acme');
  const { ticket } = (await ask(session)).json;
  const [body = '', signature = ''] = ticket.split('.');
  const contents = JSON.parse(Buffer.from(body, 'base64url').toString()) as { tenantId: number };
  const changed = Buffer.from(JSON.stringify({ ...contents, tenantId: contents.tenantId + 1 }));
  const { secrets } = web.runtime;
  expect(readTicket(secrets, ticket, new Date())).toMatchObject(contents);
  const forged = [`${changed.toString('base64url')}.${signature}`, body, `${body}.`, `.${signature}`, ''];
  for (const text of [...forged, `${ticket}.x`, `${body}.${secrets.sign('file-url', body)}`]) {
    expect(readTicket(secrets, text, new Date())).toBeNull();
  }
});

test('the ticket of an ended session is rejected', async () => {
  const { session, sessionId } = await staffSession(web, 'acme');
  const { ticket } = (await ask(session)).json;
  await web.runtime.db.dashboardSession.update({
    where: { id: sessionId },
    data: { revokedAt: new Date() },
  });
  await expect(admitted(ticket)).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a user who must set up two-factor authentication gets no ticket before that', async () => {
  const { session, user } = await staffSession(web, 'acme');
  const { ticket } = (await ask(session)).json;
  const where = { id: user.id };
  await web.runtime.db.staffUser.update({ where, data: { twoFactorRequired: true } });
  await expect(admitted(ticket)).rejects.toMatchObject({ code: 'forbidden' });
  await web.runtime.db.staffUser.update({ where, data: { totpConfirmedAt: new Date() } });
  expect(await admitted(ticket)).toMatchObject({ role: 'OWNER' });
});

test('a launched user gets no ticket for another tenant, and no user gets one for another account', async () => {
  const { session } = await launchedSession(web, 'acme', 'north', 'SUPERVISOR');
  expect((await ask(session)).status).toBe(201);
  expectError(await ask(session, 'south'), 400, 'invalid_request', 'tenant_ref');
  const other = await staffSession(web, 'other');
  expectError(await ask(other.session), 400, 'invalid_request', 'tenant_ref');
});

test('an API key, a suspended tenant and a body without a tenant are rejected', async () => {
  const keyed = await call('createRealtimeTicket', { key: acme.apiKey, body: { tenant_ref: 'north' } });
  expect(keyed.error?.code).toBe('forbidden');
  expect((await call('createRealtimeTicket', { body: { tenant_ref: 'north' } })).status).toBe(401);
  const { session } = await staffSession(web, 'acme');
  await tenant('asleep', 'SUSPENDED');
  expect((await ask(session, 'asleep')).error?.code).toBe('tenant_suspended');
  expect((await call('createRealtimeTicket', { session, body: {} })).error).toMatchObject({
    code: 'invalid_request',
    details: { field: 'tenant_ref' },
  });
});
