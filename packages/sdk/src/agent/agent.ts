import type {
  AgentCall,
  AgentState,
  Colleague,
  DialLine,
  IceServer,
  QueueCounters,
  Session,
  TransferQueue,
} from '@clarion/protocol/socket';
import type { ShiftStatus, WithdrawReason } from '@clarion/protocol/enums';
import type { BoardChange } from './board-model.ts';
import type { Board } from './board.ts';
import { Call, type CallHost } from './call.ts';
import { Emitter } from './emitter.ts';
import type { ClarionError } from './errors.ts';
import { IceServers } from './ice-servers.ts';
import type { AgentLink, ConnectionState, LinkEvents } from './link.ts';
import { emptyModel, reduce, type AgentModel, type ModelInput, type Notice } from './model.ts';
import type { Monitor, MonitorMode } from './monitor.ts';
import type { Platform } from './platform.ts';
import { RingPreparation } from './ring-preparation.ts';
import { Supervision } from './supervision.ts';
import { warning, type Warning } from './warnings.ts';

/** How long a reloading tab has to resume its call before another tab takes it over. */
export const ORPHANED_CALL_DELAY_MS = 2_000;

export interface AgentEvents extends Record<string, unknown[]> {
  incoming: [call: Call];
  withdrawn: [call: Call, reason: WithdrawReason];
  remoteStream: [stream: MediaStream, call: Call];
  state: [state: 'dialing' | 'active' | 'ended', call: Call];
  /** Anything changed: the agent, a call, the devices. Read the properties again. */
  updated: [];
  connection: [state: ConnectionState, error: ClarionError | null];
  warning: [warning: Warning, call: Call | null];
  /** From `subscribeBoard()`: the current state of a call, or a call that was removed. */
  boardCall: [change: BoardChange];
  /** From `subscribeBoard()`: the current state of the queues. */
  counters: [queues: readonly QueueCounters[]];
  /** This tab now holds the connection and should play the ringtone. */
  leading: [];
}

export interface AgentOptions {
  link: AgentLink;
  deviceId: string;
  platform: Platform;
  /** Null: plays the audio unless the app listens for `remoteStream` in order to play it itself. */
  playRemoteAudio: boolean | null;
  microphoneWhileRinging: boolean;
}

/** The signed-in agent of an app. */
export class AgentBase extends Emitter<AgentEvents> {
  readonly deviceId: string;
  readonly #link: AgentLink;
  readonly #platform: Platform;
  readonly #playRemoteAudio: boolean | null;
  readonly #calls = new Map<number, Call>();
  readonly #host: CallHost;
  readonly #supervision: Supervision;
  readonly #iceServers: IceServers;
  readonly #ringPreparation: RingPreparation;
  #model: AgentModel = emptyModel;
  /** The service's clock minus the local clock. */
  #clockOffsetMs = 0;
  /** Events of the first session, deferred until the app has had the chance to add listeners. */
  #deferred: (() => void)[] | null = [];
  readonly #offs: (() => void)[];

  /** @internal Use `connect`. */
  constructor({ link, deviceId, platform, playRemoteAudio, microphoneWhileRinging }: AgentOptions) {
    super();
    this.deviceId = deviceId;
    this.#link = link;
    this.#platform = platform;
    this.#playRemoteAudio = playRemoteAudio;
    this.#iceServers = new IceServers(async () => (await this.#link.request('ice:servers', {})).iceServers);
    this.#ringPreparation = new RingPreparation(platform, this.#iceServers, microphoneWhileRinging);
    this.#host = {
      deviceId,
      platform,
      request: (message, payload) => this.#link.request(message, payload),
      iceServers: () => this.#iceServers.fresh(),
      takePeer: () => this.#ringPreparation.takePeer(),
      apply: (call) => this.#reduce({ name: 'ack:call', payload: { call } }),
    };
    this.#supervision = new Supervision({
      request: this.#host.request,
      iceServers: this.#host.iceServers,
      media: platform.media,
      player: platform.monitorPlayer,
      playRemoteAudio,
      onBoard: (board) => {
        board.on('boardCall', (change) => this.emit('boardCall', change));
        board.on('counters', (queues) => this.emit('counters', queues));
      },
      onBlocked: () => this.emit('warning', warning('audio-blocked', true), null),
    });
    link.on('unsubscribed', () => this.#supervision.onUnsubscribed());
    link.on('message', (envelope) => this.#onMessage(envelope));
    link.on('connection', (state, error) => {
      this.emit('connection', state, error);
      this.emit('updated');
    });
    link.on('leading', () => {
      this.emit('leading');
      this.#pickUp();
    });
    this.#offs = [platform.onOnline(() => link.retryNow()), platform.onLeave(() => this.#onLeave())];
  }

  get connection(): ConnectionState {
    return this.#link.state;
  }
  /** Whether this tab, among the tabs of this browser, holds the connection. */
  get leading(): boolean {
    return this.#link.leading;
  }
  /** Null only before the first session, which `connect` waits for. */
  get info(): Readonly<AgentState> | null {
    return this.#model.agent;
  }
  /** The current time of the service. Compare its timestamps with this, because the local clock may be wrong. */
  get serviceTime(): Date {
    return new Date(Date.now() + this.#clockOffsetMs);
  }
  get tenant(): Session['tenant'] | null {
    return this.#model.tenant;
  }
  get queues(): Session['queues'] {
    return this.#model.queues;
  }
  /** The lines from which this agent may place calls, as of the last session. */
  get lines(): readonly DialLine[] {
    return this.#model.lines;
  }
  get iceServers(): IceServer[] {
    return this.#iceServers.known;
  }
  /** The ringing offers and the live call. */
  get calls(): Call[] {
    return [...this.#calls.values()];
  }

  async setAvailability(status: ShiftStatus): Promise<void> {
    const { agent } = await this.#link.request('availability:set', { status });
    this.#reduce({ name: 'agent:updated', payload: { agent } });
  }

  /** Ends the wrap-up (`info.wrapUpUntil`) early, so that queues offer calls again. */
  async endWrapUp(): Promise<void> {
    const { agent } = await this.#link.request('wrapup:end', {});
    this.#reduce({ name: 'agent:updated', payload: { agent } });
  }

  /** Starts an outbound intent that the backend created: the customer is dialled, and this tab has the audio. */
  async startOutbound(callId: number): Promise<Call> {
    const known = this.#calls.get(callId);
    const call = known ?? new Call(this.#host, notYetKnown(callId, this.deviceId), null);
    if (!known) this.#attach(call);
    this.#calls.set(callId, call);
    try {
      await call.startOutbound();
      return call;
    } catch (error) {
      if (!this.#model.calls.has(callId)) {
        this.#calls.delete(callId);
        call.finish();
      }
      throw error;
    }
  }

  /**
   * The agents and queues to which a call can be transferred now. Empty if only supervisors of the tenant may see the team
   * (`tenant.teamView`); a call can still be transferred to an ID that the app knows.
   */
  async colleagues(): Promise<{ agents: Colleague[]; queues: TransferQueue[] }> {
    const { agents, queues } = await this.#link.request('colleagues:list', {});
    return { agents, queues };
  }

  /**
   * Subscribes to the live calls and queues of the tenant. For supervisors, and for agents whose tenant has `team_view` enabled.
   * @throws ClarionError forbidden
   */
  subscribeBoard(): Promise<Board> {
    return this.#supervision.subscribe();
  }

  /**
   * Monitors a live call of the tenant (role SUPERVISOR). A device monitors one call at a time; a new one replaces the previous one.
   * @throws ClarionError forbidden, not_found, call_ended, invalid_state; microphone_blocked if the mode needs the microphone
   */
  monitor(callId: number, { mode = 'listen' }: { mode?: MonitorMode } = {}): Promise<Monitor> {
    return this.#supervision.monitor(callId, mode);
  }

  /** Requests a new session with the complete state, for example after a push notification. */
  async resync(): Promise<void> {
    await this.#link.request('resync', {});
  }

  /** Ends the connection. A live call continues for the service's grace period and can be resumed elsewhere. */
  disconnect(): void {
    for (const off of this.#offs) off();
    for (const call of this.#calls.values()) call.finish();
    this.#ringPreparation.close();
    this.#supervision.close();
    this.#platform.player.stop();
    this.#platform.close();
    this.#link.close();
  }

  #onMessage(envelope: LinkEvents['message'][0]): void {
    if (envelope.name === 'error') return; // the socket closes next, and the connection event carries the error
    if (envelope.name === 'session') {
      this.#iceServers.keep(envelope.payload.iceServers);
      this.#clockOffsetMs = Date.parse(envelope.payload.serverTime) - Date.now();
    }
    this.#reduce(envelope);
    this.#supervision.onMessage(envelope);
    if (envelope.name !== 'session') return;
    for (const call of this.#calls.values()) call.reconnected();
  }

  #reduce(input: ModelInput): void {
    const { model, notices } = reduce(this.#model, input);
    this.#model = model;
    for (const notice of notices) this.#notify(notice);
    this.#ringPreparation.update(this.calls.some(({ state }) => state === 'incoming'));
    this.#pickUp();
    if (notices.length > 0) this.#raise(() => this.emit('updated'));
  }

  /** @internal Events are raised immediately from now on. */
  begin(): void {
    const heldBack = this.#deferred ?? [];
    this.#deferred = null;
    for (const raise of heldBack) raise();
  }

  #raise(raise: () => void): void {
    if (this.#deferred) this.#deferred.push(raise);
    else raise();
  }

  #notify(notice: Notice): void {
    if (notice.type === 'agent') return;
    const { callId } = notice;
    const entry = this.#model.calls.get(callId);
    const info = notice.type === 'incoming' ? entry?.call : notice.call;
    if (!info) return;
    let call = this.#calls.get(callId);
    if (!call) {
      call = new Call(this.#host, info, entry?.expiresAt ?? null);
      this.#calls.set(callId, call);
      this.#attach(call);
    } else {
      call.update(info, entry?.expiresAt ?? null);
    }
    if (notice.type === 'withdrawn') {
      this.#calls.delete(callId);
      call.finish();
    }
    if (notice.type === 'state' && notice.state === 'ended') this.#calls.delete(callId);
    this.#raise(() => this.#emitNotice(notice, call));
  }

  #emitNotice(notice: Exclude<Notice, { type: 'agent' }>, call: Call): void {
    switch (notice.type) {
      case 'incoming':
        return this.emit('incoming', call);
      case 'withdrawn':
        call.emit('withdrawn', notice.reason);
        return this.emit('withdrawn', call, notice.reason);
      case 'state':
        call.emit('state', notice.state);
        return this.emit('state', notice.state, call);
      case 'updated':
        return call.emit('updated');
    }
  }

  #attach(call: Call): void {
    call.on('updated', () => this.emit('updated'));
    call.on('quality', () => this.emit('updated'));
    call.on('warning', (one) => this.emit('warning', one, call));
    call.on('remoteStream', (stream) => {
      this.emit('remoteStream', stream, call);
      const ownListeners = 1;
      const appListens =
        this.listenerCount('remoteStream') + call.listenerCount('remoteStream') > ownListeners;
      if (this.#playRemoteAudio ?? !appListens) void this.#play(stream, call);
    });
  }

  async #play(stream: MediaStream, call: Call): Promise<void> {
    if (!(await this.#platform.player.play(stream)))
      this.emit('warning', warning('audio-blocked', true), call);
  }

  /** Resumes live calls of this device whose audio nothing has, after a reload, a crash or a closed tab. */
  #pickUp(): void {
    for (const call of this.#calls.values()) {
      const running = call.state === 'active' || call.state === 'dialing';
      if (!running || call.here || call.info.deviceId !== this.deviceId) continue;
      const how = this.#platform.claims.resumption(call.id, this.leading);
      if (how === 'now') call.resume().catch(() => undefined);
      if (how === 'when-free') call.resumeWhenFree(ORPHANED_CALL_DELAY_MS).catch(() => undefined);
    }
  }

  #onLeave(): void {
    this.#supervision.leave();
    const live = this.calls.find((call) => call.here && call.state !== 'incoming');
    if (live) this.#platform.claims.leave(live.id);
  }
}

/** The placeholder of an intent until the service sends its details. */
function notYetKnown(callId: number, deviceId: string): AgentCall {
  return {
    callId,
    direction: 'OUTBOUND',
    state: 'dialing',
    assignmentType: null,
    customer: { address: null, addressWithheld: false, name: null },
    channel: { ref: '', type: 'SIP', address: '', displayName: null },
    queue: null,
    externalRef: null,
    consumerMetadata: null,
    deviceId,
    muted: false,
    held: false,
    recording: 'OFF',
    transfer: null,
    transferFailed: null,
    transferredBy: null,
    createdAt: new Date().toISOString(),
    answeredAt: null,
    endedAt: null,
    terminationReason: null,
    terminatedBy: null,
    failureDetails: null,
  };
}
