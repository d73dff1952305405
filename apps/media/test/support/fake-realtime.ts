/** A realtime node that speaks the media protocol under the control of the test. */
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  mediaNamespace,
  mediaSocketPath,
  type InviteDecision,
  type InviteRequest,
  type LegSummary,
  type MediaAck,
  type MediaCommand,
  type MediaCommandPayload,
  type MediaFact,
  type MediaFactMessage,
  type MediaFactPayload,
  type MediaHandshake,
  type MediaReplies,
  type MediaToRealtime,
} from '@clarion/protocol/media';
import type { LadderMessage, LadderPart } from '@clarion/protocol/ladder';
import { Server, type Socket } from 'socket.io';
import { parseLadders, partOf } from './ladder-of.ts';

const WAIT_MS = 10_000;

type Load = Parameters<MediaToRealtime['load']>[0];
type Acceptance = Extract<InviteDecision, { action: 'accept' }>;
/** The decision to accept an INVITE on a trunk with default settings. */
export const acceptance = (callId: number, change: Partial<Acceptance> = {}): Acceptance => ({
  action: 'accept',
  callId,
  sourceCidrs: [],
  localEndpointOnly: false,
  codecs: [],
  srtp: false,
  ...change,
});

export class FakeRealtime {
  readonly facts: MediaFactMessage[] = [];
  readonly legLists: LegSummary[][] = [];
  readonly invites: InviteRequest[] = [];
  readonly handshakes: MediaHandshake[] = [];
  readonly loads: Load[] = [];
  readonly ladders: LadderMessage[] = [];
  /** Messages with ladders, acked or not. */
  ladderMessages = 0;
  /** Null: does not respond. */
  decide: (request: InviteRequest) => InviteDecision | null | Promise<InviteDecision> = () => ({
    action: 'reject',
    status: 404,
    reason: 'Not Found',
  });
  /** False: facts are received but not acked. */
  acks = true;
  /** False: lists of legs are not acked. */
  acksLegs = true;
  #http: HttpServer;
  #io: Server;
  #socket: Socket | null = null;
  readonly #arrivals = new EventEmitter().setMaxListeners(0);

  private constructor(http: HttpServer) {
    this.#http = http;
    this.#io = new Server(http, { path: mediaSocketPath, addTrailingSlash: false });
    this.#io.of(mediaNamespace).on('connection', (socket) => this.#connected(socket));
  }

  static async start(port = 0): Promise<FakeRealtime> {
    const http = createServer();
    const realtime = new FakeRealtime(http);
    http.listen(port, '127.0.0.1');
    await once(http, 'listening');
    return realtime;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async connected(): Promise<void> {
    await this.#until(() => this.legLists.length > 0 && this.#socket?.connected === true, 'a media node');
  }

  async send<C extends MediaCommand>(
    command: C,
    payload: MediaCommandPayload<C>,
  ): Promise<MediaAck<MediaReplies[C]>> {
    if (!this.#socket) throw new Error('no media node is connected');
    return await this.#socket.timeout(5_000).emitWithAck(command, payload);
  }

  /** Sends and expects success. */
  async command<C extends MediaCommand>(
    command: C,
    payload: MediaCommandPayload<C>,
  ): Promise<MediaReplies[C]> {
    const reply = await this.send(command, payload);
    if (!reply.ok) throw new Error(`${command}: ${reply.error.code} ${reply.error.message}`);
    return reply;
  }

  /** The first such fact of a leg, past or future. */
  async fact<F extends MediaFact>(fact: F, legId: string, waitMs = WAIT_MS): Promise<MediaFactPayload<F>> {
    const find = () => this.facts.find((one) => one.fact === fact && one.payload.legId === legId);
    await this.#until(() => find() !== undefined, `${fact} of ${legId}`, waitMs);
    return find()?.payload as MediaFactPayload<F>;
  }

  /** The first report, past or future, of a node that drains. */
  async draining(): Promise<void> {
    await this.#until(() => this.loads.some(({ draining }) => draining), 'report of a draining node');
  }

  /** The SIP ladder of a call, once the node has sent it. */
  async ladder(callId: number): Promise<LadderPart> {
    const find = () => this.ladders.find((one) => one.callId === callId);
    await this.#until(() => find() !== undefined, `ladder of call ${callId}`);
    return partOf(find() as LadderMessage);
  }

  /** The SIP ladder of a refused INVITE. */
  async refusalLadder(inviteId: string): Promise<LadderPart> {
    const find = () => this.ladders.find((one) => one.inviteId === inviteId);
    await this.#until(() => find() !== undefined, `ladder of INVITE ${inviteId}`);
    return partOf(find() as LadderMessage);
  }

  count(fact: MediaFact, legId: string): number {
    return this.facts.filter((one) => one.fact === fact && one.payload.legId === legId).length;
  }

  /** Closes the node's connection, which the node opens again. */
  dropConnection(): void {
    this.#io.of(mediaNamespace).disconnectSockets(true);
  }

  /** As if the process had died. */
  async stop(): Promise<void> {
    this.#io.disconnectSockets(true);
    await this.#io.close();
  }

  #connected(socket: Socket): void {
    this.#socket = socket;
    this.handshakes.push(socket.handshake.auth as MediaHandshake);
    socket.on('legs', (legs: LegSummary[], ack: (reply: object) => void) => {
      if (!this.acksLegs) return;
      this.legLists.push(legs);
      ack({ ok: true });
      this.#arrivals.emit('any');
    });
    socket.on('invite', (request: InviteRequest, ack: (decision: InviteDecision) => void) => {
      this.invites.push(request);
      const decision = this.decide(request);
      if (decision instanceof Promise) void decision.then(ack);
      else if (decision) ack(decision);
      this.#arrivals.emit('any');
    });
    socket.on('load', (load: Load) => {
      this.loads.push(load);
      this.#arrivals.emit('any');
    });
    socket.on('ladders', (ladders: LadderMessage[], ack: (reply: object) => void) => {
      this.ladderMessages += 1;
      if (!this.acks) return;
      this.ladders.push(...parseLadders(ladders));
      ack({ ok: true });
      this.#arrivals.emit('any');
    });
    socket.on('fact', (message: MediaFactMessage, ack: (reply: object) => void) => {
      if (!this.acks) return;
      if (!this.facts.some((known) => known.factId === message.factId)) this.facts.push(message);
      ack({ ok: true });
      this.#arrivals.emit('any');
    });
  }

  async #until(done: () => boolean, what: string, waitMs = WAIT_MS): Promise<void> {
    const signal = AbortSignal.timeout(waitMs);
    while (!done()) {
      await once(this.#arrivals, 'any', { signal }).catch(() => {
        const seen = this.facts.map((one) => `${one.fact} ${one.payload.legId}`).join(', ') || 'nothing';
        throw new Error(`no ${what} within ${waitMs} ms; received ${seen}`);
      });
    }
  }
}

/** Polls a condition that has no event. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  waitMs = 5_000,
): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`condition not met: ${what}`);
    await sleep(10);
  }
}
