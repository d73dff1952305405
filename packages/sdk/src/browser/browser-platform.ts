import type { MediaPlatform, Platform } from '../agent/platform.ts';
import { AudioDevices } from './audio-devices.ts';
import { TabClaims } from './claim.ts';
import { Microphone } from './microphone.ts';
import { silentTrack } from './silent-track.ts';
import { Speaker } from './speaker.ts';

export const browserMedia: MediaPlatform = {
  newPeerConnection: (configuration) => new RTCPeerConnection(configuration),
  newStream: (track) => new MediaStream([track]),
  newMicrophone: () => new Microphone(),
  newSilence: silentTrack,
};

/** @param scope identifies the agent and the device among the tabs of this browser; null if tabs do not share a connection */
export function browserPlatform(scope: string | null, deviceId: string): Platform & { audio: AudioDevices } {
  const microphone = new Microphone();
  const player = new Speaker();
  const monitorPlayer = new Speaker();
  const audio = new AudioDevices(microphone, player, [monitorPlayer]);
  const claims = new TabClaims(scope, deviceId);
  return {
    media: browserMedia,
    microphone,
    player,
    monitorPlayer,
    audio,
    claims,
    isVisible: () => document.visibilityState === 'visible',
    onVisible: (listener) => listen(document, 'visibilitychange', listener),
    onOnline: (listener) => listen(globalThis, 'online', listener),
    onLeave: (listener) => listen(globalThis, 'pagehide', listener),
    close: () => {
      claims.close();
      audio.close();
    },
  };
}

function listen(target: EventTarget, event: string, listener: () => void): () => void {
  target.addEventListener(event, listener);
  return () => target.removeEventListener(event, listener);
}
