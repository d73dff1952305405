/** A caller who withheld their number: what agents, the board, the lookup hook and webhooks receive, and what is stored. */
import { randomUUID } from 'node:crypto';
import { boardCalls } from '@clarion/core/call/board';
import { createCallBack } from '@clarion/core/call/engine/call-back';
import { parseState } from '@clarion/core/call/engine/stored';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { legEndOf } from '@clarion/testkit/fake-media';
import type { FakeMedia } from '@clarion/testkit/fake-media';
import { LookupHook } from '@clarion/testkit/lookup-hook';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Realtime } from '../src/server.ts';
import { MASTER_KEY, World } from './world.ts';

let world: World;
let node: Realtime & { url: string };
let media: FakeMedia;
let hook: LookupHook;

beforeAll(async () => {
  world = await World.create();
  node = await world.startNode();
  media = await world.media([node]);
  hook = await LookupHook.start();
  hook.secret = `whsec_${randomUUID()}`;
  const webhookSecretSealed = createSecretBox([MASTER_KEY]).seal('webhook-secret', hook.secret);
  await world.db.consumer.update({
    where: { id: world.consumer.id },
    data: { lookupUrl: hook.url, webhookSecretSealed },
  });
});
afterAll(async () => {
  await hook.close();
  await world.close();
});

const ring = async (address: string) => {
  // As media reports it, plus the number that media must not report: realtime must not use it either.
  const { answer, question } = await media.invite({
    requestUser: address.slice(1),
    withheld: true,
    fromUser: 'anonymous',
    fromName: 'Grace Secret',
    assertedUser: '+447700900999',
  });
  if (answer.action !== 'take') throw new Error(`refused: ${answer.status} ${answer.reason}`);
  return { callId: answer.callId, legId: question.legId };
};

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
    reason: 'The caller withheld their number, or was erased.',
  });
});
