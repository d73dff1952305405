/**
 * A small, scripted fake of the service: real sockets with the contract of @clarion/protocol, and audio negotiated with a second page
 * of the same browser. Without a browser, there is no audio, and the peer connections of the test accept any answer.
 */
import { createServer, type Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { Server as SocketServer, type Socket } from 'socket.io';
import type { Browser, Page } from 'playwright-core';
import { aCall } from '@clarion/testkit/agents/a-call';
import {
  clientMessages,
  type Ack,
  type AgentCall,
  type BoardCall,
  type ClientMessage,
  type ClientPayload,
  type ClientReplies,
  type ClientToServer,
  type IceServer,
  type MonitorState,
  type ServerMessages,
  type ServerToClient,
  type Session,
} from '@clarion/protocol/socket';

type AgentSocket = Socket<ClientToServer, ServerToClient>;
export type Handler = <M extends ClientMessage>(
  message: M,
  payload: ClientPayload<M>,
  socket: AgentSocket,
) => Promise<Ack<ClientReplies[M]>> | Ack<ClientReplies[M]>;

export interface Received {
  message: ClientMessage;
  /** Unix time in milliseconds. */
  at: number;
  payload: Record<string, unknown>;
}

/** One agent with one call at a time. The call is stored here, so that it is in the session after a reload. */
export class TestService {
  readonly received: Received[] = [];
  readonly tokens: string[] = [];
  call: AgentCall | null = null;
  expiresAt = new Date(Date.now() + 60_000).toISOString();
  refuse: { code: string; message: string } | null = null;
  /** Messages are received meanwhile, and processed in order once it is resolved. */
  busy: Promise<void> = Promise.resolve();
  /** A new socket gets the session of its connection when this is resolved. */
  sessionsWait: Promise<void> = Promise.resolve();
  /** The contents of the board, and the monitors. */
  board: BoardCall[] = [];
  monitors: MonitorState[] = [];
  /** Sent in every session and in `ice:servers`. */
  iceServers: IceServer[] = [];
  /** Scripts that this service serves next to the SDK, by path. */
  readonly scripts: Map<string, string>;
  /** Sent in every session; null: the account has not set up web push. */
  webPushKey: string | null = null;
  #monitorIds = 0;
  readonly #http: Server;
  readonly #io: SocketServer<ClientToServer, ServerToClient>;
  readonly #media: Page | null;
  #waiting: { message: ClientMessage; resolve: (received: Received) => void }[] = [];

  private constructor(
    http: Server,
    io: SocketServer<ClientToServer, ServerToClient>,
    media: Page | null,
    scripts: Map<string, string>,
  ) {
    this.scripts = scripts;
    this.#http = http;
    this.#io = io;
    this.#media = media;
  }

  static async start(browser: Browser, sdkFile: string): Promise<TestService> {
    const sdk = await readFile(sdkFile, 'utf8');
    const service = await TestService.open(await browser.newPage(), new Map([['/sdk.js', sdk]]));
    await service.#media?.goto(service.url);
    return service;
  }

  static withoutAudio(): Promise<TestService> {
    return TestService.open(null, new Map());
  }

  private static async open(media: Page | null, scripts: Map<string, string>): Promise<TestService> {
    const http = createServer((request, response) => {
      const script = scripts.get(request.url ?? '');
      if (script !== undefined) return response.setHeader('Content-Type', 'text/javascript').end(script);
      response
        .setHeader('Content-Type', 'text/html')
        .end('<!doctype html><title>t</title><script src="/sdk.js"></script>');
    });
    const io = new SocketServer<ClientToServer, ServerToClient>(http, { addTrailingSlash: false });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const service = new TestService(http, io, media, scripts);
    io.of('/agent').use((socket, next) => {
      service.tokens.push(String(socket.handshake.auth['token']));
      if (!service.refuse) return next();
      next(Object.assign(new Error(service.refuse.message), { data: service.refuse }));
    });
    io.of('/agent').on('connection', (socket) => service.#serve(socket));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get sockets(): number {
    return this.#io.of('/agent').sockets.size;
  }

  /** Resolves with the next message of this name, or one received since the last `forget()`. */
  async next(message: ClientMessage): Promise<Received> {
    const already = this.received.find((one) => one.message === message);
    if (already) return already;
    return new Promise((resolve) => this.#waiting.push({ message, resolve }));
  }

  forget(): void {
    this.received.length = 0;
  }

  offer(call: AgentCall): void {
    this.call = call;
    this.#io.of('/agent').emit('call:incoming', {
      call,
      assignmentType: call.assignmentType ?? 'QUEUE',
      expiresAt: this.expiresAt,
    });
  }

  withdraw(reason: 'CANCELLED' | 'TIMEOUT'): void {
    const callId = this.call?.callId ?? 0;
    this.call = null;
    this.#io.of('/agent').emit('call:withdrawn', { callId, reason });
  }

  change(change: Partial<AgentCall>): AgentCall {
    this.call = { ...(this.call ?? aCall()), ...change };
    this.#io
      .of('/agent')
      .emit(this.call.state === 'ended' ? 'call:ended' : 'call:updated', { call: this.call });
    return this.call;
  }

  /** Sends a message to every socket. */
  say<M extends keyof ServerMessages>(message: M, payload: ServerMessages[M]): void {
    // TypeScript loses the tuple type of the map with a generic message name.
    (this.#io.of('/agent') as { emit(name: string, payload: unknown): unknown }).emit(message, payload);
  }

  /** Closes every socket, like a restart of the service. */
  drop(): void {
    for (const socket of this.#io.of('/agent').sockets.values()) socket.conn.close();
  }

  async close(): Promise<void> {
    await this.#media?.close();
    await this.#io.close();
  }

  #session(): Session {
    return {
      agent: {
        agentId: 7,
        agentRef: 'ada',
        name: 'Ada',
        role: 'AGENT',
        availability: 'AVAILABLE',
        shift: 'AVAILABLE',
        doNotDisturb: false,
        wrapUpUntil: null,
      },
      tenant: { ref: 'demo', name: 'Demo', teamView: true, monitoringModes: ['LISTEN'] },
      calls: this.call && this.call.state !== 'ended' ? [this.call] : [],
      expiries: this.call?.state === 'incoming' ? { [this.call.callId]: this.expiresAt } : {},
      queues: [],
      lines: [],
      iceServers: this.iceServers,
      serverTime: new Date().toISOString(),
      monitors: this.monitors,
      webPushKey: this.webPushKey,
    };
  }

  #serve(socket: AgentSocket): void {
    const session = this.#session();
    void this.sessionsWait.then(() => socket.emit('session', session));
    for (const message of Object.keys(clientMessages) as ClientMessage[]) {
      socket.on(message, (async (payload: unknown, ack: (reply: unknown) => void) => {
        const parsed = clientMessages[message].parse(payload);
        const received = { message, at: Date.now(), payload: parsed };
        this.received.push(received);
        await this.busy;
        ack(await this.#reply(message, parsed, socket));
        const waiting = this.#waiting.filter((one) => one.message === message);
        this.#waiting = this.#waiting.filter((one) => one.message !== message);
        for (const { resolve } of waiting) resolve(received);
      }) as never);
    }
  }

  async #reply(
    message: ClientMessage,
    payload: Record<string, unknown>,
    socket: AgentSocket,
  ): Promise<unknown> {
    const deviceId = String(socket.handshake.auth['deviceId']);
    const callId = Number(payload['callId'] ?? 0);
    switch (message) {
      case 'call:start':
        this.call = aCall({
          callId,
          direction: 'OUTBOUND',
          state: 'dialing',
          deviceId,
          assignmentType: null,
        });
        return this.#agreed(payload);
      case 'call:accept':
        if (this.call?.callId !== callId)
          return { ok: false, error: { code: 'call_ended', message: 'The call has already ended.' } };
        if (this.call.state !== 'incoming')
          return { ok: false, error: { code: 'invalid_state', message: 'The call is no longer ringing.' } };
        this.call = { ...this.call, state: 'active', deviceId, answeredAt: new Date().toISOString() };
        this.#withdrawFromOthers(callId, deviceId);
        return this.#agreed(payload);
      case 'call:resume':
        if (this.call?.callId !== callId || this.call.state === 'ended')
          return { ok: false, error: { code: 'call_ended', message: 'The call has already ended.' } };
        this.call = { ...this.call, deviceId };
        return this.#agreed(payload);
      case 'call:mute':
        return { ok: true, call: this.change({ muted: payload['muted'] === true }) };
      case 'call:hold':
        return { ok: true, call: this.change({ held: payload['held'] === true }) };
      case 'call:transfer': {
        const to =
          'agentId' in payload ? { kind: 'agent' as const, agentId: Number(payload['agentId']) } : null;
        const since = new Date().toISOString();
        const transfer = to && { to: { ...to, name: 'Bob' }, since };
        return { ok: true, call: this.change({ transfer, transferFailed: null }) };
      }
      case 'call:transfer-cancel':
        return { ok: true, call: this.change({ transfer: null, transferFailed: 'CANCELLED' }) };
      case 'colleagues:list': {
        const bob = { agentId: 8, agentRef: 'bob', name: 'Bob', connected: true, availability: 'AVAILABLE' };
        const queue = { queueId: 3, ref: 'sales', name: 'Sales', waiting: 1, available: 0 };
        return { ok: true, agents: [bob], queues: [queue] };
      }
      case 'call:hangup':
        this.change({
          state: 'ended',
          endedAt: new Date().toISOString(),
          terminationReason: 'COMPLETED',
          terminatedBy: 'AGENT',
        });
        return { ok: true };
      case 'call:decline':
        this.withdraw('CANCELLED');
        return { ok: true };
      case 'availability:set': {
        const { agent } = this.#session();
        return { ok: true, agent: { ...agent, availability: payload['status'], shift: payload['status'] } };
      }
      case 'ice:servers':
        return { ok: true, iceServers: this.iceServers };
      case 'resync':
        socket.emit('session', this.#session());
        return { ok: true };
      case 'monitor:start': {
        const [{ mode }, monitorId] = [
          clientMessages[message].parse(payload),
          `ear-${(this.#monitorIds += 1)}`,
        ];
        for (const one of this.monitors) this.say('monitor:ended', { ...one, reason: 'REPLACED' });
        this.monitors = [{ callId, monitorId, deviceId, mode }];
        return { ...(await this.#agreed(payload)), monitorId, mode };
      }
      case 'monitor:mode': {
        const { mode } = clientMessages[message].parse(payload);
        this.monitors = this.monitors.map((one) => ({ ...one, mode }));
        return { ok: true, mode };
      }
      case 'monitor:stop':
        this.monitors = [];
        return { ok: true };
      case 'board:subscribe':
        await socket.join('board');
        return { ok: true, calls: this.board, queues: [], agents: [] };
      case 'board:unsubscribe':
        await socket.leave('board');
        return { ok: true };
      case 'call:dtmf':
      case 'push:subscribe':
      case 'push:unsubscribe':
        return { ok: true };
    }
  }

  #withdrawFromOthers(callId: number, deviceId: string): void {
    for (const socket of this.#io.of('/agent').sockets.values())
      if (socket.handshake.auth['deviceId'] !== deviceId)
        socket.emit('call:withdrawn', { callId, reason: 'ANSWERED_ELSEWHERE' });
  }

  /** The other end: it sends a tone to the agent and measures the agent's audio. */
  async #agreed(
    payload: Record<string, unknown>,
  ): Promise<{ ok: true; sdpAnswer: string; call: AgentCall | null }> {
    if (!this.#media) return { ok: true, sdpAnswer: 'v=0', call: this.call };
    const sdpAnswer = await this.#media.evaluate(async (sdp) => {
      const page = window as typeof window & { peer?: RTCPeerConnection };
      page.peer?.close();
      const peer = (page.peer = new RTCPeerConnection());
      const context = new AudioContext();
      const output = context.createMediaStreamDestination();
      const tone = context.createOscillator();
      tone.connect(output);
      tone.start();
      // A browser decodes only audio that is played.
      peer.addEventListener('track', ({ track }) => {
        const listener = new Audio();
        listener.srcObject = new MediaStream([track]);
        void listener.play();
      });
      peer.addTrack(output.stream.getAudioTracks()[0] as MediaStreamTrack, output.stream);
      await peer.setRemoteDescription({ type: 'offer', sdp });
      await peer.setLocalDescription();
      await new Promise<void>((resolve) => {
        if (peer.iceGatheringState === 'complete') return resolve();
        peer.addEventListener(
          'icegatheringstatechange',
          () => peer.iceGatheringState === 'complete' && resolve(),
        );
      });
      return peer.localDescription?.sdp ?? '';
    }, String(payload['sdpOffer']));
    return { ok: true, sdpAnswer, call: this.call };
  }

  /** The media node fails: its peer disappears without notice. */
  async killMedia(): Promise<void> {
    await this.#media?.evaluate(() => (window as typeof window & { peer?: RTCPeerConnection }).peer?.close());
  }

  /** The total energy of the agent's audio received so far (WebRTC statistics). */
  async heardEnergy(): Promise<number> {
    if (!this.#media) return 0;
    return this.#media.evaluate(async () => {
      const { peer } = window as typeof window & { peer?: RTCPeerConnection };
      for (const stat of (await peer?.getStats())?.values() ?? [])
        if (stat.type === 'inbound-rtp') return Number(stat.totalAudioEnergy ?? 0);
      return 0;
    });
  }
}
