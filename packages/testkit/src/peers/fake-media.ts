/**
 * A media node without media: it implements protocol/media.ts over a real socket and keeps legs in a map. By default every command
 * succeeds; a test triggers everything else. Like the real node, it repeats each fact until it is acknowledged.
 *
 * Tests import everything from here.
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
} from '@clarion/protocol/media';
import type { LadderMessage } from '@clarion/protocol/ladder';
import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import { usualCarrier, type FakeCarrier } from './fake-carrier.ts';
import { execute, type Command } from './fake-media-commands.ts';
import { inviteRequest } from './invite-request.ts';

export { carrierReplyOf, checkupFactsOf, optionsReplyOf, registerReplyOf } from './fake-carrier.ts';
export { legEndOf, legStatsOf, sdpOfFakeLeg, unanswerableOffer } from './fake-legs.ts';

const FACT_ACK_TIMEOUT_MS = 1_000;
const FACT_RETRY_MS = 50;
const INVITE_TIMEOUT_MS = 5_000;
const WAIT_TIMEOUT_MS = 10_000;

export interface FakeMediaOptions {
  /** The URL of each realtime node. */
  urls: string[];
  secret: string;
  nodeId?: string;
  /** What happens after a command is acknowledged; a test may replace it. */
  behaviour?: Partial<FakeBehaviour>;
}

export interface FakeBehaviour {
  /** Default: the agent's leg connects immediately, and the carrier acknowledges the answer that this causes. */
  onAgentConnect: (media: FakeMedia, payload: MediaCommandPayload<'agent:connect'>) => void;
  /** Default: the carrier acknowledges immediately. */
  onAnswer: (media: FakeMedia, payload: MediaCommandPayload<'carrier:answer'>) => void;
  /** Default: nothing; the test decides what the customer does. */
  onDial: (media: FakeMedia, payload: MediaCommandPayload<'carrier:dial'>) => void;
  /** Default: the path to the WhatsApp customer is connected at once. */
  onOpen: (media: FakeMedia, payload: MediaCommandPayload<'whatsapp:open'>) => void;
}

const usual: FakeBehaviour = {
  onAgentConnect: (media, { callId, legId, answers }) =>
    answers && media.legs.has(answers.legId)
      ? media.answered(callId, answers.legId, legId)
      : media.connected(callId, legId),
  onAnswer: (media, { callId, legId }) => media.connected(callId, legId),
  onDial: () => undefined,
  onOpen: (media, { callId, legId }) => media.connected(callId, legId),
};

export class FakeMedia {
  readonly nodeId: string;
  /** What carriers respond outside calls; a test may replace it. */
  readonly carrier: FakeCarrier = { ...usualCarrier };
  /** Every command received, oldest first. */
  readonly commands: Command[] = [];
  readonly legs = new Map<string, LegSummary>();
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

  /** The customer's call was answered because the agent's leg is connected (`agent:connect`). */
  answered(callId: number, legId: string, agentLegId: string): void {
    for (const connected of [legId, agentLegId]) {
      const leg = this.legs.get(connected);
      if (leg) leg.state = 'CONNECTED';
    }
    const at = this.#now().toISOString();
    const agent = { legId: agentLegId, codec: 'PCMA' };
    void this.fact('leg:connected', { callId, legId, at, codec: 'PCMA', agent });
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

  legsOf(callId: number): LegSummary[] {
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
      const reply = execute(this, entry);
      // Not a promise for all: the reply to a command precedes the facts that follow from it.
      if (reply instanceof Promise) void reply.then(ack);
      else ack(reply);
      this.#changed();
    };
    // TypeScript cannot relate a generic command name to its payload in the command map.
    (socket as { on(name: string, handler: unknown): unknown }).on(command, handler);
  }

  #changed(): void {
    for (const watch of this.#watchers) watch();
  }
}
