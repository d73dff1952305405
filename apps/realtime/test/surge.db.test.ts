/** Many calls and many agents at once, through real sockets of two nodes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { Realtime } from '../src/server.ts';
import { RealtimeFixture } from './fixture.ts';

const CALLS = 15;

let fixture: RealtimeFixture;
let nodes: (Realtime & { url: string })[];
let media: FakeMedia;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  nodes = [await fixture.startNode(), await fixture.startNode()];
  media = await fixture.media(nodes);
});
afterAll(() => fixture.close());

test('agents of two nodes who become available together are offered the calls in order of arrival, one each', async () => {
  const agents = [];
  for (let n = 0; n < CALLS; n += 1) agents.push(await fixture.agent(`agent-${n}`, { shift: 'OFFLINE' }));
  const queue = await fixture.queue(agents, { ringTimeoutSeconds: 60 });
  const line = await fixture.line({ inboundQueueId: queue.id });
  const apps = await Promise.all(
    agents.map(({ ref }, index) => fixture.app(nodes[index % nodes.length] ?? fail(), ref)),
  );
  const callIds: number[] = [];
  for (let n = 0; n < CALLS; n += 1)
    callIds.push((await media.ring({ requestUser: line.address.slice(1), fromUser: '447700900123' })).callId);

  await Promise.all(apps.map((app) => app.ask('availability:set', { status: 'AVAILABLE' })));
  const rung = await Promise.all(apps.map(async (app) => (await app.next('call:incoming')).call.callId));

  expect(rung.toSorted((a, b) => a - b)).toEqual(callIds);
  const offers = await fixture.db.callLifecycle.findMany({
    where: { callId: { in: callIds }, type: 'OFFERED' },
    orderBy: { id: 'asc' },
    select: { callId: true },
  });
  expect(offers.map(({ callId }) => callId)).toEqual(callIds);
  for (const callId of callIds) await fixture.terminate(callId);
  for (const app of apps) app.close();
});

function fail(): never {
  throw new Error('no node');
}
