/** Who gets a call that several agents or devices accept. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Realtime } from '../src/server.ts';
import { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let second: Realtime & { url: string };
let media: FakeMedia;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  [node, second] = [await fixture.startNode(), await fixture.startNode()];
  media = await fixture.media([node, second]);
});
afterAll(() => fixture.close());

/** A call that rings every agent of its queue. Half of them are connected to the second node. */
async function ringAll(refs: string[]) {
  const agents = await Promise.all(refs.map((ref) => fixture.agent(ref, { shift: 'AVAILABLE' })));
  const queue = await fixture.queue(agents, { strategy: 'RING_ALL' });
  const line = await fixture.line({ inboundQueueId: queue.id });
  const apps = await Promise.all(refs.map((ref, i) => fixture.app(i % 2 === 0 ? node : second, ref)));
  const { callId } = await media.ring({ requestUser: line.address.slice(1) });
  await Promise.all(apps.map((app) => app.next('call:incoming')));
  return { callId, apps, agents };
}

describe('a call that rings several agents', () => {
  test('belongs to exactly one of those who accept at once on two nodes, and the others learn why', async () => {
    const { callId, apps } = await ringAll(['ann', 'ben', 'cem', 'dua']);
    const replies = await Promise.all(
      apps.map((app, i) => app.send('call:accept', { callId, sdpOffer: `offer ${i}` })),
    );
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    for (const [i, reply] of replies.entries()) {
      if (reply.ok) continue;
      expect(reply.error.code).toBe('invalid_state');
      expect(await apps[i]?.next('call:withdrawn')).toEqual({ callId, reason: 'ANSWERED_ELSEWHERE' });
    }
    const connected = media.commands.filter(
      ({ command, payload }) => command === 'agent:connect' && payload.callId === callId,
    );
    expect(connected).toHaveLength(1);
    await fixture.terminate(callId);
    for (const app of apps) app.close();
  });

  test('belongs to the first who accepts, even if their audio is connected last', async () => {
    const usual = media.behaviour.onAgentConnect;
    const leg = Promise.withResolvers<string>();
    media.behaviour.onAgentConnect = (_, { legId }) => leg.resolve(legId);
    const { callId, apps, agents } = await ringAll(['eli', 'fox']);
    const [eli, fox] = apps as [AppSocket, AppSocket];
    await eli.ask('call:accept', { callId, sdpOffer: 'slow' });
    await expect(fox.ask('call:accept', { callId, sdpOffer: 'fast' })).rejects.toThrow('invalid_state');
    expect(await fox.next('call:withdrawn')).toMatchObject({ reason: 'ANSWERED_ELSEWHERE' });
    media.connected(callId, await leg.promise);
    media.behaviour.onAgentConnect = usual;
    const { call } = await eli.next('call:updated', (update) => update.call.answeredAt !== null);
    expect(call.state).toBe('active');
    expect(await fixture.agentRow(agents[0]?.id ?? 0)).toMatchObject({ currentCallId: callId });
    await fixture.terminate(callId);
    for (const app of apps) app.close();
  });
});

test('an accept is refused with the reason, and changes nothing', async () => {
  const { callId, apps } = await ringAll(['gil']);
  await fixture.agent('hal', { shift: 'OFFLINE' });
  await fixture.db.tenant.create({ data: { consumerId: fixture.consumer.id, ref: 'two', name: 'Two' } });
  const colleague = await fixture.app(node, 'hal');
  const stranger = new AppSocket(node.url, fixture.token('hal', { tnt: 'two' }));
  await stranger.session();
  const codeOf = async (app: AppSocket, id: number) => {
    const reply = await app.send('call:accept', { callId: id, sdpOffer: 'x' });
    return reply.ok ? 'ok' : reply.error.code;
  };
  expect(await codeOf(colleague, callId)).toBe('invalid_state');
  expect(await codeOf(stranger, callId)).toBe('not_found');
  expect(await codeOf(colleague, 999_999)).toBe('not_found');
  expect(await codeOf(colleague, 2 ** 40)).toBe('not_found');
  await fixture.terminate(callId);
  await fixture.ended(callId);
  expect(await codeOf(colleague, callId)).toBe('call_ended');
  expect(await codeOf(stranger, callId)).toBe('not_found');
  const connects = media.commands.filter(({ payload }) => 'callId' in payload && payload.callId === callId);
  expect(connects.map(({ command }) => command)).not.toContain('agent:connect');
  for (const app of [...apps, colleague, stranger]) app.close();
});
