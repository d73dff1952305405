import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MonitorVoice } from './monitor-voice.ts';

/** The browser's part: every source of sound that was made, and whether it still is. */
class FakeTrack extends EventTarget {
  enabled = true;
  readyState: 'live' | 'ended' = 'live';
  stop(): void {
    this.readyState = 'ended';
  }
}

let sources: FakeTrack[];
let contexts: { state: string }[];
const made = (): FakeTrack => {
  const track = new FakeTrack();
  sources.push(track);
  return track;
};

beforeEach(() => {
  sources = [];
  contexts = [];
  class FakeAudioContext {
    state = 'running';
    constructor() {
      contexts.push(this);
    }
    createMediaStreamDestination() {
      return { stream: { getAudioTracks: () => [made()] } };
    }
    close() {
      this.state = 'closed';
      return Promise.resolve();
    }
  }
  const mediaDevices = Object.assign(new EventTarget(), {
    getUserMedia: () => Promise.resolve({ getAudioTracks: () => [made()] }),
  });
  vi.stubGlobal('AudioContext', FakeAudioContext);
  vi.stubGlobal('navigator', { mediaDevices });
});
afterEach(() => void vi.unstubAllGlobals());

const left = () => ({
  tracks: sources.filter(({ readyState }) => readyState === 'live').length,
  contexts: contexts.filter(({ state }) => state !== 'closed').length,
});

test('listening sends silence, speaking the microphone, and what is not sent any more is not open', async () => {
  const voice = new MonitorVoice(false);
  const silence = await voice.open(false);
  await voice.speak(true);
  expect(left()).toEqual({ tracks: 2, contexts: 1 });
  const sent: unknown[] = [];
  voice.on('track', (track) => sent.push(track));
  await voice.speak(false);
  expect(sent).toEqual([silence]);
  expect(left()).toEqual({ tracks: 1, contexts: 1 });
  voice.close();
  expect(left()).toEqual({ tracks: 0, contexts: 0 });
});

test('a change of mode that comes to its end after the listening has opens nothing again', async () => {
  const voice = new MonitorVoice(false);
  await voice.open(false);
  await voice.speak(true);
  voice.close();
  await voice.speak(false);
  await voice.speak(true);
  expect(left()).toEqual({ tracks: 0, contexts: 0 });
});
