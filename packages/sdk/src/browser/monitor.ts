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

/** listen: heard by nobody. whisper: heard by the agent. barge: heard by both. */
export type MonitorMode = 'listen' | 'whisper' | 'barge';
/** connecting: the audio is being set up, or set up again. active: it is heard. ended: for good. */
export type MonitorState = 'connecting' | 'active' | 'ended';
/** STOPPED: by `stop()`. The others are the service's words. */
export type MonitorEnd = MonitorEndReason | 'STOPPED';

export interface MonitorEvents extends Record<string, unknown[]> {
  /** The conversation. Raised again when the audio was set up again. */
  remoteStream: [stream: MediaStream];
  state: [state: MonitorState];
  /** By `setMode`, or because the tenant no longer allows the one before. */
  mode: [mode: MonitorMode];
  ended: [reason: MonitorEnd];
}

/** What listening needs from its agent. */
export interface MonitorHost {
  request<M extends ClientMessage>(message: M, payload: ClientPayload<M>): Promise<ClientReplies[M]>;
  iceServers(): Promise<IceServer[]>;
}

/** One live call that a supervisor listens to, and may speak into. */
export class Monitor extends Emitter<MonitorEvents> {
  readonly callId: number;
  readonly #host: MonitorHost;
  readonly #voice: MonitorVoice;
  readonly #media: CallMedia;
  /** What the service calls this listening; null before its first answer. */
  #id: string | null = null;
  #mode: MonitorMode;
  #muted = false;
  #state: MonitorState = 'connecting';
  /** An offer is out: what ends meanwhile is the listening before it. */
  #asking = 0;
  /** Of several changes of mode the later one counts. */
  #changing: Promise<unknown> = Promise.resolve();

  /** @internal Use `agent.monitor(callId)`. */
  constructor(host: MonitorHost, callId: number, mode: MonitorMode) {
    super();
    this.#host = host;
    this.callId = callId;
    this.#mode = mode;
    this.#voice = new MonitorVoice(mode !== 'listen');
    this.#media = new CallMedia({
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
   * Changes who hears this supervisor, without touching the connection. The microphone is opened before anybody hears it, and
   * closed after nobody does.
   * @throws ClarionError forbidden (the tenant does not allow it), invalid_state, microphone_blocked, microphone_unavailable
   */
  setMode(mode: MonitorMode): Promise<void> {
    const change = this.#changing.then(() => this.#setMode(mode));
    this.#changing = change.catch(() => undefined);
    return change;
  }

  /** Of the microphone in whisper and barge; listening sends nothing anyway. */
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
      // Without a connection the service stops it by itself.
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

  /** @internal After a new connection: the service may have taken this device for gone. */
  reconnected(monitors: readonly KnownMonitor[]): void {
    if (this.#state === 'ended' || this.#id === null || this.#asking > 0) return;
    if (monitors.some(({ monitorId }) => monitorId === this.#id)) this.#media.hurry();
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
    // Our own new offer takes the place of the one before.
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
    if (this.#state === 'ended') throw new ClarionError('wrong_state', 'This listening is over.');
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
