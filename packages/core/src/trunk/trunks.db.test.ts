/** Addresses of trunks, also if several owners have the same ones, and the retention of rejected calls. */
import { randomBytes } from 'node:crypto';
import type { Database } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { createStore } from '@clarion/store/store';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OperatorCtx } from '../consumer/operator.ts';
import { createSecretBox } from '../security/secret-box.ts';
import { createTrunk } from './create-trunk.ts';
import { pruneRefusals } from './prune-refusals.ts';
import { sourceWarning } from './source-warning.ts';
import { moveTrunk } from './trunk-moves.ts';
import type { TrunkMove } from './trunk-moves.ts';

let testDatabase: TestDatabase;
let db: Database;
let counter = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  db = testDatabase.connect();
  await db.consumer.createMany({ data: ['acme', 'other'].map((slug) => ({ slug, name: slug })) });
});
beforeEach(async () => {
  await db.sipTrunk.deleteMany({});
});
afterAll(() => testDatabase.drop());

const secrets = createSecretBox([randomBytes(32).toString('base64')]);
const baseUrl = 'https://clarion.example';
const operator = (ingressDomain: string | null): OperatorCtx => ({
  actor: { kind: 'operator', id: 'test' },
  surface: 'cli',
  db,
  now: new Date(),
  log: pino({ level: 'silent' }),
  secrets,
  store: createStore({ provider: 'local', dataDir: '/nonexistent', s3: null }, { secrets, baseUrl }),
  settings: { baseUrl, ingressDomain, allowPrivateEgress: false, operatorName: 'Operator' },
});
const withDomain = () => operator('sip.example.com');

const newTrunk = (slug: string | null, source: string) =>
  createTrunk(withDomain(), {
    slug,
    name: `trunk-${++counter}`,
    host: 'carrier.test',
    port: 5060,
    transport: 'UDP',
    inboundSourceCidrs: [source],
    ingressLabel: null,
    numberRules: null,
    quirks: {},
    credentials: null,
  });
const approve = async (ctx: OperatorCtx, { id }: { id: number }) =>
  (await moveTrunk(ctx, id, 'approve', null)).ingressHostOnly;

test("a trunk that shares addresses with another owner's active trunk must be called at its ingress host", async () => {
  expect(await approve(withDomain(), await newTrunk('acme', '192.0.2.0/28'))).toBe(false);
  // One account may share addresses among its own trunks.
  expect(await approve(withDomain(), await newTrunk('acme', '192.0.2.5'))).toBe(false);
  expect(await approve(withDomain(), await newTrunk('other', '192.0.2.5'))).toBe(true);
  expect(await approve(withDomain(), await newTrunk('other', '192.0.0.0/16'))).toBe(true);
  expect(await approve(withDomain(), await newTrunk(null, '192.0.2.14'))).toBe(true);
  expect(await approve(withDomain(), await newTrunk('other', '192.0.2.16'))).toBe(false);
});

test('trunks of several owners may take calls from this machine', async () => {
  for (const [slug, source] of [
    ['acme', '127.0.0.0/8'],
    ['other', '127.0.0.1/32'],
    [null, '::1'],
    ['acme', '::1'],
  ] as const) {
    expect(await approve(operator(null), await newTrunk(slug, source))).toBe(false);
  }
  // A range that includes other machines is a carrier's.
  expect(await approve(withDomain(), await newTrunk('other', '0.0.0.0/0'))).toBe(true);
});

test('without an ingress domain it is not approved', async () => {
  const ctx = operator(null);
  const first = await newTrunk('acme', '192.0.2.5');
  await moveTrunk(ctx, first.id, 'approve', null);
  const second = await newTrunk('other', '192.0.2.0/24');
  await expect(moveTrunk(ctx, second.id, 'approve', null)).rejects.toMatchObject({
    code: 'invalid_state',
    message: expect.stringContaining('CLARION_INGRESS_DOMAIN'),
  });
  expect(await db.sipTrunk.findUniqueOrThrow({ where: { id: second.id } })).toMatchObject({
    status: 'DRAFT',
  });
  await moveTrunk(ctx, first.id, 'suspend', null);
  expect(await approve(ctx, second)).toBe(false);
});

test.each([
  {
    ingressDomain: 'sip.example.com',
    ifApprovedAgain: 'receives only calls that are sent to its ingress host',
  },
  { ingressDomain: null, ifApprovedAgain: 'cannot be approved until' },
])(
  'the operator is warned that a suspended trunk loses its addresses ($ingressDomain)',
  async ({ ingressDomain, ifApprovedAgain }) => {
    const ctx = operator(ingressDomain);
    const [first, second] = [await newTrunk('acme', '192.0.2.5'), await newTrunk('other', '192.0.2.0/24')];
    const warned = async ({ id }: { id: number }, move: TrunkMove) =>
      sourceWarning(ctx, await moveTrunk(ctx, id, move, null));
    expect(await warned(first, 'approve')).toBeNull();
    expect(await warned(first, 'suspend')).toBeNull();
    expect(await warned(second, 'approve')).toContain(`${first.id} (${first.name}, SUSPENDED)`);
    const lifted = await warned(first, 'lift');
    expect(lifted).toContain(`${second.id} (${second.name}, ACTIVE)`);
    expect(lifted).toContain(ifApprovedAgain);
    if (ingressDomain === null) {
      await expect(warned(first, 'approve')).rejects.toMatchObject({ code: 'invalid_state' });
    } else {
      expect(await warned(first, 'approve')).toContain(
        'This trunk receives only calls that are sent to its ingress host.',
      );
    }
  },
);

test('of two trunks with the same addresses that are approved concurrently, only one is selected by them', async () => {
  const [one, two] = [await newTrunk('acme', '192.0.2.5'), await newTrunk('other', '192.0.2.5')];
  const both = await Promise.all([approve(withDomain(), one), approve(withDomain(), two)]);
  expect(both.toSorted()).toEqual([false, true]);
});

test.each([
  '192.0.2.1',
  '192.0.2.1/24',
  '0.0.0.0/0',
  '2001:DB8::1',
  '2001:db8::1/64',
  '::',
  '1::',
  '1:2:3:4:5:6:7::',
  '::2:3:4:5:6:7:8',
  '64:ff9b::192.0.2.1/128',
])('the source %s is accepted', async (source) => {
  expect(await newTrunk(null, source)).toMatchObject({ inboundSourceCidrs: [source] });
});

test.each([
  '',
  '192.0.2',
  '192.0.2.01',
  '0x7f.1',
  '192.0.2.1/',
  '192.0.2.1/024',
  '192.0.2.1/33',
  '2001:db8::1/',
  '2001:db8::1/129',
  '2001:db8::1/0x40',
  '2001:db8::1/64/64',
  '::1/00',
  '64:ff9b::192.0.2.01',
  '::192.0.2.1',
  '::ffff:192.0.2.1',
  '::FFFF:c000:201/128',
  '0:0:0:0:0:ffff:c000:201',
  '[2001:db8::1]',
  'fe80::1%eth0',
  'fe80::1%eth0/64',
  '1:2:3:4:5:6:7:8::',
  'carrier.test',
])('the source %j is rejected, naming the field', async (source) => {
  await expect(newTrunk(null, source)).rejects.toMatchObject({
    code: 'invalid_request',
    details: { field: 'inbound_source_cidrs' },
  });
});

test('a rejected call is kept for seven days', async () => {
  const now = new Date('2026-03-08T12:00:00.000Z');
  const { id: trunkId } = await newTrunk(null, '192.0.2.5');
  const ages = [
    '2026-02-01T00:00:00Z',
    '2026-03-01T11:59:59Z',
    '2026-03-01T12:00:01Z',
    '2026-03-08T11:00:00Z',
  ];
  await db.sipRefusal.createMany({
    data: ages.flatMap((at) =>
      [trunkId, null].map((of) => ({
        trunkId: of,
        at: new Date(at),
        status: 404,
        source: '192.0.2.5',
        number: '1',
        reason: 'No line.',
      })),
    ),
  });
  // In batches smaller than the number of rows.
  expect(await pruneRefusals(db, now, 3)).toBe(4);
  const kept = await db.sipRefusal.findMany({ orderBy: { at: 'asc' } });
  expect(kept.map(({ at }) => at.toISOString().slice(0, 19))).toEqual(
    ages.slice(2).flatMap((at) => [at.slice(0, 19), at.slice(0, 19)]),
  );
  expect(await pruneRefusals(db, now)).toBe(0);
});
