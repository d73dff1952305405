/** SIP ladders of media nodes, and what realtime itself exchanged with Meta, as rows. */
import { randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { readPart } from '@clarion/core/ladder/read-part';
import type { LadderMessage, LadderPart } from '@clarion/protocol/ladder';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { WhatsAppScene } from './whatsapp-scene.ts';

let scene: WhatsAppScene;
let fixture: WhatsAppScene['fixture'];
let node: Realtime & { url: string };
let media: FakeMedia;

beforeAll(async () => {
  scene = await WhatsAppScene.open();
  ({ fixture } = scene);
  node = await scene.startNode();
  media = await fixture.media([node]);
});
afterAll(() => scene.close());

const part: LadderPart = {
  version: 1,
  legs: [{ id: 'customer', kind: 'carrier-in', omitted: 0 }],
  entries: [{ kind: 'media', ms: 0, leg: 0, what: 'first-packet-received' }],
};
/** As captured a while ago by a process whose wall clock is in the past. */
const messageOf = (about: { callId?: number; inviteId?: string }, ageMs = 5_000): LadderMessage => ({
  ladderId: randomUUID(),
  callId: about.callId ?? null,
  inviteId: about.inviteId ?? null,
  at: new Date('2020-01-01T00:00:00.000Z').toISOString(),
  data: deflateRawSync(JSON.stringify(part)).toString('base64'),
  sent: { clockMs: ageMs + 1_000, ageMs },
});

async function rowsOf(callId: number, count: number) {
  await expect.poll(() => fixture.db.callLadder.count({ where: { callId } })).toBeGreaterThanOrEqual(count);
  return fixture.db.callLadder.findMany({ where: { callId }, orderBy: { startedAt: 'asc' } });
}

test('ladders are acknowledged once they are stored, with times by the clock of realtime', async () => {
  const agent = await fixture.agent('anna', { shift: 'AVAILABLE' });
  const line = await fixture.line({ inboundQueueId: (await fixture.queue([agent])).id });
  const { callId } = await media.ring({ requestUser: line.address.slice(1) });
  const message = messageOf({ callId });
  expect(await media.sendLadders([message, messageOf({ callId: 999_999 })])).toBe(true);
  const [row, ...others] = await rowsOf(callId, 1);
  expect(others).toEqual([]);
  expect(Date.now() - (row?.startedAt.getTime() ?? 0)).toBeGreaterThanOrEqual(5_000);
  expect(Date.now() - (row?.startedAt.getTime() ?? 0)).toBeLessThan(15_000);
  expect(readPart(row?.data ?? new Uint8Array())).toEqual(part);
  // The ack was lost.
  expect(await media.sendLadders([message])).toBe(true);
  expect(await fixture.db.callLadder.count({ where: { callId } })).toBe(1);
});

test('a refusal of a trunk asks for its ladder, which is stored with it even if it arrives first', async () => {
  const { answer, question } = await media.invite({ requestUser: '4420999999' });
  expect(answer).toMatchObject({ action: 'reject', status: 404, stored: true });
  expect(await media.sendLadders([messageOf({ inviteId: question.inviteId })])).toBe(true);
  const stored = () => fixture.db.sipRefusal.findFirst({ where: { inviteId: question.inviteId } });
  await expect.poll(async () => (await stored())?.ladder ?? null).not.toBeNull();
  expect(await stored()).toMatchObject({ trunkId: fixture.trunk.id, status: 404 });
  // A stranger's call is refused without a ladder.
  const source = { address: '203.0.113.77', port: 5060, transport: 'UDP' as const };
  const unknown = await media.invite({ requestUser: '4420999999', source });
  expect(unknown.answer).toMatchObject({ action: 'reject' });
  expect('stored' in unknown.answer && unknown.answer.stored).toBe(false);
});

test('requests to Meta are parts of the call without the access token and without secrets of SDP', async () => {
  const agent = await fixture.agent('wanda');
  const app = await fixture.app(node, agent.ref);
  const customer = scene.customer();
  const { id: callId } = await scene.intent(agent, await scene.line(), customer);
  await app.ask('call:start', { callId, sdpOffer: 'offer' });
  await scene.placedTo(customer);
  const [row] = await rowsOf(callId, 1);
  const { entries } = readPart(row?.data ?? new Uint8Array());
  expect(entries.map((entry) => entry.kind === 'graph' && [entry.sent, entry.title])).toEqual([
    [true, 'POST calls: connect'],
    [false, '200 (connect)'],
  ]);
  const text = JSON.stringify(entries);
  expect(text).toContain('"action');
  expect(text).not.toContain(scene.accessToken);
  expect(text).not.toMatch(/ice-pwd:(?!\*)|fingerprint:(?!\*)/);
  app.close();
});
