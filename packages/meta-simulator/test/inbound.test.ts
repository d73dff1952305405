import { afterEach, beforeEach, expect, test } from 'vitest';
import { answer, CUSTOMER, NUMBER, openScene, USER_ID, WABA, type Scene } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

test('a customer calls, the business accepts, and the customer hangs up', async () => {
  const { id } = await scene.control.placeCall(CUSTOMER);
  const connect = await scene.receiver.call('connect');
  expect(connect).toMatchObject({
    isSigned: true,
    field: 'calls',
    value: {
      metadata: { phone_number_id: NUMBER, display_phone_number: '13175551399' },
      contacts: [{ profile: { name: 'Ana' }, wa_id: CUSTOMER, user_id: USER_ID }],
      calls: [{ id, from: CUSTOMER, from_user_id: USER_ID, direction: 'USER_INITIATED' }],
    },
  });
  expect(connect.value.calls?.[0]?.session).toMatchObject({
    sdp_type: 'offer',
    sdp: expect.stringContaining('a=ice-lite') as string,
  });
  expect(await scene.calls({ action: 'pre_accept', call_id: id, session: answer })).toEqual({
    status: 200,
    body: { messaging_product: 'whatsapp', success: true },
  });
  expect(scene.control.call(id).state).toBe('pre_accepted');
  const accepted = await scene.calls({
    action: 'accept',
    call_id: id,
    session: answer,
    biz_opaque_callback_data: 'ours',
  });
  expect(accepted.status).toBe(200);
  scene.control.advance(12_000);
  scene.control.hangUp(id);
  const { value } = await scene.receiver.call('terminate');
  expect(value.calls?.[0]).toMatchObject({ id, status: 'COMPLETED', biz_opaque_callback_data: 'ours' });
  expect(value.calls?.[0]?.duration).toBeGreaterThanOrEqual(12);
  expect(value.calls?.[0]?.duration).toBeLessThan(14);
});

test('a call that nobody accepts ends after the accept deadline without a duration', async () => {
  const { id } = await scene.control.placeCall(CUSTOMER);
  scene.control.advance(44_000);
  expect(scene.control.call(id).state).toBe('calling');
  scene.control.advance(1000);
  const { value } = await scene.receiver.call('terminate');
  expect(value.calls?.[0]).toMatchObject({ id, status: 'FAILED' });
  expect(value.calls?.[0]).not.toHaveProperty('start_time');
  const late = await scene.calls({ action: 'accept', call_id: id, session: answer });
  expect(late).toMatchObject({ status: 400, body: { error: { code: 100 } } });
});

test('a customer who hides the number is known by the user ID only', async () => {
  scene.control.changeCustomer(CUSTOMER, { hidesNumber: true, username: 'ana.p' });
  await scene.control.placeCall(USER_ID);
  const { value } = await scene.receiver.call('connect');
  expect(JSON.stringify(value)).not.toContain(CUSTOMER);
  expect(value.calls?.[0]?.from_user_id).toBe(USER_ID);
});

test.each(['accept', 'reject', 'pre_accept'])('%s of an accepted call is refused', async (action) => {
  const { id } = await scene.control.placeCall(CUSTOMER);
  await scene.calls({ action: 'accept', call_id: id, session: answer });
  const again = await scene.calls({ action, call_id: id, session: answer });
  expect(again).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  expect(scene.control.call(id).state).toBe('accepted');
});

test('accept must repeat the SDP of pre_accept', async () => {
  const { id } = await scene.control.placeCall(CUSTOMER);
  await scene.calls({ action: 'pre_accept', call_id: id, session: answer });
  const other = { ...answer, sdp: answer.sdp.replace('abcd\r', 'abce\r') };
  const refused = await scene.calls({ action: 'accept', call_id: id, session: other });
  expect(refused.body.error?.error_data?.details).toContain('same as that of pre_accept');
  expect((await scene.calls({ action: 'accept', call_id: id, session: answer })).status).toBe(200);
});

test('reject ends a ringing call with one terminate', async () => {
  const { id } = await scene.control.placeCall(CUSTOMER);
  expect((await scene.calls({ action: 'reject', call_id: id })).status).toBe(200);
  await scene.receiver.call('terminate');
  expect(scene.control.call(id)).toMatchObject({ state: 'ended', endedBy: 'business' });
  expect(scene.receiver.order).toEqual(['connect', 'terminate']);
});

test('over the limit of concurrent calls the business hears nothing of a call', async () => {
  await scene.close();
  scene = await openScene({ limits: { concurrentCalls: 1 } });
  scene.control.addCustomer({ waId: '12185550001' });
  await scene.control.placeCall(CUSTOMER);
  await expect(scene.control.placeCall('12185550001')).rejects.toThrow('limit of concurrent calls');
  await scene.receiver.call('connect');
  expect(scene.receiver.order).toEqual(['connect']);
});

test('with the callback setting a call of a customer gives permission', async () => {
  const body = { calling: { callback_permission_status: 'ENABLED' } };
  expect((await scene.graph('POST', `/${NUMBER}/settings`, body)).body).toEqual({ success: true });
  const { id } = await scene.control.placeCall(CUSTOMER);
  const { value, field } = await scene.receiver.next((received) => received.field === 'messages');
  expect(field).toBe('messages');
  expect(value.messages?.[0]).toMatchObject({
    context: { id },
    interactive: { call_permission_reply: { response: 'accept', response_source: 'automatic' } },
  });
});

test('an accepted call without media of the business ends with 138023', async () => {
  const first = await scene.control.placeCall(CUSTOMER);
  await scene.calls({ action: 'accept', call_id: first.id, session: answer });
  scene.control.interrupt(first.id, 'media', true);
  scene.control.advance(19_000);
  expect(scene.control.call(first.id).state).toBe('accepted');
  scene.control.advance(2000);
  expect(scene.control.call(first.id)).toMatchObject({ state: 'ended', errorCode: 138_023 });
  const { value } = await scene.receiver.call('terminate');
  expect(value.errors?.[0]?.code).toBe(138_023);
  expect(value.calls?.[0]).toMatchObject({ status: 'FAILED' });
});

test('without a subscription nothing is sent', async () => {
  await scene.graph('DELETE', `/${WABA}/subscribed_apps`);
  await scene.control.placeCall(CUSTOMER);
  await scene.graph('POST', `/${WABA}/subscribed_apps`);
  scene.control.decidePermission(CUSTOMER, 'accept');
  await scene.receiver.next(({ field }) => field === 'messages');
  expect(scene.receiver.order).toEqual(['permission']);
});
