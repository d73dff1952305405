import { pushPayload, type IncomingPushPayload, type PushPayload } from '@clarion/protocol/push-payload';
import { AgentBase } from '../agent/agent.ts';
import type { Call } from '../agent/call.ts';
import { ClarionError } from '../agent/errors.ts';
import { nextSession } from '../agent/next-session.ts';
import { SocketLink } from '../agent/socket-link.ts';
import type { GetToken } from '../agent/token.ts';
import { appPlatform } from './app-platform.ts';
import { CallOverError, outcomeOf, overAfterRejection, withdrawn, type PushOutcome } from './push-outcome.ts';
import { storedDeviceId, type AppStorage } from './storage.ts';
import type { WebRtc } from './webrtc.ts';

const SDK = 'clarion-react-native/0.1.0';
/** How long a push notification may take to be handled. After it, the service does not wait for the app either. */
export const PUSH_LIMIT_MS = 15_000;
/** How long an existing connection may take to respond before it is replaced: the system may have suspended the app. */
export const RESYNC_LIMIT_MS = 2_000;
/** A withdrawn call must stop ringing soon, whatever the connection does. */
export const WITHDRAWAL_LIMIT_MS = 4_000;

export interface DeviceOptions {
  /** The service's base URL. */
  url: string;
  /** Fetches a fresh agent token from your backend. Called before every connection. */
  getToken: GetToken;
  /** react-native-webrtc. */
  webrtc: WebRtc;
  /** AsyncStorage, in which the SDK keeps the ID of the device. */
  storage: AppStorage;
  /** By default an ID that is stored in `storage`. Register push tokens with the same ID. */
  deviceId?: string;
  /** Called with every new agent before it raises its first events. Add your listeners here. */
  onAgent?(agent: AgentBase): void;
}

interface Connection {
  link: SocketLink;
  agent: AgentBase;
}

/** A phone on which an agent is signed in. It connects when the app needs it or a push notification arrives. */
export class Device {
  readonly #options: DeviceOptions;
  #connection: Connection | null = null;
  #opening: Promise<Connection> | null = null;
  /** Aborted by `disconnect`. */
  #session = new AbortController();
  #deviceId: Promise<string> | null = null;
  /** Push notifications that are being handled, by call. */
  readonly #handling = new Set<number>();
  readonly #ringing = new Map<number, Call>();
  readonly #accepting = new Map<number, Promise<Call>>();

  constructor(options: DeviceOptions) {
    this.#options = options;
  }

  /** The ID with which the device connects, and with which your backend registers its push tokens. */
  deviceId(): Promise<string> {
    const { deviceId, storage } = this.#options;
    return (this.#deviceId ??= deviceId === undefined ? storedDeviceId(storage) : Promise.resolve(deviceId));
  }

  /** The connected agent; null before the first connection and after `disconnect`. */
  get agent(): AgentBase | null {
    return this.#connection?.agent ?? null;
  }

  /**
   * Signs the agent in on this device and resolves with the first session. Repeated calls return the same agent.
   * @throws ClarionError token_failed, connection_failed, or the service's code if it rejects the token
   */
  async connect(): Promise<AgentBase> {
    return (await this.#open()).agent;
  }

  /**
   * Connects, or makes sure that the connection works and its state is current. Call it when the app returns to the foreground.
   * @throws ClarionError as `connect`
   */
  async refresh(): Promise<AgentBase> {
    return (await this.#fresh(PUSH_LIMIT_MS)).agent;
  }

  /**
   * Ends the connection, so that calls reach the device by push notifications. Call it when the app goes to the background without a
   * call: the system will suspend the app, and the service would otherwise expect it to respond.
   */
  disconnect(): void {
    this.#session.abort();
    this.#session = new AbortController();
    this.#connection?.agent.disconnect();
    this.#connection = null;
    this.#opening = null;
    this.#ringing.clear();
  }

  /**
   * Handles the payload of a push notification: connects, and resolves with what the app must show. It never rejects, and resolves
   * within 15 seconds.
   */
  async handlePush(data: unknown): Promise<PushOutcome> {
    const { data: push } = pushPayload.safeParse(data);
    switch (push?.type) {
      case 'call.incoming':
        return this.#onIncoming(push);
      case 'call.withdrawn':
        return this.#onWithdrawn(push);
      case 'call.missed':
        return { kind: 'missed', push };
      case 'test':
        return { kind: 'ignored', reason: 'test' };
      case undefined:
        return { kind: 'ignored', reason: 'unknown' };
    }
  }

  /**
   * The user accepted a call, perhaps before the app was connected: waits for the connection and accepts it, or rejects.
   * @throws CallOverError the call cannot be answered any more
   * @throws ClarionError microphone_blocked, microphone_unavailable, media_failed
   */
  acceptPushed(callId: number): Promise<Call> {
    const known = this.#accepting.get(callId);
    if (known) return known;
    this.#ringing.delete(callId); // a later offer is to ring again
    const accepting = this.#accept(callId).finally(() => this.#accepting.delete(callId));
    this.#accepting.set(callId, accepting);
    return accepting;
  }

  /**
   * The user declined a call, perhaps before the app was connected. Has no effect if the call does not ring any more.
   * @throws ClarionError connection_failed, and others of `connect`
   */
  async declinePushed(callId: number): Promise<void> {
    this.#ringing.delete(callId); // a later offer is to ring again
    const call = callOf(await this.#thatKnows(callId), callId);
    if (call?.state === 'incoming') await call.decline();
  }

  async #onIncoming(push: IncomingPushPayload): Promise<PushOutcome> {
    const callId = Number(push.callId);
    if (this.#handling.has(callId) || this.#isShown(callId)) return { kind: 'ignored', reason: 'duplicate' };
    this.#handling.add(callId);
    try {
      const { agent } = await this.#fresh(PUSH_LIMIT_MS);
      const outcome = outcomeOf(push, agent);
      if (outcome.kind === 'ringing') this.#ringing.set(callId, outcome.call);
      return outcome;
    } catch (error) {
      return { kind: 'over', callId, reason: 'unreachable', error: clarionError(error) };
    } finally {
      this.#handling.delete(callId);
    }
  }

  async #onWithdrawn(push: PushPayload & { type: 'call.withdrawn' }): Promise<PushOutcome> {
    const callId = Number(push.callId);
    const rings = () => callOf(this.#connection, callId)?.state === 'incoming';
    // The push notification may be late, and the call may ring again; or the connection may be dead.
    const again = rings() && (await this.#fresh(WITHDRAWAL_LIMIT_MS).then(rings, () => false));
    if (again) return { kind: 'ignored', reason: 'superseded' };
    return { kind: 'over', callId, reason: withdrawn[push.reason] };
  }

  /** Whether an earlier push notification led to the ringing of this call, and it still rings. */
  #isShown(callId: number): boolean {
    const call = this.#ringing.get(callId);
    if (call?.state === 'incoming' && this.agent?.calls.includes(call)) return true;
    this.#ringing.delete(callId);
    return false;
  }

  async #accept(callId: number): Promise<Call> {
    let connection = await this.#thatKnows(callId).catch(unreachable);
    for (let attempt = 1; ; attempt += 1) {
      const call = callOf(connection, callId);
      if (!call) throw new CallOverError('ended');
      if (call.elsewhere) throw new CallOverError('answered-elsewhere');
      try {
        if (call.state === 'incoming') await call.accept();
        else if (!call.here) await call.resume();
        return call;
      } catch (error) {
        const reason = overAfterRejection(error) ?? (callOf(connection, callId) === call ? null : 'ended');
        if (reason) throw new CallOverError(reason, error);
        if (attempt === ACCEPT_ATTEMPTS || !isLost(error)) throw error;
      }
      // The service may have received the accept: the new state shows it.
      connection = await this.#fresh(PUSH_LIMIT_MS).catch(unreachable);
    }
  }

  /** A connection that knows whether the call rings: the current one, if the call rings there. */
  async #thatKnows(callId: number): Promise<Connection> {
    const current = this.#connection;
    const rings = callOf(current, callId)?.state === 'incoming';
    return current && rings && current.link.state === 'connected' ? current : this.#fresh(PUSH_LIMIT_MS);
  }

  /** A connection with a state that the service has sent after now. */
  async #fresh(limitMs: number): Promise<Connection> {
    const current = this.#connection;
    if (!current || current.link.state === 'disconnected') return within(limitMs, this.#open());
    const { link } = current;
    const session = nextSession(link, limitMs);
    if (link.state !== 'connected') {
      link.retryNow();
      await session;
      return current;
    }
    link.request('resync', {}).catch(() => undefined); // without a response, the connection is replaced
    const timer = setTimeout(() => link.renew(), RESYNC_LIMIT_MS);
    await session.finally(() => clearTimeout(timer));
    return current;
  }

  #open(): Promise<Connection> {
    const current = this.#connection;
    if (current && current.link.state !== 'disconnected') return Promise.resolve(current);
    if (this.#opening) return this.#opening;
    const opening = this.#openNew(this.#session.signal).finally(() => {
      if (this.#opening === opening) this.#opening = null;
    });
    return (this.#opening = opening);
  }

  async #openNew(signal: AbortSignal): Promise<Connection> {
    const { url, getToken, webrtc, onAgent } = this.#options;
    const deviceId = await this.deviceId();
    if (signal.aborted) throw new ClarionError('disconnected', 'The agent is disconnected.');
    this.#connection?.agent.disconnect(); // the service rejected it; a live call continues with the new one
    const link = new SocketLink({ url, getToken, deviceId, sdk: SDK });
    const agent = new AgentBase({
      link,
      deviceId,
      platform: appPlatform(webrtc),
      playRemoteAudio: false,
      microphoneWhileRinging: false,
    });
    const abort = () => agent.disconnect();
    signal.addEventListener('abort', abort);
    try {
      await nextSession(link);
    } catch (error) {
      agent.disconnect();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
    const connection = (this.#connection = { link, agent });
    onAgent?.(agent);
    // In a later task, so that listeners added right after `await connect()` receive all events.
    setTimeout(() => agent.begin());
    return connection;
  }
}

/** An accept whose response was lost is tried once more, if the call still rings. */
const ACCEPT_ATTEMPTS = 2;

const callOf = (connection: Connection | null, callId: number): Call | undefined =>
  connection?.agent.calls.find(({ id }) => id === callId);

const isLost = (error: unknown) =>
  error instanceof ClarionError && (error.code === 'connection_lost' || error.code === 'request_timeout');

function unreachable(error: unknown): never {
  throw new CallOverError('unreachable', error);
}

const clarionError = (error: unknown): ClarionError =>
  error instanceof ClarionError
    ? error
    : new ClarionError('connection_failed', 'The app could not connect.', { cause: error });

function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ClarionError('connection_failed', 'The service could not be reached in time.')),
      limitMs,
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
