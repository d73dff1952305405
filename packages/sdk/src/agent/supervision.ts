/** The board and the monitor of a tab: at most one of each. */
import type { MonitorState } from '@clarion/protocol/socket';
import { Board } from './board.ts';
import type { LinkEvents } from './link.ts';
import { Monitor, type MonitorHost, type MonitorMode } from './monitor.ts';
import type { AudioPlayer } from './platform.ts';

export interface SupervisionHost extends MonitorHost {
  player: AudioPlayer;
  /** Null: plays the audio unless the app listens for the monitor's `remoteStream`. */
  playRemoteAudio: boolean | null;
  onBoard(board: Board): void;
  onBlocked(): void;
}

export class Supervision {
  readonly #host: SupervisionHost;
  #board: { board: Board; ready: Promise<Board> } | null = null;
  #monitor: Monitor | null = null;

  constructor(host: SupervisionHost) {
    this.#host = host;
  }

  /** Repeated calls return the same board. */
  subscribe(): Promise<Board> {
    if (this.#board?.board.active) return this.#board.ready;
    const board = new Board(this.#host);
    this.#host.onBoard(board);
    const ready = board.refresh().then(
      () => board,
      (error: unknown) => {
        if (this.#board?.board === board) this.#board = null;
        throw error;
      },
    );
    this.#board = { board, ready };
    return ready;
  }

  async monitor(callId: number, mode: MonitorMode): Promise<Monitor> {
    // The service ends the previous one as well: a device monitors one call at a time.
    this.#monitor?.finish('REPLACED');
    const monitor = (this.#monitor = new Monitor(this.#host, callId, mode));
    monitor.on('remoteStream', (stream) => {
      const appListens = monitor.listenerCount('remoteStream') > 1;
      if (this.#host.playRemoteAudio ?? !appListens) void this.#play(stream);
    });
    monitor.on('ended', () => {
      if (this.#monitor !== monitor) return;
      this.#monitor = null;
      this.#host.player.stop();
    });
    await monitor.start();
    return monitor;
  }

  onMessage(envelope: LinkEvents['message'][0]): void {
    switch (envelope.name) {
      case 'session':
      case 'watching':
        return this.#onSession(envelope.payload.monitors);
      case 'board:call':
        return this.#board?.board.change(envelope.payload);
      case 'board:counters':
        return this.#board?.board.counters(envelope.payload.queues);
      case 'board:agents':
        return this.#board?.board.changeAgents(envelope.payload);
      case 'board:ended':
        return this.#board?.board.end();
      case 'monitor:updated':
        return this.#monitor?.changed(envelope.payload);
      case 'monitor:ended':
        return this.#monitor?.ended(envelope.payload);
    }
  }

  /** Another tab of this browser unsubscribed, and with it the shared socket. */
  onUnsubscribed(): void {
    if (this.#board?.board.active) void this.#board.board.resubscribe();
  }

  /** The page is being closed. Other tabs may keep the connection, so the service must be notified explicitly. */
  leave(): void {
    this.#monitor?.stop().catch(() => undefined);
  }

  close(): void {
    this.#monitor?.finish('STOPPED');
    this.#board?.board.end();
  }

  #onSession(monitors: MonitorState[]): void {
    this.#monitor?.reconnected(monitors);
    if (this.#board?.board.active) void this.#board.board.resubscribe();
  }

  async #play(stream: MediaStream): Promise<void> {
    if (!(await this.#host.player.play(stream))) this.#host.onBlocked();
  }
}
