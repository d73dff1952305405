import { beforeEach, expect, test } from 'vitest';
import { phoneWebRtc } from '../../test/app-device.ts';
import { AppMicrophone } from './app-microphone.ts';

let phone: ReturnType<typeof phoneWebRtc>;

beforeEach(() => void (phone = phoneWebRtc()));

const states = () => phone.tracks.map(({ readyState }) => readyState);
const withPermission = (state: string) =>
  new AppMicrophone({ ...phone.webrtc, permissions: { query: () => Promise.resolve(state) } });

test('is not opened while a call rings, and is ready if the user has allowed it', async () => {
  for (const [state, ready] of [
    ['granted', true],
    ['prompt', false],
  ] as const) {
    const microphone = withPermission(state);
    await microphone.prepare();
    expect(microphone.ready).toBe(ready);
  }
  expect(states()).toEqual([]);
});

test('is ready for later calls if the platform does not tell, once it was opened', async () => {
  const microphone = new AppMicrophone(phone.webrtc);
  await microphone.prepare();
  expect(microphone.ready).toBe(false);
  await microphone.open(false);
  microphone.close();
  await microphone.prepare();
  expect(microphone.ready).toBe(true);
  expect(states()).toEqual(['ended']);
});

test('a call that ends while it opens leaves it closed, and the next call has its own track', async () => {
  const microphone = new AppMicrophone(phone.webrtc);
  const first = microphone.open(true);
  microphone.close();
  const second = microphone.open(true);
  await expect(first).rejects.toMatchObject({ code: 'wrong_state' });
  expect((await second)?.readyState).toBe('live');
  microphone.close();
  expect(states()).toEqual(['ended', 'ended']);
});

test('a live call continues without it, and sends nothing', async () => {
  phone.refuse('NotFoundError');
  const microphone = new AppMicrophone(phone.webrtc);
  const events: string[] = [];
  microphone.on('device', (event) => events.push(event));
  expect(await microphone.open(true)).toBeNull();
  expect(events).toEqual(['missing']);
  await expect(microphone.open(false)).rejects.toMatchObject({ code: 'microphone_unavailable' });
});
