/**
 * What the agent phone shows and what it can ask for. The phone keeps no truth of its own: whoever embeds it turns
 * their connection into a PhoneModel and their operations into PhoneActions. Times are milliseconds of this machine's clock.
 */

export type PhoneConnection = 'connecting' | 'connected' | 'reconnecting' | 'disconnected';
export type Availability = 'AVAILABLE' | 'OFFLINE' | 'ON_CALL';
export type Shift = 'AVAILABLE' | 'OFFLINE';

export interface PhoneLine {
  ref: string;
  name: string;
  address: string;
}

export interface PhoneCall {
  id: number;
  direction: 'INBOUND' | 'OUTBOUND';
  customerName: string | null;
  customerAddress: string | null;
  line: string | null;
  queue: string | null;
  assignment: 'QUEUE' | 'DIRECT' | 'TRANSFER' | null;
}

/** How the call sounds. */
export type PhoneQuality = 'good' | 'fair' | 'poor' | 'unknown';

/** The audio of a live call: in this tab, on its way, being brought back, or in another tab or device. */
export type PhoneAudio = 'here' | 'connecting' | 'reconnecting' | 'elsewhere';

export interface PhoneOutcome {
  /** As the service names it, for example COMPLETED or BUSY; null when it is not known. */
  reason: string | null;
  by: string | null;
  /** The raw words of a failure. */
  failure: string | null;
}

export type PhoneView =
  | { at: 'idle' }
  | {
      at: 'incoming';
      call: PhoneCall;
      ringingSince: number;
      expiresAt: number | null;
      /** Other calls that ring at the same time. */
      more: number;
      answering: boolean;
    }
  | { at: 'dialing'; call: PhoneCall; since: number }
  | {
      at: 'active';
      call: PhoneCall;
      answeredAt: number;
      muted: boolean;
      held: boolean;
      audio: PhoneAudio;
      quality: PhoneQuality;
    }
  | { at: 'ended'; call: PhoneCall; talkedSeconds: number; outcome: PhoneOutcome };

export interface PhoneDevice {
  id: string;
  label: string;
}

export interface PhoneDevices {
  microphones: PhoneDevice[];
  speakers: PhoneDevice[];
  /** Null is the system's default. */
  microphoneId: string | null;
  speakerId: string | null;
}

export type PhoneProblem =
  /** The browser has not been asked for the microphone yet. */
  | { kind: 'microphone-needed' }
  | { kind: 'microphone-blocked' }
  | { kind: 'microphone-missing' }
  /** The chosen microphone was unplugged; another one is in use. */
  | { kind: 'microphone-changed' }
  /** The browser plays nothing before a click. */
  | { kind: 'sound-blocked' }
  /** Something was asked for and refused, in plain words. */
  | { kind: 'failed'; message: string };

export interface PhoneModel {
  connection: PhoneConnection;
  /** Why it is disconnected, in plain words. */
  connectionError: string | null;
  agent: { name: string; availability: Availability; shift: Shift; doNotDisturb: boolean } | null;
  lines: PhoneLine[];
  view: PhoneView;
  problem: PhoneProblem | null;
  devices: PhoneDevices;
  /** False in a tab that should stay silent because another one rings. */
  rings: boolean;
}

export interface PhoneActions {
  setAvailability(status: Shift): void;
  dial(lineRef: string, number: string): void;
  answer(callId: number): void;
  decline(callId: number): void;
  hangUp(callId: number): void;
  mute(callId: number, on: boolean): void;
  hold(callId: number, on: boolean): void;
  sendDigits(callId: number, digits: string): void;
  /** Brings a call that runs elsewhere to this tab. */
  bringHere(callId: number): void;
  /** Leaves the summary of an ended call. */
  dismissEnded(): void;
  /** Tries again what the problem stopped: asks for the microphone, plays the sound, or just clears it. */
  resolveProblem(): void;
  reconnect(): void;
  setMicrophone(id: string | null): void;
  setSpeaker(id: string | null): void;
  testSpeaker(): void;
  /** Reports the microphone's level, 0 to 1, until the returned function is called. Rejects without a microphone. */
  watchLevel(listener: (level: number) => void): Promise<() => void>;
}
