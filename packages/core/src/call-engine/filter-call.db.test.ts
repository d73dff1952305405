/** What the operator's call filters decide on INVITEs with a tech prefix of the purpose FILTER. */
import type { CallFilterAction, Database, Prisma, SipTrunk } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import type { InviteRequest } from '@clarion/protocol/media';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { carrierTrunk } from './__fixtures__/carrier-trunk.ts';
import { createInboundCall } from './create-inbound-call.ts';
import { findLine } from './match-trunk.ts';

const PREFIXES = { inbound: [{ prefix: '88#', purpose: 'FILTER' as const }], redirect: '99#' };
let testDatabase: TestDatabase;
let db: Database;
let trunk: SipTrunk;
let counter = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
});
beforeEach(async () => {
  await db.sipTrunk.deleteMany({});
  trunk = await newTrunk({});
});
afterAll(() => testDatabase.drop());

const newTrunk = (change: Partial<Prisma.SipTrunkUncheckedCreateInput>): Promise<SipTrunk> => {
  const name = `trunk-${++counter}`;
  return carrierTrunk(db, null, { name, ingressLabel: name, techPrefixes: PREFIXES, ...change });
};
const newFilter = (action: CallFilterAction, change: Partial<Prisma.CallFilterUncheckedCreateInput> = {}) =>
  db.callFilter.create({
    data: { trunkId: trunk.id, prefix: '', caller: '', called: '', action, ...change },
  });
const question = (more: Partial<InviteRequest> = {}): InviteRequest =>
  inviteRequest({ requestUser: '88%234930123', ...more });
const decide = async (more: Partial<InviteRequest> = {}) => {
  const context = { db, ingressDomain: 'sip.example.com', nodeId: 'n' };
  return createInboundCall(context, question(more), new Date());
};
const contactFor = async (more: Partial<InviteRequest> = {}) => {
  const found = await findLine({ db, ingressDomain: 'sip.example.com' }, question(more));
  return 'contact' in found ? found.contact : found;
};

test('without a filter, and with one for other calls, the call is rejected with 404', async () => {
  await newFilter('REDIRECT', { called: '31' });
  const { answer, refusal } = await decide();
  expect(answer).toMatchObject({ action: 'reject', status: 404 });
  expect(refusal).toMatchObject({ trunkIds: [trunk.id], code: 'tech_prefix_without_rule' });
});

test('REJECT: 603, stored for the trunk', async () => {
  await newFilter('REJECT', { called: '4930' });
  await newFilter('REDIRECT');
  const { answer, refusal, pending } = await decide();
  expect(answer).toMatchObject({ action: 'reject', status: 603, reason: 'Decline' });
  expect(refusal).toMatchObject({ trunkIds: [trunk.id], status: 603, code: 'call_filter' });
  expect(pending).toBeNull();
});

test('REDIRECT: 302 with the number at the carrier, no refusal and no call', async () => {
  await newFilter('REDIRECT');
  expect(await decide()).toEqual({
    answer: {
      action: 'reject',
      status: 302,
      reason: 'Moved Temporarily',
      contact: 'sip:99%234930123@carrier.test',
    },
    refusal: null,
    pending: null,
    servedOn: trunk.id,
  });
  expect(await db.call.count()).toBe(0);
});

test.each([
  ['none', '88%23', 'tech_prefix_without_number'],
  ['letters', '88%23operator', 'tech_prefix_without_number'],
  ['a header in it', '88%231%0d%0aX:%20y', 'tech_prefix_without_number'],
])('what follows the prefix must be digits: %s', async (_, requestUser, code) => {
  await newFilter('REDIRECT');
  expect((await decide({ requestUser })).refusal).toMatchObject({ status: 404, code });
});

test('a short code may follow the prefix, and To decides nothing', async () => {
  await newFilter('REDIRECT');
  expect(await contactFor({ requestUser: '88%2312', toUser: '4930123456' })).toBe('sip:99%2312@carrier.test');
});

test('a call without a prefix is not filtered', async () => {
  await newFilter('REDIRECT');
  expect(await contactFor({ requestUser: '4930123456' })).toMatchObject({ code: 'number_without_line' });
});

test('the caller decides, and one who withholds the number is filtered only by filters for any caller', async () => {
  await newFilter('REDIRECT', { caller: '4477' });
  await newFilter('REJECT');
  expect((await decide({ fromUser: '+447700900123' })).answer).toMatchObject({ status: 302 });
  expect((await decide({ withheld: true, fromUser: 'anonymous' })).answer).toMatchObject({ status: 603 });
});

describe('the carrier is redirected to', () => {
  beforeEach(() => newFilter('REDIRECT'));

  test.each([
    ['the host of its Contact, if the trunk lists it', '192.0.2.5:5080', 'sip:99%234930123@192.0.2.5:5080'],
    [
      'the host of its Contact, if it is a host of the trunk',
      'Carrier.Test:5070',
      'sip:99%234930123@Carrier.Test:5070',
    ],
    ['the host of the trunk, if its Contact is elsewhere', '203.0.113.9', 'sip:99%234930123@carrier.test'],
    ['the host of the trunk, if its Contact is no address', 'x>;y', 'sip:99%234930123@carrier.test'],
    ['the host of the trunk, if it has none', '', 'sip:99%234930123@carrier.test'],
  ])('%s', async (_, contactHost, contact) => {
    expect(await contactFor({ contactHost })).toBe(contact);
  });

  test('the transport that it used', async () => {
    const source = { address: '192.0.2.5', port: 5061, transport: 'TLS' } as const;
    expect(await contactFor({ source })).toBe('sip:99%234930123@carrier.test;transport=tls');
  });
});

test('of trunks that share an address, the one with a filter decides', async () => {
  const second = await newTrunk({ techPrefixes: { inbound: [{ prefix: '88#', purpose: 'FILTER' }] } });
  await newFilter('REDIRECT', { trunkId: second.id });
  expect(await decide()).toMatchObject({
    servedOn: second.id,
    answer: { contact: 'sip:4930123@carrier.test' },
  });
});
