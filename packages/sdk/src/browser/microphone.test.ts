import { afterEach, expect, test, vi } from 'vitest';
import { Microphone } from './microphone.ts';

class FakeTrack extends EventTarget {
  enabled = true;
  readyState: 'live' | 'ended' = 'live';
  stop(): void {
    this.readyState = 'ended';
  }
}

afterEach(() => void vi.unstubAllGlobals());

test('a microphone that is selected while the call ends is not left open', async () => {
  const tracks: FakeTrack[] = [];
  let granted = Promise.resolve();
  const getUserMedia = async () => {
    await granted;
    const track = new FakeTrack();
    tracks.push(track);
    return { getAudioTracks: () => [track] };
  };
  vi.stubGlobal('navigator', { mediaDevices: Object.assign(new EventTarget(), { getUserMedia }) });
  const microphone = new Microphone();
  await microphone.open(false);
  const person = Promise.withResolvers<void>();
  granted = person.promise;
  const chosen = microphone.choose('headset');
  microphone.close();
  person.resolve();
  await chosen;
  expect(tracks.map(({ readyState }) => readyState)).toEqual(['ended', 'ended']);
  expect(microphone.track).toBeNull();
  expect(microphone.chosen).toBe('headset');
});

/** A browser with microphone permission. Every capture waits for `device`. */
function browserWith(device: Promise<void>, permission: 'granted' | 'prompt' = 'granted'): FakeTrack[] {
  const tracks: FakeTrack[] = [];
  const getUserMedia = async () => {
    await device;
    const track = new FakeTrack();
    tracks.push(track);
    return { getAudioTracks: () => [track] };
  };
  vi.stubGlobal('navigator', {
    mediaDevices: Object.assign(new EventTarget(), { getUserMedia }),
    permissions: { query: () => Promise.resolve({ state: permission }) },
  });
  return tracks;
}
const open = (tracks: FakeTrack[]) => tracks.filter(({ readyState }) => readyState === 'live').length;

test('the microphone opened while a call rings is used to answer it', async () => {
  const device = Promise.withResolvers<void>();
  const tracks = browserWith(device.promise);
  const microphone = new Microphone();
  const ahead = microphone.prepare(true);
  const answered = microphone.open(false);
  device.resolve();
  await ahead;
  expect(await answered).toBe(tracks[0]);
  microphone.closeUnused();
  expect(open(tracks)).toBe(1);
  microphone.close();
  expect(open(tracks)).toBe(0);
  expect(tracks).toHaveLength(1);
});

test('a microphone opened while a call rings is closed when the ringing ends, even if it is still opening', async () => {
  const device = Promise.withResolvers<void>();
  const tracks = browserWith(device.promise);
  const microphone = new Microphone();
  const ahead = microphone.prepare(true);
  await Promise.resolve();
  microphone.closeUnused();
  device.resolve();
  await ahead;
  await microphone.prepare(true);
  expect(open(tracks)).toBe(1);
  microphone.closeUnused();
  expect(open(tracks)).toBe(0);
});

test('the permission is not requested before a call is answered', async () => {
  const tracks = browserWith(Promise.resolve(), 'prompt');
  const microphone = new Microphone();
  await microphone.prepare(true);
  expect(tracks).toHaveLength(0);
  await microphone.open(false);
  expect(open(tracks)).toBe(1);
});

test('a call that ends while its microphone opens does not affect the next call', async () => {
  const device = Promise.withResolvers<void>();
  const tracks = browserWith(device.promise);
  const microphone = new Microphone();
  const first = microphone.open(true);
  microphone.close();
  const second = microphone.open(true);
  device.resolve();
  await expect(first).rejects.toMatchObject({ code: 'wrong_state' });
  expect(await second).toBe(microphone.track);
  expect(open(tracks)).toBe(1);
});
