import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aCall } from '@clarion/testkit/agents/a-call';
import { memoryStorage, phoneWebRtc } from '../../test/app-device.ts';
import { TestService } from '../../test/service.ts';
import { Device, type Agent, type Call } from './index.ts';

let service: TestService;
let phone: ReturnType<typeof phoneWebRtc>;
let storage: ReturnType<typeof memoryStorage>;
let device: Device;
let rung: Call[];

/** Unsigned: the SDK only reads how long it is valid. */
const token = `h.${Buffer.from(JSON.stringify({ iat: 0, exp: 600 })).toString('base64url')}.s`;

beforeEach(async () => {
  service = await TestService.withoutAudio();
  phone = phoneWebRtc();
  storage = memoryStorage();
  rung = [];
  const onAgent = (agent: Agent) => void agent.on('incoming', (call) => rung.push(call));
  device = new Device({
    url: service.url,
    getToken: () => token,
    webrtc: phone.webrtc,
    storage,
    deviceId: 'phone',
    onAgent,
  });
});
afterEach(async () => {
  device.disconnect();
  await service.close();
});

const at = (ms: number) => new Date(Date.now() + ms).toISOString();
const aPush = (more: Record<string, string> = {}) => ({
  ...{ type: 'call.incoming', pushId: randomUUID(), callId: '1', tenantRef: 'demo', agentRef: 'ada' },
  ...{ channelRef: 'main', callerAddress: '+442079460123', assignmentType: 'QUEUE' },
  ...{ sentAt: at(0), expiresAt: at(20_000), aps: {} },
  ...more,
});
const withdrawal = () => aPush({ type: 'call.withdrawn', reason: 'ANSWERED_ELSEWHERE' });
const ringing = () => (service.call = aCall());
const talkingOn = (deviceId: string) => (service.call = aCall({ state: 'active', deviceId }));

describe('a push notification of an incoming call', () => {
  test('connects the app, and two of them for one call ring once', async () => {
    ringing();
    const [first, second] = await Promise.all([device.handlePush(aPush()), device.handlePush(aPush())]);
    expect(first).toMatchObject({ kind: 'ringing', call: { id: 1, state: 'incoming' } });
    expect(second).toEqual({ kind: 'ignored', reason: 'duplicate' });
    expect(await device.handlePush(aPush())).toEqual({ kind: 'ignored', reason: 'duplicate' });
    await expect.poll(() => rung).toHaveLength(1);
    expect(service.sockets).toBe(1);
  });

  test('rings again once the first offer was withdrawn', async () => {
    ringing();
    await device.handlePush(aPush());
    await expect.poll(() => rung).toHaveLength(1);
    service.withdraw('TIMEOUT');
    await expect.poll(() => device.agent?.calls).toEqual([]);
    service.offer(aCall());
    expect(await device.handlePush(aPush())).toMatchObject({ kind: 'ringing' });
    expect(rung).toHaveLength(2);
  });

  test('says why the call does not ring: by the service, not by the clock of the phone', async () => {
    const outcome = (more = {}) => device.handlePush(aPush(more));
    expect(await outcome()).toEqual({ kind: 'over', callId: 1, reason: 'ended' });
    expect(await outcome({ expiresAt: at(-1000) })).toEqual({ kind: 'over', callId: 1, reason: 'expired' });
    talkingOn('laptop');
    expect(await outcome()).toEqual({ kind: 'over', callId: 1, reason: 'answered-elsewhere' });
    expect(await outcome({ agentRef: 'bob' })).toEqual({ kind: 'ignored', reason: 'other-agent' });
    ringing();
    expect(await outcome({ expiresAt: at(-1000) })).toMatchObject({ kind: 'ringing' });
  });

  test('replaces a connection that does not respond, because the system had suspended the app', async () => {
    await device.connect();
    const awake = Promise.withResolvers<void>();
    service.busy = awake.promise;
    ringing();
    expect(await device.handlePush(aPush())).toMatchObject({ kind: 'ringing' });
    expect(service.tokens).toHaveLength(2);
    awake.resolve();
  });

  test('is over if the service rejects the agent', async () => {
    service.refuse = { code: 'unauthorized', message: 'The key was revoked.' };
    const outcome = await device.handlePush(aPush());
    expect(outcome).toMatchObject({ kind: 'over', reason: 'unreachable', error: { code: 'unauthorized' } });
    service.refuse = null;
    ringing();
    expect(await device.handlePush(aPush())).toMatchObject({ kind: 'ringing' });
  });
});

test('other push notifications need no connection, and what is none of ours is ignored', async () => {
  const unknown = [
    null,
    'x',
    {},
    { ...aPush(), callId: 1 },
    aPush({ type: 'promotion' }),
    aPush({ callId: '' }),
  ];
  for (const data of unknown)
    expect(await device.handlePush(data)).toEqual({ kind: 'ignored', reason: 'unknown' });
  expect(await device.handlePush(aPush({ type: 'test' }))).toEqual({ kind: 'ignored', reason: 'test' });
  const missed = await device.handlePush(aPush({ type: 'call.missed' }));
  expect(missed).toMatchObject({ kind: 'missed', push: { callerAddress: '+442079460123' } });
  const over = await device.handlePush(withdrawal());
  expect(over).toEqual({ kind: 'over', callId: 1, reason: 'answered-elsewhere' });
  expect(service.tokens).toEqual([]);
});

test('a late withdrawal does not stop a call that rings again', async () => {
  ringing();
  await device.handlePush(aPush());
  expect(await device.handlePush(withdrawal())).toEqual({ kind: 'ignored', reason: 'superseded' });
  service.call = null; // the socket has not reported it yet
  expect(await device.handlePush(withdrawal())).toMatchObject({ kind: 'over' });
});

describe('accepting', () => {
  test('waits for the connection and joins the call', async () => {
    ringing();
    const opened = Promise.withResolvers<void>();
    service.sessionsWait = opened.promise;
    const handled = device.handlePush(aPush());
    const accepted = device.acceptPushed(1);
    expect(device.acceptPushed(1)).toBe(accepted);
    opened.resolve();
    const call = await accepted;
    expect(call).toMatchObject({ state: 'active', here: true, media: 'connected' });
    expect(service.received.map(({ message }) => message)).toEqual(['call:accept']);
    expect(await handled).toMatchObject({ kind: 'ringing' });
    expect(await device.handlePush(aPush())).toEqual({ kind: 'ignored', reason: 'answered' });
    await call.hangup();
    await expect.poll(() => phone.tracks.map(({ readyState }) => readyState)).toEqual(['ended']);
  });

  test('rejects with a typed error if nothing is left of the call', async () => {
    const accept = () => device.acceptPushed(1);
    await expect(accept()).rejects.toMatchObject({
      name: 'CallOverError',
      code: 'call_ended',
      reason: 'ended',
    });
    talkingOn('laptop');
    await expect(accept()).rejects.toMatchObject({ reason: 'answered-elsewhere' });
    // Another agent is faster than the accept.
    ringing();
    await device.handlePush(aPush());
    talkingOn('laptop');
    await expect(accept()).rejects.toMatchObject({ reason: 'answered-elsewhere' });
    device.disconnect();
    service.refuse = { code: 'unauthorized', message: 'The key was revoked.' };
    await expect(accept()).rejects.toMatchObject({ reason: 'unreachable', cause: { code: 'unauthorized' } });
  });

  test('joins the call even if the response of the service was lost', async () => {
    ringing();
    await device.handlePush(aPush());
    const reply = Promise.withResolvers<void>();
    service.busy = reply.promise;
    const accepted = device.acceptPushed(1);
    await expect.poll(() => service.received.at(-1)?.message).toBe('call:accept');
    talkingOn('phone');
    service.drop();
    service.busy = Promise.resolve();
    expect(await accepted).toMatchObject({ state: 'active', here: true });
    reply.resolve();
  });

  test('reports that the user does not allow the microphone, and the call rings on', async () => {
    ringing();
    phone.refuse('SecurityError');
    await expect(device.acceptPushed(1)).rejects.toMatchObject({ code: 'microphone_blocked' });
    expect(service.call?.state).toBe('incoming');
  });
});

test('declining reaches the service also before the app is connected', async () => {
  ringing();
  await device.declinePushed(1);
  expect(service.call).toBeNull();
  await device.declinePushed(1);
  expect(service.received.filter(({ message }) => message === 'call:decline')).toHaveLength(1);
});

test('a call moves to the phone and away from it', async () => {
  talkingOn('laptop');
  const agent = await device.connect();
  const [call] = agent.calls;
  expect(call).toMatchObject({ elsewhere: true, here: false });
  await call?.resume();
  await expect.poll(() => call?.media).toBe('connected');
  expect(service.call?.deviceId).toBe('phone');
  service.change({ deviceId: 'laptop' });
  await expect.poll(() => call?.here).toBe(false);
  expect(phone.tracks.map(({ readyState }) => readyState)).toEqual(['ended']);
});

test('the call of the phone continues when the app is started again, with the stored device', async () => {
  const options = { url: service.url, getToken: () => token, webrtc: phone.webrtc, storage };
  const id = await new Device(options).deviceId();
  talkingOn(id);
  const restarted = new Device(options);
  const agent = await restarted.connect();
  expect(agent.deviceId).toBe(id);
  await expect.poll(() => agent.calls[0]?.media).toBe('connected');
  restarted.disconnect();
  await expect.poll(() => service.sockets).toBe(0);
  await restarted.connect();
  expect(service.tokens).toHaveLength(2);
  restarted.disconnect();
});
