/** An agent's app without a browser: the agent socket as its protocol defines it, with audio by `WebRtcLeg`. */
import { EventEmitter, once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { io, type Socket } from 'socket.io-client';
import {
  agentNamespace,
  type Ack,
  type AgentCall,
  type ClientMessage,
  type ClientPayload,
  type ClientReplies,
  type ClientToServer,
  type ServerToClient,
  type Session,
} from '@clarion/protocol/socket';
import type { Law } from '@clarion/test-phone/rtp/g711';
import { WebRtcLeg } from './webrtc-leg.ts';

const ACK_TIMEOUT_MS = 10_000;
const WAIT_MS = 10_000;
/** The delays of the SDK while the service restarts (backoff.ts). */
const RECONNECT_FIRST_MS = 500;
const RECONNECT_MOST_MS = 1_000;

export interface Received {
  at: number;
  event: string;
  payload: { call?: AgentCall; callId?: number; [key: string]: unknown };
}

export class RefusedMessage extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export class ScriptedAgent {
  readonly socket: Socket<ServerToClient, ClientToServer>;
  readonly received: Received[] = [];
  readonly legs = new Map<number, WebRtcLeg>();
  readonly law: Law;
  session: Session | null = null;
  #closed = false;
  /** The audio of the calls that this agent has accepted, started or resumed. */
  readonly #taken = new Set<number>();
  readonly #arrivals = new EventEmitter().setMaxListeners(0);

  private constructor(socket: Socket<ServerToClient, ClientToServer>, law: Law) {
    this.socket = socket;
    this.law = law;
    socket.on('session', (session) => (this.session = session));
    socket.onAny((event: string, payload: Received['payload']) => {
      this.received.push({ at: performance.now(), event, payload });
      if (event === 'call:ended') this.#drop(payload.call?.callId);
      this.#arrivals.emit('any');
    });
  }

  /** Resolves with the first `session`. Rejects with the server's error if it refuses the token. */
  static async connect(options: {
    url: string;
    token: string | (() => string);
    deviceId?: string;
    law?: Law;
    reconnect?: boolean;
  }): Promise<ScriptedAgent> {
    const { url, token, deviceId = 'scripted', law = 'PCMA', reconnect = false } = options;
    const socket: Socket<ServerToClient, ClientToServer> = io(`${url}${agentNamespace}`, {
      path: '/socket.io',
      addTrailingSlash: false,
      transports: ['websocket'],
      forceNew: true,
      reconnection: reconnect,
      reconnectionDelay: RECONNECT_FIRST_MS,
      reconnectionDelayMax: RECONNECT_MOST_MS,
      auth: (give) => give({ token: typeof token === 'string' ? token : token(), deviceId, sdk: 'testkit' }),
    });
    const agent = new ScriptedAgent(socket, law);
    if (reconnect) agent.#reconnectWhenClosed();
    const refused = new Promise<never>((_, reject) => {
      socket.on('connect_error', reject);
      socket.on('error', ({ code, message }) => reject(new RefusedMessage(code, message)));
    });
    try {
      await Promise.race([agent.waitFor((each) => each.event === 'session'), refused]);
    } catch (error) {
      socket.close();
      throw error;
    }
    return agent;
  }

  /** socket.io does not reconnect after the server closed or refused a socket, so this does, as the SDK does. */
  #reconnectWhenClosed(): void {
    const { socket } = this;
    const later = () => setTimeout(() => this.#closed || socket.connect(), RECONNECT_FIRST_MS);
    socket.on('disconnect', (reason) => reason === 'io server disconnect' && later());
    socket.on('connect_error', () => socket.active || later());
  }

  /** Sends a message. Rejects with `RefusedMessage` if the ack contains an error. */
  async send<M extends ClientMessage>(message: M, payload: ClientPayload<M>): Promise<ClientReplies[M]> {
    const socket: Socket = this.socket;
    const reply: Ack<ClientReplies[M]> = await socket.timeout(ACK_TIMEOUT_MS).emitWithAck(message, payload);
    if (!reply.ok) throw new RefusedMessage(reply.error.code, reply.error.message);
    return reply;
  }

  available(): Promise<ClientReplies['availability:set']> {
    return this.send('availability:set', { status: 'AVAILABLE' });
  }

  /** The next offer, or the one that is already ringing. */
  async incoming(timeoutMs = WAIT_MS): Promise<AgentCall> {
    const isOver = (callId: number) =>
      this.#taken.has(callId) ||
      this.received.some(({ event, payload }) => event === 'call:withdrawn' && payload.callId === callId);
    const isOpen = ({ event, payload: { call } }: Received) =>
      event === 'call:incoming' && call !== undefined && !isOver(call.callId);
    const { payload } = await this.waitFor(isOpen, timeoutMs);
    return payload.call as AgentCall;
  }

  accept(callId: number): Promise<WebRtcLeg> {
    return this.#connect('call:accept', callId);
  }
  /** Accepts without ever sending audio, as behind a firewall or without permission for the microphone. */
  async acceptWithoutAudio(callId: number): Promise<void> {
    const leg = new WebRtcLeg(this.law);
    this.#taken.add(callId);
    await this.send('call:accept', { callId, sdpOffer: await leg.offer() });
    leg.close();
  }
  start(callId: number): Promise<WebRtcLeg> {
    return this.#connect('call:start', callId);
  }
  resume(callId: number): Promise<WebRtcLeg> {
    return this.#connect('call:resume', callId);
  }
  async hangUp(callId: number): Promise<void> {
    await this.send('call:hangup', { callId });
  }

  /** The first matching message, past or future. */
  async waitFor(fits: (received: Received) => boolean, timeoutMs = WAIT_MS): Promise<Received> {
    const signal = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const found = this.received.find(fits);
      if (found) return found;
      await once(this.#arrivals, 'any', { signal }).catch(() => {
        const events = this.received.map(({ event }) => event).join(', ') || 'nothing';
        throw new Error(`the agent received no matching message within ${timeoutMs} ms, only ${events}`);
      });
    }
  }

  close(): void {
    this.#closed = true;
    this.socket.close();
    for (const leg of this.legs.values()) leg.close();
    this.legs.clear();
  }

  async #connect(message: 'call:accept' | 'call:start' | 'call:resume', callId: number): Promise<WebRtcLeg> {
    const leg = new WebRtcLeg(this.law);
    this.#taken.add(callId);
    this.legs.set(callId, leg);
    try {
      const { sdpAnswer } = await this.send(message, { callId, sdpOffer: await leg.offer() });
      await leg.accept(sdpAnswer);
      return leg;
    } catch (error) {
      this.#drop(callId);
      throw error;
    }
  }

  #drop(callId: number | undefined): void {
    if (callId === undefined) return;
    this.legs.get(callId)?.close();
    this.legs.delete(callId);
  }
}
