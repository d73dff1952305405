/** What an agent's app needs from where it runs: a tab of a browser, or an app on a phone. */
import type { TrackSource } from './call-media.ts';

export type MicrophoneEvent =
  /** The selected microphone was unplugged; the call uses the default. */
  | 'fell-back'
  /** The selected microphone is in use again. */
  | 'returned'
  /** There is no microphone; the customer hears silence. */
  | 'missing';

export interface MicrophoneEvents extends Record<string, unknown[]> {
  /** The track was replaced. */
  track: [track: MediaStreamTrack | null];
  device: [event: MicrophoneEvent];
}

/** The microphone of a call: opened and closed with it. */
export interface CallMicrophone extends TrackSource {
  on<K extends 'track' | 'device'>(event: K, listener: (...args: MicrophoneEvents[K]) => void): () => void;
  /** Applies to every later track as well. */
  setEnabled(enabled: boolean): void;
  /**
   * Prepares it while a call rings, so that answering waits neither for a prompt nor for the device.
   * @param open open the device, and not only check the permission
   */
  prepare(open: boolean): Promise<void>;
  /** No call is ringing any more. */
  closeUnused(): void;
}

/** Something to send when the microphone is not used. `track` null: nothing is sent, which the other side hears as silence. */
export interface Silence {
  track: MediaStreamTrack | null;
  close(): void;
}

/** The parts from which the audio of a call or of a monitor is made. */
export interface MediaPlatform {
  newPeerConnection(configuration: RTCConfiguration): RTCPeerConnection;
  /** Null if the platform plays tracks without a stream. */
  newStream(track: MediaStreamTrack): MediaStream | null;
  newMicrophone(): CallMicrophone;
  newSilence(): Silence;
}

/** Plays the audio of a call or of a monitor. */
export interface AudioPlayer {
  /** @returns false if audio is blocked until the user clicks */
  play(stream: MediaStream): Promise<boolean>;
  stop(): void;
}

export interface AudioDevice {
  id: string;
  /** Empty until there is permission to use the microphone. */
  label: string;
}

/** The selection of devices. */
export interface AudioSelection {
  list(): Promise<{ microphones: AudioDevice[]; speakers: AudioDevice[] }>;
  /** Null selects the default. */
  setMicrophone(id: string | null): Promise<void>;
  setSpeaker(id: string | null): Promise<void>;
}

export interface Claim {
  release(): void;
}

/** Decides which of the tabs of a browser has the audio of a call. An app on a phone is alone with it. */
export interface AudioClaims {
  /**
   * @param how steal: take it from the tab that has it. wait: acquire it when no tab has it any more.
   * @param onStolen another tab took over the call's audio
   */
  claim(callId: number, how: 'steal' | 'wait', signal: AbortSignal, onStolen: () => void): Promise<Claim>;
  /** Whether a live call of this device whose audio is not here is to be resumed here. `when-free`: once no tab has it. */
  resumption(callId: number, leading: boolean): 'now' | 'when-free' | 'no';
  /** The app is being closed while it has the call's audio. */
  leave(callId: number): void;
}

export interface Platform {
  media: MediaPlatform;
  microphone: CallMicrophone;
  player: AudioPlayer;
  /** A separate one, because a supervisor may also have a call. */
  monitorPlayer: AudioPlayer;
  audio: AudioSelection;
  claims: AudioClaims;
  /** Whether the user sees the app, so that a call is expected to be answered here. */
  isVisible(): boolean;
  /** Each returns a function that removes the listener. */
  onVisible(listener: () => void): () => void;
  onOnline(listener: () => void): () => void;
  onLeave(listener: () => void): () => void;
  close(): void;
}
