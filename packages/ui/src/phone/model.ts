/**
 * The data that the agent phone shows and the actions that it calls. The phone keeps no call state of its own: the embedding code
 * maps its connection to a PhoneModel and its operations to PhoneActions. Times are milliseconds of the local clock.
 */

import type { CallChannel } from '../data/ChannelBadge.tsx';

export type PhoneConnection = 'connecting' | 'connected' | 'reconnecting' | 'disconnected';
export type Availability = 'AVAILABLE' | 'OFFLINE' | 'ON_CALL';
export type Shift = 'AVAILABLE' | 'OFFLINE';

export interface PhoneLine {
  ref: string;
  name: string;
  address: string;
  channel: CallChannel;
  /** A personal line of the agent. Other lines are shared with the team. */
  personal: boolean;
}

export interface PhoneCall {
  id: number;
  direction: 'INBOUND' | 'OUTBOUND';
  customerName: string | null;
  /** Null: withheld or unknown, so it cannot be called. */
  customerAddress: string | null;
  customerWithheld: boolean;
  /** Null: not known. */
  channel: CallChannel | null;
  line: string | null;
  queue: string | null;
  assignment: 'QUEUE' | 'DIRECT' | 'TRANSFER' | null;
  /** The colleague who transferred it. */
  transferredBy: string | null;
}

/** A call offered to this agent. */
export interface PhoneOffer {
  call: PhoneCall;
  ringingSince: number;
  expiresAt: number | null;
}

/** The call quality. */
export type PhoneQuality = 'good' | 'fair' | 'poor' | 'unknown';

/** The audio of a live call: in this tab, connecting, reconnecting, or in another tab or on another device. */
export type PhoneAudio = 'here' | 'connecting' | 'reconnecting' | 'elsewhere';

/** OFF: the call is not recorded. PAUSED: recording is paused. */
export type PhoneRecording = 'OFF' | 'ON' | 'PAUSED';

export interface PhoneOutcome {
  /** The `terminationReason` of the API, such as COMPLETED or BUSY; null if unknown. */
  reason: string | null;
  by: string | null;
  /** The failure message of the carrier or the service. */
  failure: string | null;
}

export type PhoneView =
  | { at: 'idle' }
  | ({
      at: 'incoming';
      /** Other offered calls. */
      others: PhoneOffer[];
      /** The ID of the call that is being answered; null: none. */
      answering: number | null;
    } & PhoneOffer)
  | { at: 'dialing'; call: PhoneCall; since: number }
  | {
      at: 'active';
      call: PhoneCall;
      answeredAt: number;
      muted: boolean;
      held: boolean;
      audio: PhoneAudio;
      quality: PhoneQuality;
      /** The SDK's warnings about the audio (`high-jitter`…), most severe first. */
      warnings: string[];
      recording: PhoneRecording;
      /** The transfer in progress; null: none. */
      transfer: { to: string; kind: 'agent' | 'queue'; since: number } | null;
      /** Why the last transfer returned (`NO_ANSWER`…); null: none did. */
      transferFailed: string | null;
    }
  | { at: 'ended'; call: PhoneCall; talkedSeconds: number; outcome: PhoneOutcome };

export interface PhoneDevice {
  id: string;
  label: string;
}

export interface PhoneDevices {
  microphones: PhoneDevice[];
  speakers: PhoneDevice[];
  /** Null: the system default. */
  microphoneId: string | null;
  speakerId: string | null;
}

export type PhoneProblem =
  /** The user has not been asked for permission to use the microphone yet. */
  | { kind: 'microphone-needed' }
  | { kind: 'microphone-blocked' }
  | { kind: 'microphone-missing' }
  /** The selected microphone was unplugged; another one is in use. */
  | { kind: 'microphone-changed' }
  /** The browser blocks audio until the user clicks. */
  | { kind: 'audio-blocked' }
  /** A request failed; `message` is the reason for the user. */
  | { kind: 'failed'; message: string };

export interface PhoneAgent {
  name: string;
  availability: Availability;
  shift: Shift;
  doNotDisturb: boolean;
  /** The end of the wrap-up; null: no wrap-up. */
  wrapUpUntil: number | null;
}

/** A colleague or queue that a call can be transferred to. */
export interface PhoneColleague {
  id: number;
  name: string;
  /** busy: on a call. away: connected, not available for queues. offline: not connected. */
  state: 'free' | 'busy' | 'away' | 'offline';
}
export interface PhoneQueue {
  id: number;
  name: string;
  waiting: number;
  /** Agents who are available now. */
  available: number;
}
export interface TransferChoices {
  colleagues: PhoneColleague[];
  queues: PhoneQueue[];
}
export type TransferTarget = { kind: 'agent' | 'queue'; id: number };

/** A call of today, in this browser. */
export interface PhoneHistoryEntry {
  call: PhoneCall;
  at: number;
  /** Zero: not answered here. */
  talkedSeconds: number;
  /** An inbound call that was not answered. */
  missed: boolean;
  note: string;
}

/** Whether calls ring in this browser while the phone is closed. */
export interface PhoneWebPush {
  /** asking: the browser asks for the permission. blocked: it does not allow notifications for this page. */
  state: 'off' | 'asking' | 'on' | 'blocked';
  /** Why the last change failed, as a sentence for the user. */
  error: string | null;
}

export type MonitorMode = 'listen' | 'whisper' | 'barge';

export interface TeamCall {
  id: number;
  customer: string;
  channel: CallChannel;
  agent: string | null;
  queue: string | null;
  state: 'waiting' | 'ringing' | 'active';
  held: boolean;
  /** Since when it is in this state; an active call since its answer, on hold or not. */
  since: number;
  direction: 'INBOUND' | 'OUTBOUND';
  /** The other supervisors who listen to it. */
  listeners: string[];
}
export interface TeamQueue extends PhoneQueue {
  longestWaitingSince: number | null;
  onCall: number;
}

/** The team's live calls and queues, for agents who may see them. */
export interface PhoneTeam {
  /** Null while loading. */
  board: { calls: TeamCall[]; queues: TeamQueue[] } | null;
  /** The allowed monitoring modes; empty: none. */
  modes: MonitorMode[];
  /** The call that this supervisor monitors. */
  monitor: { callId: number; mode: MonitorMode; state: 'connecting' | 'active'; muted: boolean } | null;
}

export interface PhoneModel {
  connection: PhoneConnection;
  /** Why it is disconnected, as a sentence for the user. */
  connectionError: string | null;
  agent: PhoneAgent | null;
  /** The lines for outbound calls; empty: the phone cannot dial. */
  lines: PhoneLine[];
  view: PhoneView;
  problem: PhoneProblem | null;
  devices: PhoneDevices;
  /** Null: not supported by this browser, or not set up. */
  webPush: PhoneWebPush | null;
  /** Newest first. */
  history: PhoneHistoryEntry[];
  /** The note of the call that is shown. */
  note: string;
  /** Null: this agent sees their own calls only. */
  team: PhoneTeam | null;
  /** False in a tab that stays silent because another one rings. */
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
  transfer(callId: number, target: TransferTarget): void;
  /** Cancels a transfer that has not been answered. */
  cancelTransfer(callId: number): void;
  /** The current targets for a transfer. */
  transferChoices(): Promise<TransferChoices>;
  pauseRecording(callId: number, on: boolean): void;
  /** Ends the wrap-up early. */
  endWrapUp(): void;
  /** Null: the embedding page does not support it. */
  setDoNotDisturb: ((on: boolean) => void) | null;
  setNote(callId: number, text: string): void;
  /** Subscribes to the team's data, or unsubscribes. */
  watchTeam(on: boolean): void;
  monitor(callId: number, mode: MonitorMode): void;
  setMonitorMode(mode: MonitorMode): void;
  muteMonitor(on: boolean): void;
  stopMonitor(): void;
  /** Moves a call from another tab or device to this tab. */
  bringHere(callId: number): void;
  /** Closes the summary of an ended call. */
  dismissEnded(): void;
  /** Retries the action that failed: requests the microphone or plays the audio. Other problems are only dismissed. */
  resolveProblem(): void;
  reconnect(): void;
  setMicrophone(id: string | null): void;
  setSpeaker(id: string | null): void;
  testSpeaker(): void;
  setWebPush(on: boolean): void;
  /** Reports the microphone level, 0 to 1, until the returned function is called. Rejects if there is no microphone. */
  watchLevel(listener: (level: number) => void): Promise<() => void>;
}
