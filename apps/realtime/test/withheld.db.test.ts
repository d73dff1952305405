/** A caller who withheld their number: what agents, the board, the lookup hook and webhooks receive, and what is stored. */
import { boardCalls } from '@clarion/core/call-engine/board';
import { createCallback } from '@clarion/core/call-engine/callback';
import { parseState } from '@clarion/core/call-engine/stored';
import { legEndOf } from '@clarion/testkit/peers/fake-media';
import type { FakeMedia } from '@clarion/testkit/peers/fake-media';
import type { LookupHook } from '@clarion/testkit/peers/lookup-hook';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { RealtimeFixture } from './fixture.ts';

let fixture: RealtimeFixture;
let node: Realtime & { url: string };
let media: FakeMedia;
let hook: LookupHook;

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode();
  media = await fixture.media([node]);
  hook = await fixture.lookupHook();
});
afterAll(async () => {
  await hook.close();
  await fixture.close();
});

/** The request of media, plus the number that media must not report and realtime must not use. */
const ring = (address: string) =>
  media.ring({
    requestUser: address.slice(1),
    withheld: true,
    fromUser: 'anonymous',
    fromName: 'Grace Secret',
    assertedUser: '+447700900999',
  });

test('a withheld number is anonymous to the agent, the board, the lookup hook and webhooks, and is not stored', async () => {
  const agent = await fixture.agent('anna', { shift: 'AVAILABLE' });
  const queue = await fixture.queue([agent]);
  const line = await fixture.line({ inboundQueueId: queue.id });
  const app = await fixture.app(node, 'anna');
  const { callId, legId } = await ring(line.address);
  const withheld = { address: 'anonymous', addressWithheld: true, name: null };

  expect((await hook.askedAbout(callId)).question.caller).toEqual({
    address: 'anonymous',
    address_type: 'E164',
    withheld: true,
  });
  expect((await app.next('call:incoming')).call.customer).toEqual(withheld);
  const [shown] = await boardCalls(fixture.db, fixture.tenant.id);
  expect(shown?.customer).toEqual(withheld);

  media.ended(callId, legId, legEndOf('remote-cancel'));
  await fixture.ended(callId);
  const call = await fixture.db.call.findUniqueOrThrow({
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
    expect(JSON.stringify(app.received)).not.toContain(secret);
    expect(JSON.stringify(hook.asked)).not.toContain(secret);
  }
  app.close();
});

test('a caller who withheld their number is not called back', async () => {
  const queue = await fixture.queue([]);
  const line = await fixture.line({ inboundQueueId: queue.id });
  const { callId, legId } = await ring(line.address);
  const wait = await fixture.until(async () => {
    const live = await fixture.db.liveCall.findUnique({ where: { callId } });
    const state = live && parseState(live.state);
    return state?.phase === 'waiting' ? state.wait : undefined;
  }, 'the queue');
  media.ended(callId, legId, legEndOf('remote-cancel'));
  await fixture.ended(callId);
  expect(await createCallback(fixture.db, { callId, wait, leaseNodeId: 'n' }, new Date())).toEqual({
    kind: 'refused',
    reason: 'The caller withheld their number or has been erased.',
  });
});
