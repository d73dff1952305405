/** Which line an INVITE reaches when trunks of one or several owners share the carrier's addresses. */
import type { Channel, Database, Prisma, SipTrunk, Tenant } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import type { InviteRequest } from '@clarion/protocol/media';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { carrierTrunk } from './__fixtures__/carrier-trunk.ts';
import { findLine } from './match-trunk.ts';
import { recordRefusal } from './refusal.ts';
import { storeRegistration } from '../trunk/trunk-state.ts';

const NUMBER = '+442079460001';
const SOURCE = '192.0.2.5';
let testDatabase: TestDatabase;
let db: Database;
let acme: Tenant;
let other: Tenant;
let counter = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  acme = await newTenant('acme');
  other = await newTenant('other');
});
beforeEach(async () => {
  await db.channel.deleteMany({});
  await db.sipTrunk.deleteMany({});
});
afterAll(() => testDatabase.drop());

const newTenant = (slug: string): Promise<Tenant> =>
  db.tenant.create({ data: { ref: 't', name: 'T', consumer: { create: { slug, name: slug } } } });
const newTrunk = (
  consumerId: number | null,
  change: Partial<Prisma.SipTrunkUncheckedCreateInput> = {},
): Promise<SipTrunk> => {
  const name = `trunk-${++counter}`;
  return carrierTrunk(db, consumerId, { name, ingressLabel: name, ...change });
};
const newLine = (tenant: Tenant, trunk: SipTrunk, address = NUMBER): Promise<Channel> =>
  db.channel.create({
    data: { tenantId: tenant.id, ref: `line-${++counter}`, type: 'SIP', address, sipTrunkId: trunk.id },
  });
const question = (more: Partial<InviteRequest> = {}): InviteRequest =>
  inviteRequest({ requestUser: NUMBER.slice(1), requestHost: '198.51.100.1', toUser: 'x', ...more });
const find = (more: Partial<InviteRequest> = {}) =>
  findLine({ db, ingressDomain: 'sip.example.com' }, question(more));

test('among trunks of one tenant that share an address, the called number decides', async () => {
  await newTrunk(acme.consumerId);
  const rules = { countryCode: '44', nationalPrefix: '0' };
  const trunk = await newTrunk(acme.consumerId, { inboundSourceCidrs: [SOURCE], numberRules: rules });
  const line = await newLine(acme, trunk);
  expect(await find({ requestUser: '02079460001' })).toMatchObject({
    trunk: { id: trunk.id },
    line: { id: line.id },
  });
  expect(await find({ requestUser: '442079999999' })).toMatchObject({ status: 404, ambiguous: false });
});

test('a call to a number that lines of two accounts have is rejected, and recorded for both trunks', async () => {
  const mine = await newTrunk(acme.consumerId);
  const theirs = await newTrunk(other.consumerId);
  await newLine(acme, mine);
  await newLine(other, theirs);
  const refusal = await find();
  expect(refusal).toMatchObject({
    trunkIds: [mine.id, theirs.id],
    status: 404,
    ambiguous: true,
    unknownSource: false,
    code: 'number_ambiguous',
    reason: expect.stringContaining('ingress host'),
  });
  if (!('reason' in refusal)) throw new Error('the call was not rejected');
  await recordRefusal(db, refusal, question(), new Date());
  const kept = await db.sipRefusal.findMany({ orderBy: { trunkId: 'asc' } });
  expect(kept.map(({ trunkId }) => trunkId)).toEqual([mine.id, theirs.id]);
  // The ingress host identifies the trunk.
  const named = { requestHost: `${theirs.ingressLabel}.sip.example.com` };
  expect(await find(named)).toMatchObject({ trunk: { id: theirs.id } });
});

test('a trunk with ingressHostOnly is not found by its addresses', async () => {
  const first = await newTrunk(acme.consumerId);
  const line = await newLine(acme, first);
  const second = await newTrunk(other.consumerId, { ingressHostOnly: true });
  await newLine(other, second);
  expect(await find()).toMatchObject({ trunk: { id: first.id }, line: { id: line.id } });
  expect(await find({ requestHost: `${second.ingressLabel}.sip.example.com` })).toMatchObject({
    trunk: { id: second.id },
  });
  await db.sipTrunk.update({ where: { id: first.id }, data: { status: 'DISABLED' } });
  expect(await find()).toMatchObject({
    trunkIds: [second.id],
    status: 403,
    code: 'ingress_host_required',
    reason: expect.stringContaining('ingress host'),
  });
});

test('a call to a trunk that is known by its source only and not active is refused on that trunk, and counts as unknown', async () => {
  const trunk = await newTrunk(acme.consumerId, { status: 'PENDING' });
  await newLine(acme, trunk);
  const refusal = { trunkIds: [trunk.id], status: 403, code: 'trunk_not_active', unknownSource: true };
  expect(await find()).toMatchObject({ ...refusal, reason: 'The trunk is PENDING.' });
  const second = await newTrunk(other.consumerId, { status: 'DRAFT' });
  expect(await find()).toMatchObject({ ...refusal, trunkIds: [trunk.id, second.id] });
  // An active trunk with the same source takes the call, whatever the others are.
  await db.sipTrunk.update({ where: { id: trunk.id }, data: { status: 'ACTIVE' } });
  expect(await find()).toMatchObject({ trunk: { id: trunk.id } });
});

test('an unknown source is distinguished from a carrier, even if it names an ingress host', async () => {
  const trunk = await newTrunk(acme.consumerId);
  const source = { address: '203.0.113.9', port: 5060, transport: 'UDP' } as const;
  const requestHost = `${trunk.ingressLabel}.sip.example.com`;
  expect(await find({ source })).toMatchObject({ trunkIds: [], status: 403, unknownSource: true });
  expect(await find({ source, requestHost })).toMatchObject({
    trunkIds: [trunk.id],
    status: 403,
    unknownSource: true,
  });
  expect(await find({ requestHost })).toMatchObject({
    trunkIds: [trunk.id],
    status: 404,
    unknownSource: false,
  });
});

test('a source is found in every notation until it is removed from the list', async () => {
  const trunk = await newTrunk(acme.consumerId, {
    inboundSourceCidrs: ['198.51.100.7/24', '2001:db8::/32', '203.0.113.4', '203.0.113.4/32'],
  });
  await newLine(acme, trunk);
  for (const address of ['198.51.100.200', '2001:db8::5', '203.0.113.4', '::ffff:203.0.113.4']) {
    expect(await find({ source: { address, port: 5060, transport: 'UDP' } }), address).toMatchObject({
      trunk: { id: trunk.id, inboundSourceCidrs: trunk.inboundSourceCidrs },
    });
  }
  await db.sipTrunk.update({ where: { id: trunk.id }, data: { inboundSourceCidrs: ['203.0.113.5'] } });
  expect(await find({ source: { address: '203.0.113.4', port: 5060, transport: 'UDP' } })).toMatchObject({
    unknownSource: true,
  });
});

test('a link-local source is found without its zone, also at an ingress host', async () => {
  const source = { address: 'fe80::1%eth0', port: 5060, transport: 'UDP' } as const;
  expect(await find({ source })).toMatchObject({ status: 403, unknownSource: true });
  const trunk = await newTrunk(acme.consumerId, { inboundSourceCidrs: ['fe80::/10'] });
  await newLine(acme, trunk);
  const requestHost = `${trunk.ingressLabel}.sip.example.com`;
  for (const more of [{}, { requestHost }]) {
    expect(await find({ source, ...more })).toMatchObject({ trunk: { id: trunk.id } });
  }
});

test('the trunks of a source are found by an index among thousands', async () => {
  await db.$executeRaw`
    insert into "SipTrunk" ("name", "status", "host", "inboundSourceCidrs", "ingressLabel", "updatedAt")
    select 'many-' || n, 'ACTIVE', 'carrier.test', array['10.' || n / 250 || '.' || n % 250 || '.0/24'], 'many-' || n, now()
    from generate_series(1, 5000) as n`;
  await db.$executeRaw`analyze "SipTrunkSource"`;
  const plan = await db.$queryRaw<unknown[]>`
    explain (format json) select s."trunkId" from "SipTrunkSource" s where s."network" >>= ${SOURCE}::inet`;
  expect(JSON.stringify(plan)).toContain('SipTrunkSource_network_idx');
});

/** A trunk that is registered at this address. */
async function registeredTrunk(
  consumerId: number,
  address: string,
  change: Partial<Prisma.SipTrunkUncheckedCreateInput> = {},
): Promise<SipTrunk> {
  const trunk = await newTrunk(consumerId, { register: true, inboundSourceCidrs: [], ...change });
  const at = new Date().toISOString();
  const bound = { state: 'REGISTERED', status: 200, error: null, code: null, at, expiresAt: at, target: 'x' };
  await storeRegistration(db, trunk.id, { ...bound, state: 'REGISTERED' }, address);
  return trunk;
}
const REGISTRAR = '203.0.113.9';
const from = (address: string) => ({ source: { address, port: 5060, transport: 'UDP' as const } });

test('a call to the contact of a registration reaches its trunk, and the number in To its line', async () => {
  const trunk = await registeredTrunk(acme.consumerId, REGISTRAR);
  // Another account is registered with the same carrier, and has the same number.
  const theirs = await registeredTrunk(other.consumerId, REGISTRAR);
  const line = await newLine(acme, trunk);
  const theirLine = await newLine(other, theirs);
  const called = (contact: string) =>
    find({ ...from(REGISTRAR), requestUser: contact, toUser: NUMBER.slice(1) });
  expect(await called(trunk.ingressLabel)).toMatchObject({ trunk: { id: trunk.id }, line: { id: line.id } });
  expect(await called(theirs.ingressLabel.toUpperCase())).toMatchObject({ line: { id: theirLine.id } });
});

test('the contact alone selects no trunk: the call must come from an address of the trunk', async () => {
  const trunk = await registeredTrunk(acme.consumerId, REGISTRAR, {
    inboundSourceCidrs: ['203.0.113.64/28'],
  });
  await newLine(acme, trunk);
  const called = (address: string) =>
    find({ ...from(address), requestUser: trunk.ingressLabel, toUser: NUMBER.slice(1) });
  expect(await called('203.0.113.70')).toMatchObject({ trunk: { id: trunk.id } });
  expect(await called('203.0.113.10')).toMatchObject({ status: 403, code: 'source_unknown' });
  await storeRegistration(db, trunk.id, null, null);
  expect(await called(REGISTRAR)).toMatchObject({ status: 403, code: 'source_unknown' });
});

test('without the contact, the address of a registrar selects no trunk', async () => {
  const trunk = await registeredTrunk(acme.consumerId, REGISTRAR);
  await newLine(acme, trunk);
  expect(await find(from(REGISTRAR))).toMatchObject({ status: 403, code: 'source_unknown', trunkIds: [] });
  const requestHost = `${trunk.ingressLabel}.sip.example.com`;
  expect(await find({ ...from(REGISTRAR), requestHost })).toMatchObject({ trunk: { id: trunk.id } });
});

test('a call to the contact of a trunk that is not active is rejected with its status', async () => {
  const trunk = await registeredTrunk(acme.consumerId, REGISTRAR, { status: 'SUSPENDED' });
  expect(await find({ ...from(REGISTRAR), requestUser: trunk.ingressLabel })).toMatchObject({
    trunkIds: [trunk.id],
    status: 403,
    code: 'trunk_not_active',
    reason: 'The trunk is SUSPENDED.',
  });
});
