/**
 * The audio of one call in this tab: from the first offer, through network losses and device changes, to the end.
 *
 * idle → connecting → connected ⇄ reconnecting → closed. Reconnecting repeats `exchange` with a fresh offer, with
 * increasing delays, until audio flows, the service reports that the call has ended, or `close()` is called.
 */
import type { IceServer } from '@clarion/protocol/socket';
import { reconnectDelayMs } from './backoff.ts';
import { Emitter } from './emitter.ts';
import { ClarionError } from './errors.ts';
import { Peer } from './peer.ts';
import type { MediaPlatform } from './platform.ts';
import {
  addSample,
  noQuality,
  SAMPLE_INTERVAL_MS,
  type QualitySample,
  type QualityState,
  type QualityWarning,
} from './quality.ts';
import { readTotals, sampleBetween, type StatsTotals } from './stats.ts';

/** ICE often recovers from "disconnected" by itself (consent checks, RFC 7675, run every 5 s). */
export const DISCONNECTED_LIMIT_MS = 3_000;
/** How long the connection of a new offer may take before another offer is tried. */
export const MEDIA_CONNECT_LIMIT_MS = 8_000;

export type MediaState = 'idle' | 'connecting' | 'connected' | 'reconnecting' | 'closed';

/** Sends an offer to the service and returns its answer. */
export type Exchange = (sdpOffer: string) => Promise<string>;

interface CallMediaEvents extends Record<string, unknown[]> {
  state: [state: MediaState];
  remoteStream: [stream: MediaStream];
  quality: [sample: QualitySample, state: QualityState];
  warning: [name: QualityWarning, active: boolean];
  /** The service reported that there is nothing to reconnect to. */
  refused: [error: ClarionError];
}

/** The source of the audio that is sent: the microphone, or a substitute. */
export interface TrackSource {
  /** Whether it is open, or can be expected to open without a prompt. */
  readonly ready: boolean;
  /** @returns null if nothing is sent */
  open(orSilence: boolean): Promise<MediaStreamTrack | null>;
  close(): void;
  /** The track was replaced. */
  on(event: 'track', listener: (track: MediaStreamTrack | null) => void): () => void;
}

export interface CallMediaOptions {
  platform: Pick<MediaPlatform, 'newPeerConnection' | 'newStream'>;
  microphone: TrackSource;
  iceServers(): Promise<IceServer[]>;
  /** A peer whose offer is complete; null if there is none. */
  prepared?(): Peer | null;
  /** `call:resume`, for every offer after the first. */
  resume: Exchange;
  /** False while the call is on hold, when silence is not a fault. */
  expectsAudio(): boolean;
}

export class CallMedia extends Emitter<CallMediaEvents> {
  readonly #options: CallMediaOptions;
  readonly #offTrack: () => void;
  #peer: Peer | null = null;
  #state: MediaState = 'idle';
  #remote: MediaStream | null = null;
  #quality: QualityState = noQuality;
  #totals: StatsTotals | null = null;
  #attempt = 0;
  /** Whether it is waiting between two attempts to resume. */
  #waiting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sampling: ReturnType<typeof setInterval> | undefined;

  constructor(options: CallMediaOptions) {
    super();
    this.#options = options;
    this.#offTrack = options.microphone.on('track', (track) => void this.#peer?.useTrack(track));
  }

  get state(): MediaState {
    return this.#state;
  }

  get remoteStream(): MediaStream | null {
    return this.#remote;
  }

  get quality(): QualityState {
    return this.#quality;
  }

  /** Sends the first offer, for an accept or a start. Throws the errors of the microphone, the browser and the service. */
  async start(exchange: Exchange): Promise<void> {
    this.#become('connecting');
    try {
      await this.#claim(exchange);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Resumes a live call after a reload, from another device, or after a network change. */
  resume(): void {
    if (this.#state === 'closed' || this.#state === 'reconnecting') return;
    this.#attempt = 0;
    this.#become('reconnecting');
    void this.#tryResume();
  }

  /** The connection to the service is back: tries again without waiting for the next attempt. */
  retryNow(): void {
    if (!this.#waiting) return;
    this.#attempt = 0;
    void this.#tryResume();
  }

  close(): void {
    if (this.#state === 'closed') return;
    clearTimeout(this.#timer);
    clearInterval(this.#sampling);
    this.#offTrack();
    this.#peer?.close();
    this.#peer = null;
    this.#options.microphone.close();
    this.#become('closed');
  }

  async #tryResume(): Promise<void> {
    clearTimeout(this.#timer);
    this.#waiting = false;
    try {
      await this.#resume();
    } catch (error) {
      if (this.#state === 'closed') return;
      if (error instanceof ClarionError && isOver(error)) {
        this.close();
        this.emit('refused', error);
        return;
      }
      this.#again();
    }
  }

  #again(): void {
    this.#attempt += 1;
    this.#waiting = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tryResume(), reconnectDelayMs(this.#attempt, Math.random()));
  }

  /**
   * The first offer claims the call, so it is sent before candidates are gathered and, if the microphone is ready, before the
   * microphone is open. If the microphone is not ready, the call keeps ringing for other agents until the prompt is answered.
   */
  async #claim(exchange: Exchange): Promise<void> {
    const { microphone } = this.#options;
    const { ready } = microphone;
    const opening = microphone.open(ready);
    opening.catch(() => undefined); // awaited below, perhaps only after it has failed
    if (!ready) await opening;
    const prepared = this.#options.prepared?.() ?? null;
    if (prepared) return this.#negotiate(exchange, prepared, opening);
    await this.#negotiate(
      exchange,
      new Peer(this.#options.platform, await this.#options.iceServers()),
      opening,
    );
  }

  async #resume(): Promise<void> {
    const opening = this.#options.microphone.open(true);
    const [iceServers] = await Promise.all([this.#options.iceServers(), opening]);
    await this.#negotiate(this.#options.resume, new Peer(this.#options.platform, iceServers), opening);
  }

  async #negotiate(exchange: Exchange, peer: Peer, opening: Promise<MediaStreamTrack | null>): Promise<void> {
    try {
      const offer = peer.offer ?? (await peer.prepare());
      this.#mustBeOpen();
      this.#peer?.close();
      this.#peer = peer;
      this.#totals = null;
      const answered = exchange(offer).then((answer) => this.#apply(answer, peer));
      const sending = opening.then((track) => peer.useTrack(track));
      await Promise.all([answered, peer.gather(), sending]);
    } catch (error) {
      peer.close();
      throw error;
    }
  }

  async #apply(answer: string, peer: Peer): Promise<void> {
    this.#mustBeOpen();
    this.#watch(peer);
    await peer.answer(answer);
  }

  #watch(peer: Peer): void {
    const limit = (ms: number) => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#lost(peer), ms);
    };
    limit(MEDIA_CONNECT_LIMIT_MS);
    peer.connection.addEventListener('connectionstatechange', () => {
      if (this.#peer !== peer) return;
      switch (peer.connection.connectionState) {
        case 'connected':
          clearTimeout(this.#timer);
          this.#attempt = 0;
          this.#startSampling();
          this.#become('connected');
          return this.#attachRemoteStream(peer);
        case 'disconnected':
          return limit(DISCONNECTED_LIMIT_MS);
        case 'failed':
          return this.#lost(peer);
      }
    });
  }

  #attachRemoteStream({ remote }: Peer): void {
    if (!remote || remote === this.#remote) return;
    this.#remote = remote;
    this.emit('remoteStream', remote);
  }

  #lost(peer: Peer): void {
    if (this.#peer !== peer || this.#state === 'closed') return;
    if (this.#state === 'reconnecting') return this.#again();
    this.#become('reconnecting');
    void this.#tryResume();
  }

  #startSampling(): void {
    clearInterval(this.#sampling);
    this.#sampling = setInterval(() => void this.#sample(), SAMPLE_INTERVAL_MS);
  }

  async #sample(): Promise<void> {
    const peer = this.#peer;
    if (!peer?.connected) return;
    const report = await peer.connection.getStats();
    if (this.#peer !== peer) return;
    const totals = readTotals(report.values());
    const before = this.#totals;
    this.#totals = totals;
    if (!before || !this.#options.expectsAudio()) return;
    const sample = sampleBetween(before, totals);
    const { state, raised, cleared } = addSample(this.#quality, sample);
    this.#quality = state;
    this.emit('quality', sample, state);
    for (const name of raised) this.emit('warning', name, true);
    for (const name of cleared) this.emit('warning', name, false);
  }

  #mustBeOpen(): void {
    if (this.#state === 'closed') throw new ClarionError('wrong_state', 'The call has ended.');
  }

  #become(state: MediaState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.emit('state', state);
  }
}

/** Whether the service reported that this agent no longer has such a call. */
function isOver({ code }: ClarionError): boolean {
  return code === 'call_ended' || code === 'not_found' || code === 'forbidden' || code === 'invalid_state';
}
