/**
 * A media node without media: it implements protocol/media.ts over a real socket and keeps legs in a map. By default every command
 * succeeds; a test triggers everything else. Like the real node, it repeats each fact until it is acknowledged.
 */
import { randomUUID } from 'node:crypto';
import { mediaAuthorization, mediaCommands, mediaNamespace, mediaSocketPath } from '@clarion/protocol/media';
import type {
  InviteDecision,
  InviteRequest,
  LegEnd,
  LegKind,
  LegStats,
  LegSummary,
  MediaAck,
  MediaCommand,
  MediaCommandPayload,
  MediaFact,
  MediaFactPayload,
  MediaToRealtime,
  RealtimeToMedia,
  Source,
  TrunkTarget,
} from '@clarion/protocol/media';
import type {
  CarrierReply,
  CheckupFacts,
  OptionsReply,
  RegisterReply,
} from '@clarion/protocol/carrier-requests';
import type { LadderMessage } from '@clarion/protocol/ladder';
import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import { inviteRequest } from './invite-request.ts';

const FACT_ACK_TIMEOUT_MS = 1_000;
const FACT_RETRY_MS = 50;
const INVITE_TIMEOUT_MS = 5_000;
const WAIT_TIMEOUT_MS = 10_000;

/** An SDP offer that this node refuses. */
export const unanswerableOffer = 'no SDP at all';

type Command = { [C in MediaCommand]: { command: C; payload: MediaCommandPayload<C> } }[MediaCommand];
type FakeLeg = LegSummary;

export interface FakeMediaOptions {
  /** The URL of each realtime node. */
  urls: string[];
  secret: string;
  nodeId?: string;
  /** What happens after a command is acknowledged; a test may replace it. */
  behaviour?: Partial<FakeBehaviour>;
}

export interface FakeBehaviour {
  /** Default: the agent's leg connects immediately. */
  onAgentConnect: (media: FakeMedia, payload: MediaCommandPayload<'agent:connect'>) => void;
  /** Default: the carrier acknowledges immediately. */
  onAnswer: (media: FakeMedia, payload: MediaCommandPayload<'carrier:answer'>) => void;
  /** Default: nothing; the test decides what the customer does. */
  onDial: (media: FakeMedia, payload: MediaCommandPayload<'carrier:dial'>) => void;
  /** Default: the path to the WhatsApp customer is connected at once. */
  onOpen: (media: FakeMedia, payload: MediaCommandPayload<'whatsapp:open'>) => void;
}

const usual: FakeBehaviour = {
  onAgentConnect: (media, { callId, legId }) => media.connected(callId, legId),
  onAnswer: (media, { callId, legId }) => media.connected(callId, legId),
  onDial: () => undefined,
  onOpen: (media, { callId, legId }) => media.connected(callId, legId),
};

/** The end of a leg, with defaults. */
export const legEndOf = (cause: LegEnd['cause'], more: Partial<LegEnd> = {}): LegEnd => ({
  cause,
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: cause,
  ...more,
});

/** The statistics of a leg, with defaults. */
export const legStatsOf = (more: Partial<LegStats> = {}): LegStats => ({
  codec: 'PCMA',
  durationMs: 20_000,
  receivedPackets: 1_000,
  lostPackets: 0,
  jitterMs: 2,
  roundTripMs: null,
  sentPackets: 1_000,
  remoteLossPercent: null,
  ...more,
});

/** A valid SDP of ICE, DTLS and Opus without anything behind it; the same for the same leg. */
export const sdpOfFakeLeg = (setup: 'actpass' | 'active', legId: string): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE audio',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111 126',
    'c=IN IP4 0.0.0.0',
    'a=mid:audio',
    `a=ice-ufrag:${Buffer.from(legId).toString('hex').slice(-8)}`,
    'a=ice-pwd:abcdefghijklmnopqrstuv',
    `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
    `a=setup:${setup}`,
    'a=rtcp-mux',
    'a=rtpmap:111 opus/48000/2',
    'a=rtpmap:126 telephone-event/8000',
    '',
  ].join('\r\n');

/** What a carrier responds outside a call. */
export interface FakeCarrier {
  ping: (target: TrunkTarget) => OptionsReply | 'sip down';
  /** @param expiresSeconds 0: unregister */
  register: (target: TrunkTarget, expiresSeconds: number) => RegisterReply | 'sip down';
  checkup: (target: TrunkTarget) => CheckupFacts | 'sip down';
}

/** A carrier's 200, with changes. */
export const carrierReplyOf = (target: TrunkTarget, more: Partial<CarrierReply> = {}): CarrierReply => ({
  target: `sip:${target.host}:${target.port};transport=${target.transport.toLowerCase()}`,
  address: target.host,
  status: 200,
  reason: 'OK',
  rttMs: 5,
  error: null,
  code: null,
  digest: 'none',
  via: { announced: '127.0.0.1', received: null, rport: null },
  ...more,
});
export const optionsReplyOf = (target: TrunkTarget, more: Partial<OptionsReply> = {}): OptionsReply => ({
  ...carrierReplyOf(target),
  allow: [],
  codecs: null,
  ...more,
});
export const registerReplyOf = (target: TrunkTarget, more: Partial<RegisterReply> = {}): RegisterReply => ({
  ...carrierReplyOf(target),
  expiresSeconds: null,
  minExpiresSeconds: null,
  retryAfterSeconds: null,
  ...more,
});
export const checkupFactsOf = (target: TrunkTarget, more: Partial<CheckupFacts> = {}): CheckupFacts => ({
  at: new Date().toISOString(),
  names: [{ host: target.host, addresses: [target.host], refused: [], srv: null, error: null }],
  connection: null,
  certificate: null,
  options: optionsReplyOf(target),
  registrar: null,
  ...more,
});

/** A carrier that is up and grants every registration. */
const usualCarrier: FakeCarrier = {
  ping: (target) => optionsReplyOf(target),
  register: (target, expiresSeconds) => registerReplyOf(target, { expiresSeconds }),
  checkup: (target) => checkupFactsOf(target),
};

export class FakeMedia {
  readonly nodeId: string;
  /** What carriers respond outside calls; a test may replace it. */
  readonly carrier: FakeCarrier = { ...usualCarrier };
  /** Every command received, oldest first. */
  readonly commands: Command[] = [];
  readonly legs = new Map<string, FakeLeg>();
  behaviour: FakeBehaviour;
  /** The statistics that a leg reports when it ends. */
  statsOf: (kind: LegKind) => LegStats | null = () => null;
  /** How far the wall clock of this node's host is ahead of the real time. */
  clockSkewMs = 0;
  /** False: as a media node of an earlier version, which sent only its wall-clock time. */
  sendsAge = true;
  readonly #sockets: Socket<RealtimeToMedia, MediaToRealtime>[];
  /** Sockets whose realtime node has acknowledged the list of legs. */
  readonly #introduced = new Set<Socket<RealtimeToMedia, MediaToRealtime>>();
  readonly #watchers = new Set<() => void>();
  readonly #revisions = new Map<number, number>();
  #closed = false;
  #pressedAt = 0;

  constructor({ urls, secret, nodeId, behaviour }: FakeMediaOptions) {
    this.nodeId = nodeId ?? `fake-${randomUUID()}`;
    this.behaviour = { ...usual, ...behaviour };
    const auth = { nodeId: this.nodeId, startedAt: new Date().toISOString(), capacity: 1_000 };
    this.#sockets = urls.map((url) => {
      const socket: Socket<RealtimeToMedia, MediaToRealtime> = io(`${url}${mediaNamespace}`, {
        path: mediaSocketPath,
        addTrailingSlash: false,
        extraHeaders: { authorization: mediaAuthorization(secret) },
        auth,
        forceNew: true,
        transports: ['websocket'],
        reconnectionDelay: FACT_RETRY_MS,
        reconnectionDelayMax: 4 * FACT_RETRY_MS,
      });
      socket.on('connect', () => {
        socket.emit('legs', [...this.legs.values()], () => {
          this.#introduced.add(socket);
          this.#changed();
        });
      });
      for (const command of Object.keys(mediaCommands) as MediaCommand[]) this.#serve(socket, command);
      return socket;
    });
  }

  /** Resolves once every realtime node has acknowledged the list of legs; the real node waits for this too. */
  async ready(): Promise<this> {
    await this.until(
      () => (this.#introduced.size === this.#sockets.length ? true : undefined),
      'every realtime node',
    );
    return this;
  }

  /** @returns whether realtime has stored them */
  async sendLadders(ladders: LadderMessage[]): Promise<boolean> {
    const socket = this.#sockets.find(({ connected }) => connected);
    if (!socket) throw new Error('no realtime node is connected');
    return (await socket.timeout(FACT_ACK_TIMEOUT_MS).emitWithAck('ladders', ladders)).ok;
  }

  /** Requests a decision about an INVITE. An accepted call has its carrier leg from then on. */
  async invite(question: Partial<InviteRequest> & { requestUser: string }): Promise<{
    answer: InviteDecision;
    question: InviteRequest;
  }> {
    const whole = inviteRequest({
      mediaNodeId: this.nodeId,
      legId: `in-${randomUUID()}`,
      source: { address: '127.0.0.1', port: 5060, transport: 'UDP' },
      requestHost: '127.0.0.1',
      ...question,
    });
    const answer = await this.#anySocket().timeout(INVITE_TIMEOUT_MS).emitWithAck('invite', whole);
    if (answer.action === 'accept') {
      this.legs.set(whole.legId, {
        callId: answer.callId,
        legId: whole.legId,
        kind: 'carrier-in',
        state: 'RINGING',
      });
    }
    return { answer, question: whole };
  }

  /** An accepted inbound call. Rejects if realtime rejects it. */
  async ring(
    question: Partial<InviteRequest> & { requestUser: string },
  ): Promise<{ callId: number; legId: string }> {
    const { answer, question: asked } = await this.invite(question);
    if (answer.action !== 'accept') throw new Error(`refused: ${answer.status} ${answer.reason}`);
    return { callId: answer.callId, legId: asked.legId };
  }

  /** Reports a fact until a realtime node acknowledges it. */
  async fact<F extends MediaFact>(fact: F, payload: MediaFactPayload<F>): Promise<void> {
    const message = { factId: randomUUID(), fact, payload };
    const age = this.#now().getTime() - Date.parse(payload.at);
    const happenedMs = performance.now() - (Number.isNaN(age) ? 0 : Math.max(0, age));
    while (!this.#closed) {
      const socket = this.#sockets.find(({ connected }) => connected);
      try {
        if (socket) {
          const clockMs = performance.now();
          const timed = this.sendsAge
            ? { ...message, sent: { clockMs, ageMs: clockMs - happenedMs } }
            : message;
          const { ok } = await socket.timeout(FACT_ACK_TIMEOUT_MS).emitWithAck('fact', timed);
          if (ok) return;
        }
      } catch {
        // not acknowledged: repeated to any connected node
      }
      await new Promise((resolve) => setTimeout(resolve, FACT_RETRY_MS));
    }
  }

  #now(): Date {
    return new Date(Date.now() + this.clockSkewMs);
  }

  /** @param trunkId of the dial attempt that was answered */
  connected(callId: number, legId: string, trunkId?: number): void {
    const leg = this.legs.get(legId);
    if (leg) leg.state = 'CONNECTED';
    const at = this.#now().toISOString();
    void this.fact('leg:connected', { callId, legId, at, codec: 'PCMA', ...(trunkId && { trunkId }) });
  }

  /** @param trunkId of the dial attempt that reached the called phone */
  ringing(callId: number, legId: string, trunkId?: number): void {
    const at = this.#now().toISOString();
    void this.fact('leg:ringing', { callId, legId, at, ...(trunkId && { trunkId }) });
  }

  /** The far end presses these keys in order. */
  async pressed(callId: number, legId: string, digits: string): Promise<void> {
    for (const digit of digits) {
      // A separate clock, because two keys of a test may be pressed in the same millisecond, which cannot happen on a phone.
      this.#pressedAt = Math.max(this.#pressedAt + 1, Date.now());
      const at = new Date(this.#pressedAt).toISOString();
      await this.fact('leg:dtmf', { callId, legId, at, digit });
    }
  }

  /** A source that does not loop was played to its end, or could not be played. */
  async played(callId: number, legId: string, playId: string, played = true): Promise<void> {
    await this.fact('leg:played', { callId, legId, at: this.#now().toISOString(), playId, played });
  }

  /** The sources of a leg in the newest matching route. Waits for one. */
  async hears(
    callId: number,
    legId: string,
    fits: (sources: Source[]) => boolean = () => true,
  ): Promise<Source[]> {
    const { route } = await this.command('call:route', callId, (payload) => fits(payload.route[legId] ?? []));
    return route[legId] ?? [];
  }

  /** The leg has ended, for a reason at the far end or at this node. */
  ended(callId: number, legId: string, end: LegEnd, at = this.#now()): void {
    const kind = this.legs.get(legId)?.kind ?? 'carrier-in';
    this.legs.delete(legId);
    this.#changed();
    const stats = this.statsOf(kind);
    void this.fact('leg:ended', { callId, legId, kind, at: at.toISOString(), end, stats });
  }

  /** The newest command of this kind for the call. Waits for one. */
  async command<C extends MediaCommand>(
    command: C,
    callId: number,
    fits: (payload: MediaCommandPayload<C>) => boolean = () => true,
  ): Promise<MediaCommandPayload<C>> {
    const isIt = (entry: Command): entry is Extract<Command, { command: C }> =>
      entry.command === command && 'callId' in entry.payload && entry.payload.callId === callId;
    return this.until(() => {
      const found = this.commands.findLast(
        (entry): entry is Extract<Command, { command: C }> =>
          isIt(entry) && fits(entry.payload as MediaCommandPayload<C>),
      );
      return found?.payload as MediaCommandPayload<C> | undefined;
    }, `${command} for call ${callId}`);
  }

  /** Waits until `look` returns a value. It is called again after each command and each change of a leg. */
  async until<T>(look: () => T | undefined, what: string): Promise<T> {
    const found = look();
    if (found !== undefined) return found;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#watchers.delete(watch);
        reject(new Error(`the fake media node never saw ${what}`));
      }, WAIT_TIMEOUT_MS);
      const watch = () => {
        const seen = look();
        if (seen === undefined) return;
        clearTimeout(timer);
        this.#watchers.delete(watch);
        resolve(seen);
      };
      this.#watchers.add(watch);
    });
  }

  legsOf(callId: number): FakeLeg[] {
    return [...this.legs.values()].filter((leg) => leg.callId === callId);
  }

  async released(callId: number): Promise<void> {
    await this.until(
      () => (this.legsOf(callId).length === 0 ? true : undefined),
      `the end of call ${callId}`,
    );
  }

  /** Closes the connections and reconnects with its present legs. */
  reconnect(): void {
    for (const socket of this.#sockets) socket.disconnect().connect();
  }

  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.disconnect();
  }

  #anySocket(): Socket<RealtimeToMedia, MediaToRealtime> {
    const socket = this.#sockets.find(({ connected }) => connected);
    if (!socket) throw new Error('no realtime node is connected');
    return socket;
  }

  #serve(socket: Socket<RealtimeToMedia, MediaToRealtime>, command: MediaCommand): void {
    const handler = (payload: unknown, ack: (reply: MediaAck<object>) => void) => {
      const entry = { command, payload: mediaCommands[command].parse(payload) } as Command;
      this.commands.push(entry);
      ack(this.#execute(entry));
      this.#changed();
    };
    // TypeScript cannot relate a generic command name to its payload in the command map.
    (socket as { on(name: string, handler: unknown): unknown }).on(command, handler);
  }

  #execute(entry: Command): MediaAck<object> {
    const unknownLeg = { ok: false, error: { code: 'unknown_leg', message: 'no such leg' } } as const;
    switch (entry.command) {
      case 'agent:connect': {
        const { callId, legId, replaces, as: kind = 'agent' } = entry.payload;
        if (entry.payload.sdpOffer === unanswerableOffer) {
          return { ok: false, error: { code: 'bad_sdp', message: 'not an SDP' } };
        }
        this.legs.set(legId, { callId, legId, kind, state: 'CONNECTING' });
        if (replaces) this.legs.delete(replaces);
        queueMicrotask(() => this.behaviour.onAgentConnect(this, entry.payload));
        return { ok: true, sdpAnswer: `answer to ${entry.payload.sdpOffer}` } as MediaAck<object>;
      }
      case 'carrier:dial': {
        const { callId, legId } = entry.payload;
        if (this.legs.has(legId)) return { ok: true };
        this.legs.set(legId, { callId, legId, kind: 'carrier-out', state: 'NEW' });
        queueMicrotask(() => this.behaviour.onDial(this, entry.payload));
        return { ok: true };
      }
      case 'carrier:answer':
        if (!this.legs.has(entry.payload.legId)) return unknownLeg;
        queueMicrotask(() => this.behaviour.onAnswer(this, entry.payload));
        return { ok: true };
      case 'whatsapp:offer':
      case 'whatsapp:answer':
        return this.#whatsAppLeg(entry);
      case 'whatsapp:remote':
        return this.legs.has(entry.payload.legId) ? { ok: true } : unknownLeg;
      case 'whatsapp:open': {
        const leg = this.legs.get(entry.payload.legId);
        if (!leg) return unknownLeg;
        if (leg.state !== 'CONNECTED') queueMicrotask(() => this.behaviour.onOpen(this, entry.payload));
        return { ok: true };
      }
      case 'carrier:reject':
      case 'leg:hangup': {
        const { callId, legId } = entry.payload;
        if (!this.legs.has(legId)) return unknownLeg;
        this.ended(callId, legId, legEndOf('local'));
        return { ok: true };
      }
      case 'call:release':
        for (const { callId, legId } of this.legsOf(entry.payload.callId)) {
          this.ended(callId, legId, legEndOf('local'));
        }
        return { ok: true };
      case 'call:route': {
        const { callId, revision } = entry.payload;
        if (this.legsOf(callId).length === 0) return unknownLeg;
        this.#revisions.set(callId, Math.max(revision, this.#revisions.get(callId) ?? 0));
        return { ok: true };
      }
      case 'leg:dtmf':
        return this.legs.has(entry.payload.legId) ? { ok: true } : unknownLeg;
      case 'trunk:ping':
        return this.#fromCarrier(this.carrier.ping(entry.payload.target));
      case 'trunk:register':
      case 'trunk:unregister': {
        const seconds = entry.command === 'trunk:register' ? entry.payload.expiresSeconds : 0;
        return this.#fromCarrier(this.carrier.register(entry.payload.target, seconds));
      }
      case 'trunk:checkup':
        return this.#fromCarrier(this.carrier.checkup(entry.payload.target));
    }
  }

  #fromCarrier(reply: object | 'sip down'): MediaAck<object> {
    if (reply !== 'sip down') return { ok: true, ...reply };
    return { ok: false, error: { code: 'capacity', message: 'the SIP server is not connected' } };
  }

  #whatsAppLeg(entry: Extract<Command, { command: 'whatsapp:offer' | 'whatsapp:answer' }>): MediaAck<object> {
    const { callId, legId } = entry.payload;
    if (entry.command === 'whatsapp:answer' && entry.payload.sdpOffer === unanswerableOffer) {
      return { ok: false, error: { code: 'bad_sdp', message: 'not an SDP' } };
    }
    const kind = entry.command === 'whatsapp:offer' ? 'carrier-out' : 'carrier-in';
    if (!this.legs.has(legId)) this.legs.set(legId, { callId, legId, kind, state: 'NEW' });
    const sdp = sdpOfFakeLeg(entry.command === 'whatsapp:offer' ? 'actpass' : 'active', legId);
    const reply = kind === 'carrier-out' ? { sdpOffer: sdp } : { sdpAnswer: sdp };
    return { ok: true, ...reply };
  }

  #changed(): void {
    for (const watch of this.#watchers) watch();
  }
}
