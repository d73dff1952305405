import type {
  AgentCall,
  ClientMessage,
  ClientPayload,
  ClientReplies,
  IceServer,
} from '@clarion/protocol/socket';
import type { WithdrawReason } from '@clarion/protocol/enums';
import { CallMedia, type MediaState } from './call-media.ts';
import { Emitter } from './emitter.ts';
import { ClarionError } from './errors.ts';
import type { Peer } from './peer.ts';
import type { AudioDevice, Claim, Platform } from './platform.ts';
import { qualityLevel, type QualityLevel, type QualitySample } from './quality.ts';
import { microphoneWarnings, warning, type Warning } from './warnings.ts';

/** The longest run of digits in one message (protocol, dtmfDigits). */
const DIGITS_PER_MESSAGE = 32;
const DIGITS = /^[0-9A-D*#]+$/;

/** An ID from `agent.colleagues()`. */
export type TransferTarget = { agentId: number } | { queueId: number };

/** live: from the start of the audio negotiation until the end. */
export type CallState = AgentCall['state'];

export interface CallEvents extends Record<string, unknown[]> {
  /** The customer's audio. Raised again after the call was reconnected. */
  remoteStream: [stream: MediaStream];
  state: [state: 'dialing' | 'active' | 'ended'];
  /** The call stopped ringing on this device. */
  withdrawn: [reason: WithdrawReason];
  /** Something about the call changed: mute, hold, audio, device. */
  updated: [];
  /** Once a second while connected. */
  quality: [sample: QualitySample, level: QualityLevel];
  warning: [warning: Warning];
}

/** What a call needs from its agent. */
export interface CallHost {
  readonly deviceId: string;
  readonly platform: Platform;
  request<M extends ClientMessage>(message: M, payload: ClientPayload<M>): Promise<ClientReplies[M]>;
  iceServers(): Promise<IceServer[]>;
  /** The peer that was prepared while the call rang, if any. The caller closes it. */
  takePeer(): Peer | null;
  /** Applies the call in an ack, like any other update. */
  apply(call: AgentCall): void;
}

/** A call of the agent. It is the same object from its first to its last event. */
export class Call extends Emitter<CallEvents> {
  readonly id: number;
  readonly #host: CallHost;
  #info: AgentCall;
  #expiresAt: Date | null;
  #media: CallMedia | null = null;
  #claim: Claim | null = null;
  #accepting: Promise<void> | null = null;
  /** Its audio is being started in this tab. */
  #taking = false;
  /** Requested, but not yet confirmed by the service. */
  #muteWish: boolean | null = null;
  readonly #over = new AbortController();

  /** @internal */
  constructor(host: CallHost, info: AgentCall, expiresAt: string | null) {
    super();
    this.#host = host;
    this.#info = info;
    this.#expiresAt = expiresAt === null ? null : new Date(expiresAt);
    this.id = info.callId;
  }

  /** The same as `id`, under its name in the API. */
  get callId(): number {
    return this.id;
  }
  /** All details of the call from the service. */
  get info(): Readonly<AgentCall> {
    return this.#info;
  }
  get state(): CallState {
    return this.#info.state;
  }
  get direction(): AgentCall['direction'] {
    return this.#info.direction;
  }
  /** How the call reached the agent: from a queue, on a personal line, or by a transfer. Null for an outbound call. */
  get assignmentType(): AgentCall['assignmentType'] {
    return this.#info.assignmentType;
  }
  get customer(): AgentCall['customer'] {
    return this.#info.customer;
  }
  get muted(): boolean {
    return this.#muteWish ?? this.#info.muted;
  }
  get held(): boolean {
    return this.#info.held;
  }
  /** OFF: the call is not recorded. PAUSED: the recording continues with silence. */
  get recording(): AgentCall['recording'] {
    return this.#info.recording;
  }
  /** The pending transfer by this agent: its target and start; null: none. */
  get transferring(): AgentCall['transfer'] {
    return this.#info.transfer;
  }
  /** Why this agent's last transfer of the call returned; null: there was none, or one is pending. */
  get transferFailed(): AgentCall['transferFailed'] {
    return this.#info.transferFailed;
  }
  /** Who transferred the call to this agent; null if it was not transferred. */
  get transferredBy(): AgentCall['transferredBy'] {
    return this.#info.transferredBy;
  }
  /** When the offer expires, by the service's clock. */
  get expiresAt(): Date | null {
    return this.#expiresAt;
  }
  /** Whether the call's audio is in this tab. */
  get here(): boolean {
    return this.#media !== null;
  }
  /** Whether the call is on another device of the agent. */
  get elsewhere(): boolean {
    return this.#info.deviceId !== null && this.#info.deviceId !== this.#host.deviceId;
  }
  get media(): MediaState {
    return this.#media?.state ?? 'idle';
  }
  get remoteStream(): MediaStream | null {
    return this.#media?.remoteStream ?? null;
  }
  get quality(): QualityLevel {
    return qualityLevel(this.#media?.quality.samples ?? []);
  }

  /** Answers the call in this tab. Repeated calls have no effect. */
  accept(): Promise<void> {
    if (this.state !== 'incoming') return Promise.reject(wrongState('Only a ringing call can be accepted.'));
    return (this.#accepting ??= this.#start('call:accept').finally(() => (this.#accepting = null)));
  }

  /** Declines the offer on every device of the agent. */
  async decline(): Promise<void> {
    await this.#host.request('call:decline', { callId: this.id });
  }

  async hangup(): Promise<void> {
    await this.#host.request('call:hangup', { callId: this.id });
  }

  /** Takes effect immediately. The service is notified, and again after a reconnection. */
  async mute(on: boolean): Promise<void> {
    this.#muteWish = on;
    this.#syncMicrophone();
    this.emit('updated');
    try {
      const { call } = await this.#host.request('call:mute', { callId: this.id, muted: on });
      if (this.#muteWish === on) this.#muteWish = null;
      this.#host.apply(call);
    } catch (error) {
      if (isTransient(error)) return;
      this.#muteWish = null;
      this.#syncMicrophone();
      throw error;
    }
  }

  /** While on hold, the customer hears hold audio, and the agent and the customer do not hear each other. */
  async hold(on: boolean): Promise<void> {
    const { call } = await this.#host.request('call:hold', { callId: this.id, held: on });
    this.#host.apply(call);
  }

  /** Pauses the recording of both sides until `resumeRecording`, for example for a card number. Fails if the call is not recorded. */
  async pauseRecording(): Promise<void> {
    await this.#setRecording(true);
  }

  async resumeRecording(): Promise<void> {
    await this.#setRecording(false);
  }

  /**
   * Transfers the call to a colleague or a queue. Until an agent there answers, the call stays with this agent and the customer hears
   * hold audio; then it ends here (`state` is `ended`). If no agent answers, the transfer returns: `updated` is raised, `transferring`
   * is null, and `transferFailed` is the reason. `hangup` during a transfer ends the call for everyone.
   *
   * @throws ClarionError agent_busy, agent_unavailable, invalid_request (no such colleague or queue), invalid_state (the
   * customer has not answered yet, or a transfer is pending), call_ended
   */
  async transfer(to: TransferTarget): Promise<void> {
    const target = 'agentId' in to ? { agentId: to.agentId } : { queueId: to.queueId };
    const { call } = await this.#host.request('call:transfer', { callId: this.id, ...target });
    this.#host.apply(call);
  }

  /** Cancels the transfer before it is answered. @throws ClarionError invalid_state: there is no pending transfer */
  async cancelTransfer(): Promise<void> {
    const { call } = await this.#host.request('call:transfer-cancel', { callId: this.id });
    this.#host.apply(call);
  }

  /** Digits, `*`, `#` and A to D; spaces are ignored. */
  async sendDigits(text: string): Promise<void> {
    const digits = text.replaceAll(/\s/g, '').toUpperCase();
    if (!DIGITS.test(digits))
      throw new ClarionError('invalid_request', 'Only 0-9, *, # and A-D can be sent.');
    for (let at = 0; at < digits.length; at += DIGITS_PER_MESSAGE)
      await this.#host.request('call:dtmf', {
        callId: this.id,
        digits: digits.slice(at, at + DIGITS_PER_MESSAGE),
      });
  }

  /** Moves the audio of a live call to this tab from another tab or device, or restores it after a loss. */
  async resume(): Promise<void> {
    if (this.state !== 'active' && this.state !== 'dialing')
      throw wrongState('Only a live call can be resumed.');
    if (this.#media) return this.#media.resume();
    await this.#take('steal');
    this.#media ??= this.#newMedia();
    this.#media.resume();
  }

  setMicrophone(id: string | null): Promise<void> {
    return this.#host.platform.audio.setMicrophone(id);
  }
  setSpeaker(id: string | null): Promise<void> {
    return this.#host.platform.audio.setSpeaker(id);
  }
  listDevices(): Promise<{ microphones: AudioDevice[]; speakers: AudioDevice[] }> {
    return this.#host.platform.audio.list();
  }

  async #setRecording(paused: boolean): Promise<void> {
    const { call } = await this.#host.request('call:record', { callId: this.id, paused });
    this.#host.apply(call);
  }

  /**
   * @internal `call:accept` and `call:start`. The first message that reaches the service decides who gets the call, so nothing is
   * awaited before it that is not necessary.
   */
  async #start(message: 'call:accept' | 'call:start'): Promise<void> {
    const attempt = new AbortController();
    this.#over.signal.addEventListener('abort', () => attempt.abort());
    this.#taking = true;
    try {
      // If two tabs of this device answer, the service decides between them, and the other tab releases the lock.
      this.#take('wait', attempt.signal).catch(() => undefined);
      const media = (this.#media = this.#newMedia(() => this.#host.takePeer()));
      await media.start(async (sdpOffer) => {
        const { sdpAnswer, call } = await this.#host.request(message, { callId: this.id, sdpOffer });
        this.#host.apply(call);
        return sdpAnswer;
      });
    } catch (error) {
      attempt.abort();
      this.#releaseAudio();
      throw error;
    } finally {
      this.#taking = false;
    }
  }

  /** @internal The agent's app starts an outbound intent. */
  startOutbound(): Promise<void> {
    return this.#start('call:start');
  }

  /** @internal Takes over the audio once no tab has it, after `delayMs`, which gives a reloading tab time to resume. */
  async resumeWhenFree(delayMs: number): Promise<void> {
    if (this.#taking || this.#claim || this.#over.signal.aborted) return;
    this.#taking = true;
    try {
      await this.#take('wait');
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      if (!this.#claim || this.#media || this.#over.signal.aborted) return;
      this.#media = this.#newMedia();
      this.#media.resume();
    } finally {
      this.#taking = false;
    }
  }

  /** @internal */
  update(info: AgentCall, expiresAt: string | null): void {
    this.#info = info;
    this.#expiresAt = expiresAt === null ? null : new Date(expiresAt);
    // Answered on another device or moved there: this tab no longer has the audio.
    if (this.#media && this.elsewhere && !this.#accepting) this.#releaseAudio();
    this.#syncMicrophone();
    if (info.state === 'ended') this.finish();
  }

  /** @internal The connection is back, and a session was received. */
  reconnected(): void {
    this.#media?.retryNow();
    const wish = this.#muteWish;
    if (wish === null) return;
    if (wish === this.#info.muted) this.#muteWish = null;
    else this.mute(wish).catch(() => undefined);
  }

  /** @internal */
  finish(): void {
    this.#over.abort();
    this.#releaseAudio();
  }

  async #take(how: 'steal' | 'wait', signal = this.#over.signal): Promise<void> {
    if (this.#claim) return;
    this.#claim = await this.#host.platform.claims.claim(this.id, how, signal, () => {
      this.#claim = null;
      this.#releaseAudio();
    });
    if (signal.aborted) this.#releaseAudio();
  }

  #releaseAudio(): void {
    const media = this.#media;
    this.#media = null;
    media?.close();
    this.#claim?.release();
    this.#claim = null;
    if (media) this.emit('updated');
  }

  #newMedia(prepared: () => Peer | null = () => null): CallMedia {
    const { media: mediaPlatform, microphone } = this.#host.platform;
    const media = new CallMedia({
      platform: mediaPlatform,
      microphone,
      prepared,
      iceServers: () => this.#host.iceServers(),
      resume: async (sdpOffer) => {
        const { sdpAnswer, call } = await this.#host.request('call:resume', { callId: this.id, sdpOffer });
        this.#host.apply(call);
        return sdpAnswer;
      },
      expectsAudio: () => this.state === 'active' && !this.held,
    });
    let lost = false;
    media.on('state', (state) => {
      if (state === 'reconnecting' && !lost) {
        lost = true;
        this.emit('warning', warning('ice-connectivity-lost', true));
      } else if (state === 'connected' && lost) {
        lost = false;
        this.emit('warning', warning('ice-connectivity-lost', false));
      }
      this.emit('updated');
    });
    media.on('remoteStream', (stream) => this.emit('remoteStream', stream));
    media.on('quality', (sample, { samples }) => this.emit('quality', sample, qualityLevel(samples)));
    media.on('warning', (name, active) => this.emit('warning', warning(name, active)));
    media.on('refused', () => this.#releaseAudio());
    const off = microphone.on('device', (event) => {
      for (const one of microphoneWarnings(event)) this.emit('warning', one);
    });
    media.on('state', (state) => {
      if (state === 'closed') off();
    });
    this.#syncMicrophone();
    return media;
  }

  #syncMicrophone(): void {
    if (!this.#media) return;
    this.#host.platform.microphone.setEnabled(!this.muted && !this.held && this.transferring === null);
  }
}

const wrongState = (message: string) => new ClarionError('wrong_state', message);

/** The request is kept, and sent again after the reconnection. */
const isTransient = (error: unknown) =>
  error instanceof ClarionError && (error.code === 'connection_lost' || error.code === 'request_timeout');
