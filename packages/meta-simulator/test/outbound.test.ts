import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentMedia } from '../src/index.ts';
import { CUSTOMER, NUMBER, offer, openScene, USER_ID, WABA, type Scene } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

const permit = (): void => scene.control.decidePermission(CUSTOMER, 'accept');

test('the business calls, the customer answers, and the business hangs up', async () => {
  permit();
  const id = await scene.connect({ biz_opaque_callback_data: 'our-call-981' });
  expect(id).toMatch(/^wacid\./);
  const connect = await scene.receiver.call('connect');
  expect(connect.value.calls?.[0]).toMatchObject({
    id,
    from: '13175551399',
    to: CUSTOMER,
    direction: 'BUSINESS_INITIATED',
    session: { sdp_type: 'answer', sdp: expect.stringContaining('a=setup:active') as string },
    biz_opaque_callback_data: 'our-call-981',
  });
  const ringing = await scene.receiver.status('RINGING');
  expect(ringing.value.statuses?.[0]).toMatchObject({ id, recipient_id: CUSTOMER });
  scene.control.answer(id);
  await scene.receiver.status('ACCEPTED');
  expect((await scene.calls({ action: 'terminate', call_id: id })).status).toBe(200);
  const { value } = await scene.receiver.call('terminate');
  expect(value.calls?.[0]).toMatchObject({ status: 'COMPLETED', start_time: expect.any(String) as string });
  expect(scene.receiver.order).toEqual(['permission', 'connect', 'RINGING', 'ACCEPTED', 'terminate']);
  expect(scene.receiver.received.every(({ isSigned }) => isSigned)).toBe(true);
});

test('a declined call has the status REJECTED before the terminate', async () => {
  permit();
  scene.control.changeCustomer(CUSTOMER, { behaviour: { onCall: 'decline' } });
  await scene.connect();
  const { value } = await scene.receiver.call('terminate');
  expect(value.calls?.[0]).not.toHaveProperty('start_time');
  expect(scene.receiver.order).toEqual(['permission', 'connect', 'RINGING', 'REJECTED', 'terminate']);
});

test('a customer without a visible number is called by the user ID', async () => {
  permit();
  scene.control.changeCustomer(CUSTOMER, { hidesNumber: true });
  const id = await scene.connect({ to: undefined, recipient: USER_ID });
  const { value } = await scene.receiver.status('RINGING');
  expect(value.statuses?.[0]).toEqual(expect.not.objectContaining({ recipient_id: CUSTOMER }));
  expect(value.statuses?.[0]).toMatchObject({ id, recipient_user_id: USER_ID });
});

test('without a permission a call is refused with 138006', async () => {
  const refused = await scene.calls({ action: 'connect', to: CUSTOMER, session: offer });
  expect(refused).toMatchObject({
    status: 401,
    body: { error: { code: 138_006, type: 'OAuthException', fbtrace_id: expect.any(String) as string } },
  });
  expect(scene.control.calls()).toEqual([]);
});

test('while a call to a customer is being created, others are refused with 138003', async () => {
  await scene.close();
  const created = Promise.withResolvers<void>();
  const media = silentMedia();
  scene = await openScene({
    media: async (context) => {
      await created.promise;
      return media(context);
    },
  });
  permit();
  const codes: number[] = [];
  const connect = async (): Promise<void> => {
    const { body } = await scene.calls({ action: 'connect', to: CUSTOMER, session: offer });
    codes.push(body.error?.code ?? 0);
  };
  const all = Promise.all([connect(), connect(), connect()]);
  await expect.poll(() => codes).toEqual([138_003, 138_003]);
  created.resolve();
  await all;
  expect(codes).toEqual([138_003, 138_003, 0]);
});

test('after four unanswered calls the permission is revoked, with a webhook', async () => {
  scene.control.decidePermission(CUSTOMER, 'accept_permanently');
  for (let i = 0; i < 4; i += 1) {
    const id = await scene.connect();
    await scene.control.journal.when(
      (entry) => entry.type === 'call' && entry.call.id === id && entry.call.state === 'ringing',
      10_000,
    );
    scene.control.advance(61_000);
    expect(scene.control.call(id)).toMatchObject({ state: 'ended', endedBy: 'timeout' });
  }
  expect(scene.control.permissionOf(CUSTOMER)).toBe('no_permission');
  expect(scene.control.journal.entries.filter(({ type }) => type === 'reconsider_prompt')).toHaveLength(1);
  const { value } = await scene.receiver.next(
    (received) => received.value.messages?.[0]?.interactive.call_permission_reply.response === 'reject',
  );
  expect(value.messages?.[0]?.interactive.call_permission_reply.response_source).toBe('automatic');
});

const restricted = (name: string): object => ({
  numbers: [{ phoneNumberId: NUMBER, wabaId: WABA, restrictions: [name] }],
});

test.each([
  ['no_payment_method', 131_044],
  ['country_without_outbound_calls', 138_013],
  ['low_quality', 138_014],
])('a number with the restriction %s cannot call: %i', async (name, code) => {
  await scene.close();
  scene = await openScene(restricted(name));
  permit();
  const refused = await scene.calls({ action: 'connect', to: CUSTOMER, session: offer });
  expect(refused.body.error?.code).toBe(code);
});

test.each([
  ['calling disabled', { status: 'DISABLED' }, 138_000],
  ['SIP enabled', { sip: { status: 'ENABLED', servers: [{ hostname: 'sip.example.com' }] } }, 131_055],
])('with %s a call is refused', async (_, calling, code) => {
  permit();
  await scene.graph('POST', `/${NUMBER}/settings`, { calling });
  const refused = await scene.calls({ action: 'connect', to: CUSTOMER, session: offer });
  expect(refused.body.error?.code).toBe(code);
});

test('the limits of a number: concurrent calls 138002, calls in a day 138005', async () => {
  await scene.close();
  scene = await openScene({ limits: { concurrentCalls: 1, connectsPerDay: 2 } });
  scene.control.addCustomer({ waId: '12185550001' });
  permit();
  scene.control.decidePermission('12185550001', 'accept');
  const connect = async (to: string): Promise<number | undefined> =>
    (await scene.calls({ action: 'connect', to, session: offer })).body.error?.code;
  const first = await scene.connect();
  expect(await connect('12185550001')).toBe(138_002);
  scene.control.hangUp(first);
  expect(await connect('12185550001')).toBeUndefined();
  scene.control.hangUp(scene.control.calls().at(-1)?.id ?? '');
  expect(await connect(CUSTOMER)).toBe(138_005);
});

test('somebody who does not use WhatsApp is 138001', async () => {
  const refused = await scene.calls({ action: 'connect', to: '4915112345678', session: offer });
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 138_001 } } });
});
