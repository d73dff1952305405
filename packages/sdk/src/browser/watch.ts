/**
 * For dashboards: `const watcher = await watch({ url, getTicket })`. A person who is signed in to the dashboard sees the board of
 * one tenant and listens to its calls, without being an agent. Agents' apps use `connect`.
 */
import type { WatchSession } from '@clarion/protocol/socket';
import type { Board } from './board.ts';
import { randomId } from './device-id.ts';
import { Emitter } from './emitter.ts';
import type { ClarionError } from './errors.ts';
import { IceServers } from './ice-servers.ts';
import type { ConnectionState } from './link.ts';
import type { Monitor, MonitorMode } from './monitor.ts';
import { SocketLink } from './socket-link.ts';
import { Speaker } from './speaker.ts';
import { Supervision } from './supervision.ts';
import type { GetToken } from './token.ts';

const SDK = 'clarion-js/0.1.0';

export interface WatchOptions {
  /** The service's base URL. */
  url: string;
  /** Fetches a ticket (`POST /v1/realtime-tickets`) with the person's session. Asked before every connection. */
  getTicket: GetToken;
  /** A device listens to one call at a time. By default every page is a device of its own. */
  deviceId?: string;
}

export interface WatcherEvents extends Record<string, unknown[]> {
  connection: [state: ConnectionState, error: ClarionError | null];
  /** What the tenant is called, and what this person may do with its calls, has changed. */
  updated: [];
  /** The browser keeps the sound back until the person clicks: `unlockAudio()`. */
  blocked: [];
  /** For good: by `close()`, or the service lets this person watch no longer. */
  ended: [error: ClarionError | null];
}

/**
 * Resolves once the service has let the page in.
 * @throws ClarionError the service's own code when it refuses the ticket, token_failed when `getTicket` fails
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

/** One person's page that watches a tenant: what `watch` resolves with. */
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
      speaker: this.#speaker,
      // Whoever listens for `remoteStream` shows how loud it is; it is played in any case.
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
    addEventListener('online', this.#hurry);
    addEventListener('pagehide', this.#onPageHide);
  }

  get connection(): ConnectionState {
    return this.#link.state;
  }
  get tenant(): WatchSession['tenant'] | null {
    return this.#session?.tenant ?? null;
  }
  /** The modes in which this person may listen now. */
  get modes(): readonly MonitorMode[] {
    return (this.#session?.monitoringModes ?? []).map((mode) => MODES[mode]);
  }
  /** The service's time now, to compare its times with: this machine's clock may be wrong. */
  get serviceTime(): Date {
    return new Date(Date.now() + this.#clockOffsetMs);
  }

  /** The tenant's live calls, queues and agents from now on. */
  subscribeBoard(): Promise<Board> {
    return this.#supervision.subscribe();
  }

  /**
   * Listens to a live call of the tenant. A page listens to one call at a time: the newest.
   * @throws ClarionError forbidden, not_found, call_ended, invalid_state; microphone_blocked where the mode needs it
   */
  monitor(callId: number, { mode = 'listen' }: { mode?: MonitorMode } = {}): Promise<Monitor> {
    return this.#supervision.monitor(callId, mode);
  }

  /** To be called inside a click, when `blocked` was raised. */
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
    removeEventListener('online', this.#hurry);
    removeEventListener('pagehide', this.#onPageHide);
    this.#supervision.close();
    this.#speaker.stop();
    this.emit('ended', error);
  }

  readonly #hurry = (): void => this.#link.hurry();
  readonly #onPageHide = (): void => this.#supervision.leave();
}

const MODES = { LISTEN: 'listen', WHISPER: 'whisper', BARGE: 'barge' } as const;
