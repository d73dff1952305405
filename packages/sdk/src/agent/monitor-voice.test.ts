import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { browserMedia } from '../browser/browser-platform.ts';
import { MonitorVoice } from './monitor-voice.ts';

/** A fake of the browser: every audio source that was created, and whether it is still open. */
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

test('listening sends silence, speaking sends the microphone, and unused sources are closed', async () => {
  const voice = new MonitorVoice(false, browserMedia);
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

test('a change of mode that completes after monitoring has ended opens nothing', async () => {
  const voice = new MonitorVoice(false, browserMedia);
  await voice.open(false);
  await voice.speak(true);
  voice.close();
  await voice.speak(false);
  await voice.speak(true);
  expect(left()).toEqual({ tracks: 0, contexts: 0 });
});
