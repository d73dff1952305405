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

test('a microphone that is chosen while the call ends is not left open', async () => {
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
