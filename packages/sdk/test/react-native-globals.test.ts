/** The published bundle with no other globals than those of React Native, which has neither a page nor most of what browsers have. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aCall } from '@clarion/testkit/agents/a-call';
import { partsOfZod, reactNativeTarget } from '../scripts/package-files.ts';
import type * as ReactNative from '../src/react-native/index.ts';
import { memoryStorage, phoneWebRtc } from './app-device.ts';
import { TestService } from './service.ts';

let service: TestService;
let Clarion: typeof ReactNative;

beforeAll(async () => {
  service = await TestService.withoutAudio();
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/react-native/index.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    globalName: 'Clarion',
    platform: 'browser',
    target: reactNativeTarget,
    plugins: [partsOfZod],
    write: false,
  });
  const timers = { setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask };
  const context = createContext({ ...timers, WebSocket, AbortController, URL, atob });
  runInContext(outputFiles?.[0]?.text ?? '', context);
  Clarion = (context as { Clarion: typeof ReactNative }).Clarion;
});
afterAll(() => service.close());

test('a push notification leads to a ringing call, which is answered', async () => {
  service.call = aCall();
  const { webrtc } = phoneWebRtc();
  const getToken = () => `h.${Buffer.from('{"iat":0,"exp":600}').toString('base64url')}.s`;
  const device = new Clarion.Device({ url: service.url, getToken, webrtc, storage: memoryStorage() });
  const now = new Date().toISOString();
  const outcome = await device.handlePush({
    ...{ type: 'call.incoming', pushId: randomUUID(), callId: '1', tenantRef: 'demo', agentRef: 'ada' },
    ...{ channelRef: 'main', assignmentType: 'QUEUE', sentAt: now, expiresAt: now },
  });
  expect(outcome.kind).toBe('ringing');
  const call = await device.acceptPushed(1);
  expect(call).toMatchObject({ state: 'active', media: 'connected' });
  await call.hangup();
  expect(device.agent?.calls).toEqual([]);
  await expect(device.acceptPushed(1)).rejects.toMatchObject({ code: 'call_ended', reason: 'ended' });
  device.disconnect();
});
