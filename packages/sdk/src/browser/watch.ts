/**
 * For the pages of the service's own dashboard: `const watcher = await watch({ url, getTicket })`. A user who is signed in to it sees the
 * board of one tenant and monitors its calls without being an agent. Pages of another origin cannot use that session: they use `connect`.
 */
import type { WatchSession } from '@clarion/protocol/socket';
import type { Board } from '../agent/board.ts';
import { randomId } from './device-id.ts';
import { Emitter } from '../agent/emitter.ts';
import type { ClarionError } from '../agent/errors.ts';
import { IceServers } from '../agent/ice-servers.ts';
import type { ConnectionState } from '../agent/link.ts';
import type { Monitor, MonitorMode } from '../agent/monitor.ts';
import { SocketLink } from '../agent/socket-link.ts';
import { browserMedia } from './browser-platform.ts';
import { Speaker } from './speaker.ts';
import { Supervision } from '../agent/supervision.ts';
import type { GetToken } from '../agent/token.ts';

const SDK = 'clarion-js/0.1.0';

export interface WatchOptions {
  /** The service's base URL. */
  url: string;
  /** Fetches a ticket (`POST /v1/realtime-tickets`) with the user's session. Called before every connection. */
  getTicket: GetToken;
  /** A device monitors one call at a time. By default, every page is a separate device. */
  deviceId?: string;
}

export interface WatcherEvents extends Record<string, unknown[]> {
  connection: [state: ConnectionState, error: ClarionError | null];
  /** The name of the tenant or the user's permissions have changed. */
  updated: [];
  /** The browser blocks audio until the user clicks: call `unlockAudio()`. */
  blocked: [];
  /** Ended permanently: by `close()`, or because the service no longer allows this user to watch. */
  ended: [error: ClarionError | null];
}

/**
 * Resolves once the service has accepted the page.
 * @throws ClarionError the service's code if it rejects the ticket; token_failed if `getTicket` fails
 */
export async function watch({
  url,
  getTicket,
  deviceId = `page-${randomId()}`,
}: WatchOptions): Promise<Watcher> {
  const link = new SocketLink({ url, namespace: '/dashboard', getToken: getTicket, deviceId, sdk: SDK });
  const watcher = new Watcher(link, deviceId);
  try {
    await watcher.ready;
    return watcher;
  } catch (error) {
    watcher.close();
    throw error;
  }
}

/** A page that watches a tenant, as returned by `watch`. */
export class Watcher extends Emitter<WatcherEvents> {
  readonly deviceId: string;
  /** @internal */
  readonly ready: Promise<void>;
  readonly #link: SocketLink;
  readonly #speaker = new Speaker();
  readonly #supervision: Supervision;
  #session: WatchSession | null = null;
  #clockOffsetMs = 0;
  #ended = false;

  /** @internal Use `watch`. */
  constructor(link: SocketLink, deviceId: string) {
    super();
    this.deviceId = deviceId;
    this.#link = link;
    const iceServers = new IceServers(async () => (await link.request('ice:servers', {})).iceServers);
    this.#supervision = new Supervision({
      request: (message, payload) => link.request(message, payload),
      iceServers: () => iceServers.fresh(),
      media: browserMedia,
      player: this.#speaker,
      // Listeners of `remoteStream` only show the level here; the audio is always played.
      playRemoteAudio: true,
      onBoard: () => undefined,
      onBlocked: () => this.emit('blocked'),
    });
    const first = Promise.withResolvers<void>();
    this.ready = first.promise;
    link.on('message', (envelope) => {
      if (envelope.name === 'watching') {
        this.#session = envelope.payload;
        iceServers.keep(envelope.payload.iceServers);
        this.#clockOffsetMs = Date.parse(envelope.payload.serverTime) - Date.now();
      }
      this.#supervision.onMessage(envelope);
      if (envelope.name !== 'watching') return;
      first.resolve();
      this.emit('updated');
    });
    link.on('connection', (state, error) => {
      this.emit('connection', state, error);
      if (this.#session === null && error !== null) first.reject(error);
      if (state === 'disconnected') this.#end(error);
    });
    addEventListener('online', this.#retryNow);
    addEventListener('pagehide', this.#onPageHide);
  }

  get connection(): ConnectionState {
    return this.#link.state;
  }
  get tenant(): WatchSession['tenant'] | null {
    return this.#session?.tenant ?? null;
  }
  /** The monitoring modes that this user may use now. */
  get modes(): readonly MonitorMode[] {
    return (this.#session?.monitoringModes ?? []).map((mode) => MODES[mode]);
  }
  /** The current time of the service. Compare its timestamps with this, because the local clock may be wrong. */
  get serviceTime(): Date {
    return new Date(Date.now() + this.#clockOffsetMs);
  }

  /** Subscribes to the tenant's live calls, queues and agents. */
  subscribeBoard(): Promise<Board> {
    return this.#supervision.subscribe();
  }

  /**
   * Monitors a live call of the tenant. A page monitors one call at a time; a new one replaces the previous one.
   * @throws ClarionError forbidden, not_found, call_ended, invalid_state; microphone_blocked if the mode needs the microphone
   */
  monitor(callId: number, { mode = 'listen' }: { mode?: MonitorMode } = {}): Promise<Monitor> {
    return this.#supervision.monitor(callId, mode);
  }

  /** Must be called in a click handler after `blocked` was raised. */
  unlockAudio(): Promise<void> {
    return this.#speaker.unlock();
  }

  close(): void {
    this.#link.close();
    this.#end(null);
  }

  #end(error: ClarionError | null): void {
    if (this.#ended) return;
    this.#ended = true;
    removeEventListener('online', this.#retryNow);
    removeEventListener('pagehide', this.#onPageHide);
    this.#supervision.close();
    this.#speaker.stop();
    this.emit('ended', error);
  }

  readonly #retryNow = (): void => this.#link.retryNow();
  readonly #onPageHide = (): void => this.#supervision.leave();
}

const MODES = { LISTEN: 'listen', WHISPER: 'whisper', BARGE: 'barge' } as const;
