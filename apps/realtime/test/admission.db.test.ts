/** INVITEs are decided no faster than calls are dispatched (media/invite-gate.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Realtime } from '../src/server.ts';
import { RealtimeFixture } from './fixture.ts';

const INVITES = 40;
/** MAX_IN_SET_UP of the gate. */
const ADMITTED = 16;
/** More than all tests admit: their calls do not end. */
const PLAN_CALLS = 1_000;
const HELD_MS = 500;
/** Instead of 5 s, so that all windows of INVITEs pass before media gives up. */
const DISPATCH_COUNTS_MS = 200;
const STRANGER = { address: '198.51.100.7', port: 5060, transport: 'UDP' } as const;

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  await fixture.db.consumer.update({
    where: { id: fixture.consumer.id },
    data: { planCallsAtOnce: PLAN_CALLS },
  });
  node = await fixture.startNode();
  media = await fixture.media([node]);
});
afterAll(() => fixture.close());

const inviteAll = (number: string, through = media) =>
  Array.from({ length: INVITES }, () => through.invite({ requestUser: number.slice(1) }));

test('while offers cannot be made, few calls are admitted; afterwards the rest of them. Unknown sources are rejected meanwhile', async () => {
  // From now on, it is known that no trunk has this address.
  await media.invite({ requestUser: '4930123', source: STRANGER });
  const agent = await fixture.agent('ann', { shift: 'AVAILABLE' });
  const queue = await fixture.queue([agent], { ringTimeoutSeconds: 60 });
  const line = await fixture.line({ inboundQueueId: queue.id });
  const app = await fixture.app(node, 'ann');
  const calls = () => fixture.db.liveCall.count({ where: { call: { channelId: line.id } } });

  const unlock = await fixture.lockAgent(agent);
  const answers = inviteAll(line.address);
  await fixture.until(async () => (await calls()) >= ADMITTED || undefined, 'the first calls');
  await sleep(HELD_MS);
  expect(await calls()).toBe(ADMITTED);
  const stranger = await media.invite({ requestUser: '4930123', source: STRANGER });
  expect(stranger.answer).toMatchObject({ action: 'reject', status: 403 });

  await unlock();
  const decisions = await Promise.all(answers);
  expect(decisions.filter(({ answer }) => answer.action === 'accept')).toHaveLength(INVITES);
  const { call } = await app.next('call:incoming');
  expect(decisions[0]?.answer).toMatchObject({ action: 'accept', callId: call.callId });
  app.close();
});

test('calls for which no agent is idle are all admitted', async () => {
  const line = await fixture.line({ inboundQueueId: (await fixture.queue([])).id });
  const decisions = await Promise.all(inviteAll(line.address));
  expect(decisions.filter(({ answer }) => answer.action === 'accept')).toHaveLength(INVITES);
});

test('a dispatch that hangs delays new calls for a limited time only', async () => {
  const other = await fixture.startNode({}, undefined, { dispatchCountsMs: DISPATCH_COUNTS_MS });
  const through = await fixture.media([other]);
  const agent = await fixture.agent('ben', { shift: 'AVAILABLE' });
  const queue = await fixture.queue([agent], { ringTimeoutSeconds: 60 });
  const line = await fixture.line({ inboundQueueId: queue.id });
  const app = await fixture.app(other, 'ben');

  const unlock = await fixture.lockAgent(agent);
  const decisions = await Promise.all(inviteAll(line.address, through)).finally(unlock);
  expect(decisions.filter(({ answer }) => answer.action === 'accept')).toHaveLength(INVITES);
  await app.next('call:incoming');
  app.close();
});
