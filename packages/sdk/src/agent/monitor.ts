import type { MonitorEndReason } from '@clarion/protocol/enums';
import type {
  ClientMessage,
  ClientPayload,
  ClientReplies,
  IceServer,
  MonitorState as KnownMonitor,
  ServerMessages,
} from '@clarion/protocol/socket';
import { CallMedia, type MediaState } from './call-media.ts';
import { Emitter } from './emitter.ts';
import { ClarionError } from './errors.ts';
import { MonitorVoice } from './monitor-voice.ts';
import type { MediaPlatform } from './platform.ts';

/** listen: no one hears the supervisor. whisper: the agent does. barge: the agent and the customer do. */
export type MonitorMode = 'listen' | 'whisper' | 'barge';
/** connecting: the audio is being connected or reconnected. active: the call is audible. ended: permanently. */
export type MonitorState = 'connecting' | 'active' | 'ended';
/** STOPPED: by `stop()`. The other reasons come from the service. */
export type MonitorEnd = MonitorEndReason | 'STOPPED';

export interface MonitorEvents extends Record<string, unknown[]> {
  /** The audio of the call. Raised again after a reconnection. */
  remoteStream: [stream: MediaStream];
  state: [state: MonitorState];
  /** Changed by `setMode`, or because the tenant no longer allows the previous mode. */
  mode: [mode: MonitorMode];
  ended: [reason: MonitorEnd];
}

/** What a monitor needs from its connection. */
export interface MonitorHost {
  media: MediaPlatform;
  request<M extends ClientMessage>(message: M, payload: ClientPayload<M>): Promise<ClientReplies[M]>;
  iceServers(): Promise<IceServer[]>;
}

/** A live call that a supervisor monitors. */
export class Monitor extends Emitter<MonitorEvents> {
  readonly callId: number;
  readonly #host: MonitorHost;
  readonly #voice: MonitorVoice;
  readonly #media: CallMedia;
  /** The service's ID of this monitor; null before its first response. */
  #id: string | null = null;
  #mode: MonitorMode;
  #muted = false;
  #state: MonitorState = 'connecting';
  /** An offer is pending. An end that arrives now refers to the previous monitor. */
  #asking = 0;
  /** Of several changes of mode, the last one wins. */
  #changing: Promise<unknown> = Promise.resolve();

  /** @internal Use `agent.monitor(callId)`. */
  constructor(host: MonitorHost, callId: number, mode: MonitorMode) {
    super();
    this.#host = host;
    this.callId = callId;
    this.#mode = mode;
    this.#voice = new MonitorVoice(mode !== 'listen', host.media);
    this.#media = new CallMedia({
      platform: host.media,
      microphone: this.#voice,
      iceServers: () => host.iceServers(),
      resume: (sdpOffer) => this.#ask(sdpOffer),
      expectsAudio: () => false,
    });
    this.#media.on('state', (state) => this.#onMedia(state));
    this.#media.on('remoteStream', (stream) => this.emit('remoteStream', stream));
    this.#media.on('refused', (error) => this.finish(reasonOf(error)));
  }

  get state(): MonitorState {
    return this.#state;
  }
  get mode(): MonitorMode {
    return this.#mode;
  }
  get muted(): boolean {
    return this.#muted;
  }
  get remoteStream(): MediaStream | null {
    return this.#media.remoteStream;
  }

  /**
   * Changes who hears this supervisor, on the same connection. The microphone is opened before anyone can hear it, and closed when no
   * one can any more.
   * @throws ClarionError forbidden (the tenant does not allow it), invalid_state, microphone_blocked, microphone_unavailable
   */
  setMode(mode: MonitorMode): Promise<void> {
    const change = this.#changing.then(() => this.#setMode(mode));
    this.#changing = change.catch(() => undefined);
    return change;
  }

  /** Mutes the microphone for whisper and barge. Listening sends no audio anyway. */
  mute(on: boolean): void {
    this.#muted = on;
    this.#voice.mute(on);
  }

  async stop(): Promise<void> {
    if (this.#state === 'ended') return;
    this.finish('STOPPED');
    try {
      await this.#host.request('monitor:stop', { callId: this.callId });
    } catch (error) {
      // Without a connection, the service ends the monitor itself.
      if (error instanceof ClarionError && LOST.has(error.code)) return;
      throw error;
    }
  }

  /** @internal */
  async start(): Promise<void> {
    try {
      await this.#media.start((sdpOffer) => this.#ask(sdpOffer));
    } catch (error) {
      this.finish(error instanceof ClarionError ? reasonOf(error) : 'FAILED');
      throw error;
    }
  }

  /** @internal After a reconnection: the service may have considered this device disconnected. */
  reconnected(monitors: readonly KnownMonitor[]): void {
    if (this.#state === 'ended' || this.#id === null || this.#asking > 0) return;
    if (monitors.some(({ monitorId }) => monitorId === this.#id)) this.#media.retryNow();
    else this.#media.resume();
  }

  /** @internal */
  changed({ callId, monitorId, mode }: ServerMessages['monitor:updated']): void {
    if (callId !== this.callId || monitorId !== this.#id) return;
    const changed = toMode(mode);
    this.#become(changed);
    if (changed === 'listen') void this.#voice.speak(false);
  }

  /** @internal */
  ended({ callId, monitorId, reason }: ServerMessages['monitor:ended']): void {
    if (callId !== this.callId || monitorId !== this.#id) return;
    // This monitor's own new offer replaced the previous one.
    if (reason === 'REPLACED' && this.#asking > 0) return;
    this.finish(reason);
  }

  /** @internal */
  finish(reason: MonitorEnd): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#media.close();
    this.emit('state', 'ended');
    this.emit('ended', reason);
  }

  async #ask(sdpOffer: string): Promise<string> {
    this.#asking += 1;
    try {
      const { sdpAnswer, monitorId, mode } = await this.#host.request('monitor:start', {
        callId: this.callId,
        sdpOffer,
        mode: WIRE[this.#mode],
      });
      this.#id = monitorId;
      this.#become(toMode(mode));
      return sdpAnswer;
    } finally {
      this.#asking -= 1;
    }
  }

  async #setMode(wanted: MonitorMode): Promise<void> {
    if (this.#state === 'ended') throw new ClarionError('wrong_state', 'Monitoring has ended.');
    if (wanted === this.#mode) return;
    const { callId } = this;
    if (wanted !== 'listen') await this.#voice.speak(true);
    try {
      const { mode } = await this.#host.request('monitor:mode', { callId, mode: WIRE[wanted] });
      this.#become(toMode(mode));
    } finally {
      if (this.#mode === 'listen') await this.#voice.speak(false);
    }
  }

  #become(mode: MonitorMode): void {
    if (this.#mode === mode) return;
    this.#mode = mode;
    this.emit('mode', mode);
  }

  #onMedia(media: MediaState): void {
    if (this.#state === 'ended' || media === 'closed' || media === 'idle') return;
    const state = media === 'connected' ? 'active' : 'connecting';
    if (state === this.#state) return;
    this.#state = state;
    this.emit('state', state);
  }
}

const WIRE = { listen: 'LISTEN', whisper: 'WHISPER', barge: 'BARGE' } as const;
const MODES = { LISTEN: 'listen', WHISPER: 'whisper', BARGE: 'barge' } as const;
const toMode = (mode: keyof typeof MODES): MonitorMode => MODES[mode];

const LOST: ReadonlySet<string> = new Set(['connection_lost', 'request_timeout', 'disconnected']);

function reasonOf({ code }: ClarionError): MonitorEnd {
  if (code === 'call_ended' || code === 'not_found') return 'CALL_ENDED';
  return code === 'forbidden' ? 'NOT_ALLOWED' : 'FAILED';
}
