/** The test of a trunk, from the request to the lines of the check-up. */
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { testAnyTrunk } from '@clarion/core/trunk/test-trunk';
import type { SipTrunk } from '@clarion/db';
import { checkupFactsOf, optionsReplyOf, type FakeMedia } from '@clarion/testkit/peers/fake-media';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let trunk: SipTrunk;
let node: Awaited<ReturnType<RealtimeFixture['startNode']>>;
let media: FakeMedia;
beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  media = await fixture.media([node]);
});
beforeEach(async () => {
  await fixture.db.sipTrunk.deleteMany();
  trunk = await fixture.db.sipTrunk.create({
    data: {
      consumerId: fixture.consumer.id,
      name: 'carrier',
      ingressLabel: 'acme-carrier',
      host: '127.0.0.1',
    },
  });
});
afterAll(() => fixture.close());

/** The verb uses only the database and the time. */
const run = (now = new Date()) => testAnyTrunk({ db: fixture.db, now } as unknown as OperatorCtx, trunk.id);

test('a test of a draft returns the ping and every line of the check-up, and stores the ping', async () => {
  media.carrier.checkup = (target) =>
    checkupFactsOf(target, { options: optionsReplyOf(target, { status: 404, reason: 'Not Found' }) });
  const { ping, checkup } = await run();
  expect(ping).toMatchObject({ up: true, status: 404, target: 'sip:127.0.0.1:5060;transport=udp' });
  expect(checkup.map(({ check }) => check)).toEqual([
    'DNS',
    'CONNECTION',
    'CERTIFICATE',
    'OPTIONS',
    'CREDENTIALS',
    'REGISTRATION',
    'OUR_ADDRESS',
    'CODECS',
    'SOURCES',
  ]);
  expect(checkup.at(-1)).toEqual({
    check: 'SOURCES',
    result: 'FAILED',
    text: 'The trunk has no source addresses, so it receives no calls.',
    code: 'no_sources',
    fix: 'List every signalling address from which the carrier sends calls.',
    field: 'inbound_source_cidrs',
    docs: '/docs/failures#no-sources',
    details: {},
  });
  const state = await fixture.db.sipTrunkState.findUniqueOrThrow({ where: { trunkId: trunk.id } });
  expect(state.ping).toEqual(ping);
  expect(state.upChangedAt?.toISOString()).toBe(ping.at);
});

test('a trunk is tested at most once in ten seconds, and concurrent tests run once', async () => {
  const outcomes = await Promise.allSettled([run(), run(), run()]);
  const rejected = outcomes.filter((one) => one.status === 'rejected');
  expect(rejected).toHaveLength(2);
  for (const { reason } of rejected) {
    expect(reason).toMatchObject({ code: 'too_soon', status: 429, retryAfterSeconds: 10 });
  }
  await expect(run(new Date(Date.now() + 9_000))).rejects.toMatchObject({ retryAfterSeconds: 1 });
  expect(media.commands.filter(({ command }) => command === 'trunk:checkup')).toHaveLength(2);
});

test('while the SIP server is down there is no result, and the test does not count', async () => {
  media.carrier.checkup = () => 'sip down';
  await expect(run()).rejects.toMatchObject({ code: 'sip_unavailable', status: 503 });
  media.carrier.checkup = (target) => checkupFactsOf(target);
  expect((await run()).ping.up).toBe(true);
});

test('a carrier that does not respond is down, and no error', async () => {
  media.carrier.checkup = (target) =>
    checkupFactsOf(target, {
      options: optionsReplyOf(target, { status: null, error: 'None.', code: 'options_no_response' }),
    });
  const { ping, checkup } = await run();
  expect(ping).toMatchObject({ up: false, status: null, error: 'None.' });
  expect(checkup.find(({ check }) => check === 'OPTIONS')).toMatchObject({
    result: 'FAILED',
    code: 'options_no_response',
  });
  media.carrier.checkup = (target) => checkupFactsOf(target);
});

test('with two nodes, one of them carries it out', async () => {
  const second = await fixture.startNode();
  const secondMedia = await fixture.media([second]);
  const count = () =>
    [media, secondMedia]
      .flatMap(({ commands }) => commands)
      .filter(({ command, payload }) => command === 'trunk:checkup' && payload.target.trunkId === trunk.id)
      .length;
  await run();
  expect(count()).toBe(1);
  secondMedia.close();
  await second.stop();
});

test('without a node that has media, the caller learns it within two seconds', async () => {
  media.close();
  await vi.waitFor(
    async () => {
      const startedAt = performance.now();
      await expect(run()).rejects.toMatchObject({ code: 'sip_unavailable' });
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    },
    { timeout: 10_000 },
  );
});
