/** A caller who withheld their number: what agents, the board, the lookup hook and webhooks receive, and what is stored. */
import { boardCalls } from '@clarion/core/call-engine/board';
import { createCallBack } from '@clarion/core/call-engine/call-back';
import { parseState } from '@clarion/core/call-engine/stored';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { LookupHook } from '@clarion/testkit/peers/lookup-hook';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { World } from './world.ts';

let world: World;
let node: Realtime & { url: string };
let media: FakeMedia;
let hook: LookupHook;

beforeAll(async () => {
  world = await World.create();
  node = await world.startNode();
  media = await world.media([node]);
  hook = await world.lookupHook();
});
afterAll(async () => {
  await hook.close();
  await world.close();
});

/** As media reports it, plus the number that media must not report: realtime must not use it either. */
const ring = (address: string) =>
  media.ring({
    requestUser: address.slice(1),
    withheld: true,
    fromUser: 'anonymous',
    fromName: 'Grace Secret',
    assertedUser: '+447700900999',
  });

test('a withheld number is anonymous to the agent, the board, the lookup hook and webhooks, and is not stored', async () => {
  const agent = await world.agent('anna', { shift: 'AVAILABLE' });
  const queue = await world.queue([agent]);
  const line = await world.line({ inboundQueueId: queue.id });
  const app = await world.app(node, 'anna');
  const { callId, legId } = await ring(line.address);
  const withheld = { address: 'anonymous', addressWithheld: true, name: null };

  expect((await hook.askedAbout(callId)).question.caller).toEqual({
    address: 'anonymous',
    address_type: 'E164',
    withheld: true,
  });
  expect((await app.next('call:incoming')).call.customer).toEqual(withheld);
  const [shown] = await boardCalls(world.db, world.tenant.id);
  expect(shown?.customer).toEqual(withheld);

  media.ended(callId, legId, legEndOf('remote-cancel'));
  await world.ended(callId);
  const call = await world.db.call.findUniqueOrThrow({
    where: { id: callId },
    include: { lifecycle: true, events: true, legs: true, participants: true },
  });
  expect(call).toMatchObject({ customerAddress: null, customerWithheld: true, customerName: null });
  const [created] = call.events.map(({ body }) => JSON.parse(body) as { data: { call: unknown } });
  expect(created?.data.call).toMatchObject({ customer: { ...withheld, addressType: 'E164' } });
  const stored = JSON.stringify(call, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  for (const secret of ['447700900999', 'Grace Secret']) {
    expect(stored).not.toContain(secret);
    expect(JSON.stringify(app.told)).not.toContain(secret);
    expect(JSON.stringify(hook.asked)).not.toContain(secret);
  }
  app.close();
});

test('a caller who withheld their number is not called back', async () => {
  const queue = await world.queue([]);
  const line = await world.line({ inboundQueueId: queue.id });
  const { callId, legId } = await ring(line.address);
  const wait = await world.until(async () => {
    const live = await world.db.liveCall.findUnique({ where: { callId } });
    const state = live && parseState(live.state);
    return state?.phase === 'waiting' ? state.wait : undefined;
  }, 'the queue');
  media.ended(callId, legId, legEndOf('remote-cancel'));
  await world.ended(callId);
  expect(await createCallBack(world.db, { callId, wait, leaseNodeId: 'n' }, new Date())).toEqual({
    kind: 'refused',
    reason: 'The caller withheld their number or has been erased.',
  });
});
