/** The logic of the example app for React Native, with the SDK and a call screen that records what it is told. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aCall } from '@clarion/testkit/agents/a-call';
import type { CallScreen } from '../../../examples/react-native/src/call-screen.ts';
import { Calls } from '../../../examples/react-native/src/calls.ts';
import { Device } from '../src/react-native/index.ts';
import { memoryStorage, phoneWebRtc } from './app-device.ts';
import { TestService } from './service.ts';

const CALLER = '+442079460123';

let service: TestService;
let device: Device;
let calls: Calls;
let shown: string[];
/** The UUIDs of the calls that rang on the screen. */
let uuids: string[];

beforeEach(async () => {
  service = await TestService.withoutAudio();
  shown = [];
  uuids = [];
  const name = (uuid: string) => {
    if (!uuids.includes(uuid)) uuids.push(uuid);
    return uuids.indexOf(uuid);
  };
  const screen: CallScreen = {
    ring: (uuid, { address }, from) => void shown.push(`ring ${name(uuid)} ${address} ${from}`),
    connected: (uuid) => void shown.push(`connected ${name(uuid)}`),
    muted: (uuid, on) => void shown.push(`muted ${name(uuid)} ${on}`),
    end: (uuid, why) => void shown.push(`end ${name(uuid)} ${why}`),
    missed: ({ address }) => void shown.push(`missed ${address}`),
  };
  device = new Device({
    url: service.url,
    getToken: () => `h.${Buffer.from('{"iat":0,"exp":600}').toString('base64url')}.s`,
    webrtc: phoneWebRtc().webrtc,
    storage: memoryStorage(),
    deviceId: 'phone',
    onAgent: (agent) => calls.listenTo(agent),
  });
  calls = new Calls(device, screen);
});
afterEach(async () => {
  device.disconnect();
  await service.close();
});

const aPush = (more: Record<string, string> = {}) => ({
  ...{ type: 'call.incoming', pushId: randomUUID(), callId: '1', tenantRef: 'demo', agentRef: 'ada' },
  ...{ channelRef: 'main', callerAddress: CALLER, assignmentType: 'QUEUE' },
  ...{ sentAt: new Date().toISOString(), expiresAt: new Date(Date.now() + 20_000).toISOString() },
  ...more,
});
const ringing = () =>
  (service.call = aCall({ customer: { address: CALLER, addressWithheld: false, name: null } }));

test('a call rings on the screen, is answered and ends, and then the app in the background disconnects', async () => {
  ringing();
  const push = aPush();
  await calls.onPush(push);
  expect(shown).toEqual([`ring 0 ${CALLER} push`]);
  await calls.answered(push.pushId);
  expect(shown.at(-1)).toBe('connected 0');
  await calls.muteFromApp(1, true);
  expect(shown.at(-1)).toBe('muted 0 true');
  expect(service.call?.muted).toBe(true);
  expect(service.sockets).toBe(1);
  await calls.ended(push.pushId);
  expect(service.call?.terminatedBy).toBe('AGENT');
  await expect.poll(() => service.sockets).toBe(0);
});

test('a call that is over is reported and ended, with the reason', async () => {
  await calls.onPush(aPush());
  expect(shown).toEqual([`ring 0 ${CALLER} push`, 'end 0 ended']);
  await expect.poll(() => service.sockets).toBe(0);
  await calls.onPush(aPush({ type: 'call.missed' }));
  expect(shown.at(-1)).toBe(`missed ${CALLER}`);
});

test('a second push notification for the same call does not ring, and the first one rings on', async () => {
  ringing();
  const [first, second] = [aPush(), aPush()];
  await Promise.all([calls.onPush(first), calls.onPush(second)]);
  expect(shown).toEqual([`ring 0 ${CALLER} push`, 'end 1 failed']);
  await calls.answered(first.pushId);
  expect(shown.at(-1)).toBe('connected 0');
});

test('an answer that comes before the push notification reaches the call', async () => {
  ringing();
  const push = aPush();
  await calls.answered(push.pushId);
  await calls.onPush(push);
  await expect.poll(() => shown.at(-1)).toBe('connected 0');
  expect(service.call?.state).toBe('active');
});

test('an answered call with nothing behind it is ended at once', async () => {
  ringing();
  const push = aPush();
  await calls.onPush(push);
  service.call = aCall({ state: 'active', deviceId: 'laptop' });
  await calls.answered(push.pushId);
  expect(shown.slice(1)).toEqual(['end 0 answered-elsewhere']);
});

test('declining reaches the service', async () => {
  ringing();
  const push = aPush();
  await calls.onPush(push);
  await calls.ended(push.pushId);
  expect(service.call).toBeNull();
  await expect.poll(() => service.sockets).toBe(0);
});

test('in the foreground, a call rings over the socket, and its push notification adds nothing', async () => {
  await calls.onForeground(true);
  service.offer(ringing());
  await expect.poll(() => shown).toEqual([`ring 0 ${CALLER} socket`]);
  const late = aPush();
  await calls.onPush(late);
  expect(shown.slice(1)).toEqual(['end 1 failed']);
  service.withdraw('TIMEOUT');
  await expect.poll(() => shown.at(-1)).toBe('end 0 expired');
  expect(service.sockets).toBe(1);
});
