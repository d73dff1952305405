import { ClarionError } from '../agent/errors.ts';

/** A track without audio, for which the browser neither requests the microphone nor shows it as in use. */
export function silentTrack(): { track: MediaStreamTrack; close(): void } {
  const context = new AudioContext();
  const [track] = context.createMediaStreamDestination().stream.getAudioTracks();
  if (!track) throw new ClarionError('media_failed', 'The browser could not create a silent track.');
  return {
    track,
    close: () => {
      track.stop();
      void context.close();
    },
  };
}
