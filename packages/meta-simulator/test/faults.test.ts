import { afterEach, beforeEach, expect, test } from 'vitest';
import { answer, CUSTOMER, NUMBER, offer, openScene, type Scene } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

test('terminate before connect', async () => {
  scene.control.addWebhookFault({
    kind: 'reorder',
    behind: 'terminate',
    maxHoldMs: 60_000,
    events: ['connect'],
    times: 1,
  });
  const { id } = await scene.control.placeCall(CUSTOMER);
  scene.control.hangUp(id);
  await scene.receiver.call('connect');
  expect(scene.receiver.order).toEqual(['terminate', 'connect']);
});

test('forged and unsigned webhooks do not have a valid signature', async () => {
  for (const kind of ['forged', 'unsigned'] as const)
    scene.control.addWebhookFault({ kind, events: ['connect', 'terminate'], times: 1 });
  const { id } = await scene.control.placeCall(CUSTOMER);
  scene.control.hangUp(id);
  await scene.receiver.call('terminate');
  expect(scene.receiver.received.map(({ isSigned }) => isSigned)).toEqual([false, false]);
});

test('several events in one POST', async () => {
  scene.control.addWebhookFault({
    kind: 'batch',
    size: 2,
    windowMs: 60_000,
    shape: 'values',
    events: 'all',
    times: 2,
  });
  const { id } = await scene.control.placeCall(CUSTOMER);
  scene.control.hangUp(id);
  const { value } = await scene.receiver.call('terminate');
  expect(value.calls?.map(({ event }) => event)).toEqual(['connect', 'terminate']);
  expect(scene.receiver.posts).toBe(1);
});

test('a webhook that is not answered 200 is sent again', async () => {
  scene.receiver.statuses = [500, 302, 503];
  await scene.control.placeCall(CUSTOMER);
  for (const attempt of [1, 2, 3]) {
    await scene.control.journal.when(
      (entry) => entry.type === 'delivery' && entry.delivery.attempt === attempt,
      10_000,
    );
    scene.control.advance(3_600_000);
  }
  await scene.receiver.call('connect');
  expect(scene.receiver.posts).toBe(4);
});

test('a Graph fault affects the requests that it names, as often as it says', async () => {
  const call = await scene.control.placeCall(CUSTOMER);
  scene.control.addGraphFault({ kind: 'error', code: 138_004, on: 'accept', times: 1 });
  const accept = { action: 'accept', call_id: call.id, session: answer };
  expect((await scene.calls({ ...accept, action: 'pre_accept' })).status).toBe(200);
  expect(await scene.calls(accept)).toMatchObject({ status: 500, body: { error: { code: 138_004 } } });
  expect(scene.control.call(call.id).state).toBe('pre_accepted');
  expect((await scene.calls(accept)).status).toBe(200);
});

test('a lost response: the call exists, and its webhook arrives', async () => {
  scene.control.decidePermission(CUSTOMER, 'accept');
  scene.control.addGraphFault({ kind: 'lost_response', on: 'connect', times: 1 });
  await expect(scene.calls({ action: 'connect', to: CUSTOMER, session: offer })).rejects.toThrow();
  await scene.receiver.call('connect');
  expect(scene.control.calls()).toHaveLength(1);
});

test('malformed JSON, and a body that is not Meta’s', async () => {
  scene.control.addGraphFault({ kind: 'malformed', on: 'all', times: 1 });
  await expect(scene.graph('GET', `/${NUMBER}`)).rejects.toThrow(SyntaxError);
  scene.control.addGraphFault({ kind: 'http', status: 502, body: '<html>', on: 'all', times: 1 });
  await expect(scene.graph('GET', `/${NUMBER}`)).rejects.toThrow(SyntaxError);
  expect((await scene.graph('GET', `/${NUMBER}`)).status).toBe(200);
});

test('a Graph fault of one business number affects no other', async () => {
  const fault = { kind: 'http', status: 502, body: '{}', on: 'all', times: 1 } as const;
  scene.control.addGraphFault({ ...fault, phoneNumberId: 'another' });
  expect((await scene.graph('GET', `/${NUMBER}`)).status).toBe(200);
  scene.control.addGraphFault({ ...fault, phoneNumberId: NUMBER });
  expect((await scene.graph('GET', `/${NUMBER}`)).status).toBe(502);
});
