import { afterEach, beforeEach, expect, test } from 'vitest';
import { answer, CUSTOMER, NUMBER, offer, openScene, WABA, type Scene } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

const sdpWith = (from: string | RegExp, to: string): object => ({
  ...offer,
  sdp: offer.sdp.replace(from, to),
});
const fingerprintLine = /a=fingerprint:.*\r\n/.exec(offer.sdp)?.[0] ?? '';

test.each([
  ['without an action', { action: undefined }, 'action'],
  ['with an unknown action', { action: 'create' }, 'action'],
  ['for another product', { messaging_product: 'instagram' }, 'messaging_product'],
  ['with a plus sign', { to: `+${CUSTOMER}` }, 'to'],
  ['without a recipient', { to: undefined }, 'to or recipient'],
  ['without a session', { session: undefined }, 'session'],
  ['with an answer', { session: answer }, 'session.sdp_type'],
  ['with text that is no SDP', { session: { sdp_type: 'offer', sdp: 'hello' } }, 'session.sdp'],
  ['without a fingerprint', { session: sdpWith(fingerprintLine, '') }, 'fingerprint'],
  ['with setup active', { session: sdpWith('setup:actpass', 'setup:active') }, 'a=setup'],
  ['without rtcp-mux', { session: sdpWith('a=rtcp-mux\r\n', '') }, 'rtcp-mux'],
  ['without Opus', { session: sdpWith('opus/48000/2', 'G722/8000') }, 'opus'],
  ['with a short ice-pwd', { session: sdpWith('abcdefghijklmnopqrstuv', 'abc') }, 'ice-pwd'],
  ['with video', { session: sdpWith(/$/, 'm=video 9 UDP/TLS/RTP/SAVPF 96\r\n') }, 'video'],
  ['with long opaque data', { biz_opaque_callback_data: 'x'.repeat(513) }, 'biz_opaque_callback_data'],
])('a call %s is error 100 that names the field', async (_, change, field) => {
  scene.control.decidePermission(CUSTOMER, 'accept');
  const refused = await scene.calls({ action: 'connect', to: CUSTOMER, session: offer, ...change });
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  expect(refused.body.error?.error_data?.details).toContain(field);
  expect(scene.control.calls()).toEqual([]);
});

test.each([
  ['two fingerprints', fingerprintLine.repeat(2)],
  ['a SHA-1 fingerprint', 'a=fingerprint:sha-1 AA:BB\r\n'],
])('an SDP with %s has the subcode 2494010', async (_, lines) => {
  const session = sdpWith(fingerprintLine, lines);
  const refused = await scene.calls({ action: 'connect', to: CUSTOMER, session });
  expect(refused.body.error).toMatchObject({ code: 100, error_subcode: 2_494_010 });
});

test('a disabled video section is no reason to refuse', async () => {
  scene.control.decidePermission(CUSTOMER, 'accept');
  const session = sdpWith(/$/, 'm=video 0 UDP/TLS/RTP/SAVPF 96\r\n');
  expect((await scene.calls({ action: 'connect', to: CUSTOMER, session })).status).toBe(200);
});

test.each([
  ['no token', `/${NUMBER}`, null, 401, 104],
  ['a wrong token', `/${NUMBER}`, 'wrong', 401, 190],
  ['an unknown object', '/123', 'EAAB-test', 400, 100],
  ['an unknown edge', `/${NUMBER}/nothing`, 'EAAB-test', 400, 2500],
])('a request with %s is refused', async (_, path, token, status, code) => {
  expect(await scene.graph('GET', path, undefined, token)).toMatchObject({
    status,
    body: { error: { code } },
  });
});

test('an old version and a missing version are refused', async () => {
  const code = async (path: string): Promise<unknown> =>
    (
      (await (
        await fetch(`${scene.simulator.url}${path}`, { headers: { authorization: 'Bearer EAAB-test' } })
      ).json()) as { error: { code: number } }
    ).error.code;
  expect(await code(`/v12.0/${NUMBER}`)).toBe(2635);
  expect(await code(`/${NUMBER}`)).toBe(2500);
});

test.each(['not json', '[]', '"text"'])('the body %s is error 100', async (body) => {
  expect((await scene.graph('POST', `/${NUMBER}/calls`, body)).body.error?.code).toBe(100);
});

test('the fields of a number, and the numbers of an account', async () => {
  const { body } = await scene.graph('GET', `/${NUMBER}?fields=verified_name,quality_rating`);
  expect(body).toEqual({ id: NUMBER, verified_name: 'Simulated business', quality_rating: 'GREEN' });
  expect((await scene.graph('GET', `/${NUMBER}?fields=shoe_size`)).body.error?.code).toBe(100);
  expect((await scene.graph('GET', `/${WABA}/phone_numbers`)).body).toMatchObject({ data: [{ id: NUMBER }] });
});

test('settings are kept, and invalid ones change nothing', async () => {
  const hours = (periods: [string, string][]): object => ({
    status: 'ENABLED',
    timezone_id: 'Europe/London',
    weekly_operating_hours: periods.map(([open_time, close_time]) => ({
      day_of_week: 'MONDAY',
      open_time,
      close_time,
    })),
  });
  const put = (calling: object): ReturnType<Scene['graph']> =>
    scene.graph('POST', `/${NUMBER}/settings`, { calling });
  expect((await put({ call_hours: hours([['0900', '1200']]) })).body).toEqual({ success: true });
  for (const invalid of [
    { status: 'MAYBE' },
    { call_hours: hours([['0900', '2500']]) },
    { call_hours: hours([['1200', '0900']]) },
    {
      call_hours: hours([
        ['0900', '1200'],
        ['1100', '1300'],
      ]),
    },
    { call_hours: { ...hours([]), timezone_id: 'Mars' } },
    { sip: { status: 'ENABLED', servers: [] } },
    { audio: { additional_codecs: ['G729'] } },
  ])
    expect((await put(invalid)).body.error?.code).toBe(100);
  expect((await scene.graph('GET', `/${NUMBER}/settings`)).body).toMatchObject({
    calling: { status: 'ENABLED', call_hours: hours([['0900', '1200']]) },
  });
});

const permissionRequest = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: CUSTOMER,
  type: 'interactive',
  interactive: {
    type: 'call_permission_request',
    action: { name: 'call_permission_request' },
    body: { text: 'May we call you?' },
  },
};

test('a permission is asked for, given, looked up, used, and expires', async () => {
  const ask = (): ReturnType<Scene['graph']> => scene.graph('POST', `/${NUMBER}/messages`, permissionRequest);
  const asked = await ask();
  const [message] = asked.body['messages'] as { id: string }[];
  expect((await ask()).body.error?.code).toBe(138_009);
  scene.control.decidePermission(CUSTOMER, 'accept');
  const { value } = await scene.receiver.next(({ field }) => field === 'messages');
  expect(value.messages?.[0]).toMatchObject({
    context: { id: message?.id },
    interactive: { call_permission_reply: { response: 'accept', is_permanent: false } },
  });
  const lookUp = async () =>
    (await scene.graph('GET', `/${NUMBER}/call_permissions?user_wa_id=${CUSTOMER}`)).body;
  const before = await lookUp();
  expect(before.permission?.status).toBe('temporary');
  expect(before.actions?.map(({ can_perform_action }) => can_perform_action)).toEqual([false, true]);
  scene.control.advance(8 * 24 * 3_600_000);
  expect((await lookUp()).permission?.status).toBe('no_permission');
  expect(scene.receiver.order).toEqual(['permission']);
});

test('lookups of permissions and all requests have a rate limit', async () => {
  await scene.close();
  scene = await openScene({ limits: { permissionLookupsPerMinute: 1, requestsPerHour: 3 } });
  const path = `/${NUMBER}/call_permissions?user_wa_id=${CUSTOMER}`;
  expect((await scene.graph('GET', path)).status).toBe(200);
  expect(await scene.graph('GET', path)).toMatchObject({ status: 429, body: { error: { code: 613 } } });
  await scene.graph('GET', `/${NUMBER}`);
  expect((await scene.graph('GET', `/${NUMBER}`)).body.error?.code).toBe(80_007);
  scene.control.advance(3_600_000);
  expect((await scene.graph('GET', `/${NUMBER}`)).status).toBe(200);
});

test('a request outside the customer service window is 131047, and with a permanent permission 138017', async () => {
  scene.control.changeCustomer(CUSTOMER, { windowOpen: false });
  const ask = (): ReturnType<Scene['graph']> => scene.graph('POST', `/${NUMBER}/messages`, permissionRequest);
  expect((await ask()).body.error?.code).toBe(131_047);
  scene.control.changeCustomer(CUSTOMER, { windowOpen: true });
  scene.control.decidePermission(CUSTOMER, 'accept_permanently');
  expect((await ask()).body.error?.code).toBe(138_017);
});

test('subscribing verifies an own webhook', async () => {
  const own = `/${WABA}/subscribed_apps`;
  const override = (verify_token: string): object => ({
    override_callback_uri: scene.receiver.url,
    verify_token,
  });
  expect((await scene.graph('POST', own, override('wrong'))).body.error?.error_data?.details).toContain(
    '403',
  );
  expect((await scene.graph('POST', own, override('verify me'))).body).toEqual({ success: true });
});
