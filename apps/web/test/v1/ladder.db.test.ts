/** The SIP ladder of a call and of a refused call: formats, who may read it, and for how long it is kept. */
import { randomUUID } from 'node:crypto';
import { pruneLadders } from '@clarion/core/ladder/prune-ladders';
import { storeCallLadders, storeRefusalLadders } from '@clarion/core/ladder/store-ladders';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fullCall } from '../full-call.ts';
import { callPart, INVITE, storedPart } from '../stored-part.ts';
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

const store = (...parts: Parameters<typeof storeCallLadders>[1]) =>
  storeCallLadders(web.runtime.db, parts, new Date());
const ladderOf = (callId: number, format?: string) =>
  call('getCallLadder', {
    key,
    path: { callId },
    ...(format !== undefined && { query: `format=${format}` }),
  });
const countOf = (callId: number) => web.runtime.db.callLadder.count({ where: { callId } });

test('the ladder of an ended call is JSON, text or a packet capture', async () => {
  const { callId } = await fullCall(web, fixture);
  const at = new Date('2026-01-05T08:59:58.000Z');
  expectError(await ladderOf(callId), 404, 'not_found');
  await store(callPart(callId, at));
  const { ladder } = (await ladderOf(callId)).json;
  expect(ladder).toMatchObject({ callId, truncated: false });
  expect(ladder.entries[0]).toEqual({
    at: at.toISOString(),
    offsetMs: 0,
    from: 'service',
    to: 'carrier:198.51.100.7',
    kind: 'SIP',
    summary: 'INVITE sip:+442079460123@carrier.example',
    detail: INVITE,
  });
  // The lifecycle log is on the same axis of time.
  expect(ladder.entries.map(({ kind }) => kind)).toContain('EVENT');

  const text = await ladderOf(callId, 'text');
  expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text.headers.get('content-disposition')).toBe(`attachment; filename="call-${callId}-ladder.txt"`);
  expect(text.text).toContain('INVITE sip:+442079460123');

  const pcap = await ladderOf(callId, 'PCAP');
  expect(pcap.headers.get('content-type')).toBe('application/vnd.tcpdump.pcap');
  expect(pcap.headers.get('content-length')).toBe(String(24 + 16 + 28 + INVITE.length));
  expect(pcap.text).toContain('INVITE sip:+442079460123');
  expectError(await ladderOf(callId, 'svg'), 400, 'invalid_request', 'format');
});

test('parts of several processes are one ladder, and a part that is sent again changes nothing', async () => {
  const { callId } = await fullCall(web, fixture);
  const first = callPart(callId, new Date('2026-01-05T08:59:00.000Z'));
  const second = callPart(callId, new Date('2026-01-05T08:59:10.000Z'));
  await store(second, first);
  await store(first);
  expect(await countOf(callId)).toBe(2);
  const { entries } = (await ladderOf(callId)).json.ladder;
  expect(entries.filter(({ kind }) => kind === 'SIP').map(({ offsetMs }) => offsetMs)).toEqual([0, 10_000]);
});

test('a call that is not over has no ladder yet', async () => {
  const { callId } = (
    await call('createCall', {
      key,
      path: { tenantRef: 'shop' },
      body: { channel_ref: 'main', agent_ref: 'ada', customer: { address: '+442079460123' } },
    })
  ).json.call;
  await store(callPart(callId));
  expectError(await ladderOf(callId), 404, 'not_found');
  await call('terminateCall', { key, path: { callId } });
  expect((await ladderOf(callId)).status).toBe(200);
});

test('it is deleted with its call, and none that arrives later is stored', async () => {
  const { callId } = await fullCall(web, fixture);
  await store(callPart(callId));
  expect((await call('deleteCall', { key, path: { callId } })).status).toBe(204);
  await store(callPart(callId));
  expect(await countOf(callId)).toBe(0);
});

test('it is erased with the customer, and none that arrives later is stored', async () => {
  const address = '+442079460777';
  const { callId } = await fullCall(web, fixture, { address });
  await store(callPart(callId));
  await call('eraseCustomer', { key, path: { tenantRef: 'shop' }, body: { address } });
  expect(await countOf(callId)).toBe(0);
  await store(callPart(callId));
  expect(await countOf(callId)).toBe(0);
});

test('it is kept for seven days', async () => {
  const { db } = web.runtime;
  const { callId } = await fullCall(web, fixture);
  const now = new Date();
  const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60_000);
  await storeCallLadders(db, [callPart(callId)], daysAgo(7.01));
  await storeCallLadders(db, [callPart(callId)], daysAgo(7.01));
  await storeCallLadders(db, [callPart(callId)], daysAgo(6.99));
  expect(await pruneLadders(db, now, 1)).toBeGreaterThanOrEqual(2);
  expect(await countOf(callId)).toBe(1);
});

test('a refused call of an own trunk has a ladder, and the newest 50 keep theirs', async () => {
  const { db } = web.runtime;
  const { id: consumerId } = await db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
  const trunk = await db.sipTrunk.create({
    data: { consumerId, name: 'own', status: 'ACTIVE', host: 'h', ingressLabel: 'own-ladder' },
  });
  const invites = Array.from({ length: 52 }, () => randomUUID());
  const start = Date.now();
  await db.sipRefusal.createMany({
    data: invites.map((inviteId, index) => ({
      trunkId: trunk.id,
      at: new Date(start + index),
      status: 404,
      source: '198.51.100.7',
      number: '1',
      reason: 'No line has this number.',
      inviteId,
    })),
  });
  const data = storedPart().toString('base64');
  const stored = await storeRefusalLadders(db, [
    ...invites.map((inviteId) => ({ inviteId, startedAt: new Date(start), data })),
    { inviteId: randomUUID(), startedAt: new Date(start), data },
  ]);
  expect(stored.size).toBe(52);
  const rows = await db.sipRefusal.findMany({ where: { trunkId: trunk.id }, orderBy: { at: 'asc' } });
  expect(rows.map(({ ladder }) => ladder !== null)).toEqual(rows.map((_, index) => index >= 2));
  const read = (row: (typeof rows)[number] | undefined, query = '') =>
    call('getRefusalLadder', { key, path: { trunkId: trunk.id, refusalId: Number(row?.id) }, query });
  expectError(await read(rows[0]), 404, 'not_found');
  const { ladder } = (await read(rows.at(-1))).json;
  expect(ladder).toMatchObject({ refusalId: Number(rows.at(-1)?.id), truncated: false });
  expect((await read(rows.at(-1), 'format=text')).text).toContain('(404: No line has this number.)');
});
