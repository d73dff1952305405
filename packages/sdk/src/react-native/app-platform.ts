import { ClarionError } from '../agent/errors.ts';
import type { AudioPlayer, MediaPlatform, Platform } from '../agent/platform.ts';
import { AppMicrophone } from './app-microphone.ts';
import type { WebRtc } from './webrtc.ts';

/** An app on a phone: alone with its calls, and its audio is routed by the system. */
export function appPlatform(webrtc: WebRtc): Platform {
  return {
    media: appMedia(webrtc),
    microphone: new AppMicrophone(webrtc),
    player: systemPlayer,
    monitorPlayer: systemPlayer,
    audio: {
      list: () => Promise.resolve({ microphones: [], speakers: [] }),
      setMicrophone: routedBySystem,
      setSpeaker: routedBySystem,
    },
    claims: {
      claim: () => Promise.resolve({ release: nothing }),
      resumption: () => 'now',
      leave: nothing,
    },
    isVisible: () => true,
    onVisible: () => nothing,
    onOnline: () => nothing,
    onLeave: () => nothing,
    close: nothing,
  };
}

/** Everything that WebRTC made has the W3C's interface, which the SDK's common part uses. */
const appMedia = (webrtc: WebRtc): MediaPlatform => ({
  newPeerConnection: ({ iceServers = [] }) =>
    new webrtc.RTCPeerConnection({
      iceServers: iceServers as { urls: string[]; username?: string; credential?: string }[],
      bundlePolicy: 'max-bundle',
    }) as RTCPeerConnection,
  newStream: (track) =>
    webrtc.MediaStream ? (new webrtc.MediaStream([track as never]) as MediaStream) : null,
  newMicrophone: () => new AppMicrophone(webrtc),
  newSilence: () => ({ track: null, close: nothing }),
});

/** A phone plays every remote track by itself. */
const systemPlayer: AudioPlayer = { play: () => Promise.resolve(true), stop: nothing };

const routedBySystem = () =>
  Promise.reject(new ClarionError('wrong_state', 'On a phone, the system and the app route the audio.'));

function nothing(): void {
  // There is nothing to do on a phone.
}
