/** A number is verified by the first call that reaches its line, without a statement of its own for each call. */
import type { Channel, PhoneNumber } from '@clarion/db';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VerifiedNumbers } from '../src/media/verified-numbers.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let media: FakeMedia;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  media = await fixture.media([await fixture.startNode()]);
});
afterAll(() => fixture.close());

/** A line with a number that is not verified. */
async function numberedLine(data: Parameters<RealtimeFixture['line']>[0] = {}) {
  const line = await fixture.line(data);
  const number = await fixture.db.phoneNumber.create({
    data: {
      consumerId: fixture.consumer.id,
      tenantId: fixture.tenant.id,
      sipTrunkId: fixture.trunk.id,
      channelId: line.id,
      number: line.address,
      origin: 'BYOC',
    },
  });
  return { line, number };
}
const verifiedAt = async ({ id }: PhoneNumber) =>
  (await fixture.db.phoneNumber.findUniqueOrThrow({ where: { id } })).verifiedAt;

test('a call verifies the number by which it reached its line, also if nobody could take it', async () => {
  const agent = await fixture.agent('ada', { shift: 'AVAILABLE' });
  const queue = await fixture.queue([agent]);
  const shared = await numberedLine({ inboundQueueId: queue.id });
  const disabled = await numberedLine({ status: 'DISABLED' });
  const silent = await numberedLine({ inboundQueueId: queue.id });
  await media.ring({ requestUser: shared.line.address.slice(1) });
  const { answer } = await media.invite({ requestUser: disabled.line.address.slice(1) });
  expect(answer).toMatchObject({ action: 'reject', status: 480 });
  for (const { number } of [shared, disabled])
    await fixture.until(async () => (await verifiedAt(number)) ?? undefined, 'a verified number');
  expect(await verifiedAt(silent.number)).toBeNull();
});

test('each number is stored once, and again only after a while or on another line', async () => {
  const { db, trunk } = fixture;
  let now = new Date('2026-03-01T12:00:00.000Z');
  const verified = new VerifiedNumbers({ db, log: pino({ level: 'silent' }), now: () => now });
  const { line, number } = await numberedLine();
  const reach = async ({ id: channelId, address }: Channel, trunkId = trunk.id) => {
    verified.reached({ trunkId, channelId, number: address });
    await verified.flush();
  };
  const reset = () => db.phoneNumber.update({ where: { id: number.id }, data: { verifiedAt: null } });

  // Not by another number of the line, nor on another trunk.
  await reach({ ...line, address: '+442079990000' });
  await reach(line, trunk.id + 1);
  expect(await verifiedAt(number)).toBeNull();
  await reach(line);
  expect(await verifiedAt(number)).toEqual(now);
  await reset();
  await reach(line);
  expect(await verifiedAt(number)).toBeNull();
  now = new Date(now.getTime() + 10 * 60_000);
  await reach(line);
  expect(await verifiedAt(number)).toEqual(now);
  // The time of the first call stays.
  const first = now;
  now = new Date(now.getTime() + 10 * 60_000);
  await reach(line);
  expect(await verifiedAt(number)).toEqual(first);
  // Another tenant has the number on a line of its own.
  await reset();
  const other = await fixture.line({});
  await db.phoneNumber.update({ where: { id: number.id }, data: { channelId: other.id } });
  await reach({ ...other, address: number.number });
  expect(await verifiedAt(number)).toEqual(now);
});
