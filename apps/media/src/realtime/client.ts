/**
 * Connections to all realtime nodes: receives commands, sends facts and INVITE requests
 * (packages/protocol/src/media.ts). The nodes are configured as URLs. Host names are resolved periodically, one node
 * per address, so nodes can be added and removed.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import {
  INVITE_DECISION_TIMEOUT_MS,
  mediaAuthorization,
  mediaCommands,
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
  type MediaToRealtime,
  type RealtimeToMedia,
} from '@clarion/protocol/media';
import type { LadderMessage } from '@clarion/protocol/ladder';
import { storable } from '@clarion/protocol/storable-text';
import type { Logger } from 'pino';
import { io, type Socket } from 'socket.io-client';
import { monotonicMs } from '../monotonic-time.ts';
import { AcceptedSources, InviteLimits } from './invite-limits.ts';
import { FACT_ACK_TIMEOUT_MS, Outbox } from './outbox.ts';
import type { PutOptions } from './outbox.ts';

/** How often a DNS name is resolved again (docs/requirements.md#media). */
const RESOLVE_INTERVAL_MS = 10_000;
const LOAD_INTERVAL_MS = 5_000;
/** Realtime acknowledges ladders once they are stored, together with those of other nodes. */
const LADDERS_ACK_TIMEOUT_MS = 5_000;
/** How soon a list of legs is sent again if it was not acknowledged. */
const LEGS_RETRY_MS = 1_000;
/** How soon a change in the number of legs is reported: new calls go to the node with the most free capacity, and realtime counts those that it places itself. */
const LOAD_CHANGE_MS = 500;
const RECONNECT_MIN_MS = 200;
const RECONNECT_MAX_MS = 2_000;

type RealtimeSocket = Socket<RealtimeToMedia, MediaToRealtime>;

/** Runs one command; the returned reply is sent unchanged. */
export type CommandHandler = (command: MediaCommand, payload: unknown) => Promise<MediaAck<object>>;

export interface RealtimeClientOptions {
  urls: readonly string[];
  secret: string;
  handshake: MediaHandshake;
  log: Logger;
  legs: () => LegSummary[];
  /**
   * Resolves when every INVITE that is waiting for a decision has become a leg or been rejected. Without them the list
   * of legs would be incomplete.
   */
  invitesSettled: () => Promise<void>;
  load: () => { legs: number; cpu: number; draining: boolean };
  onCommand: CommandHandler;
}

interface Node {
  url: string;
  socket: RealtimeSocket;
  /** Connected, and has acknowledged the list of legs. */
  ready: boolean;
  overload: Overload | null;
  limits: InviteLimits;
}

export type Rejection = Extract<InviteDecision, { action: 'reject' }>;

/**
 * Retry-After of 503. Short, because RFC 3261 §21.5.4 forbids the carrier to send us any call during this time.
 */
export const RETRY_AFTER_SECONDS = 1;
/** Response to an INVITE that would have to wait too long for a decision. */
const TOO_MANY_WAIT: Rejection = {
  action: 'reject',
  status: 503,
  reason: 'Service Unavailable',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

/** A node that rejects every INVITE, and how it does so. */
interface Overload {
  rejection: Rejection;
  untilMs: number;
}

export class RealtimeClient {
  readonly #options: RealtimeClientOptions;
  readonly #nodes = new Map<string, Node>();
  readonly #outbox: Outbox;
  /** URL of the node that last sent a command for a leg. */
  readonly #lastCommandedBy = new Map<string, string>();
  /** The node that last claimed a call; removed when it disconnects. */
  readonly #claims = new Map<number, Node>();
  readonly #acceptedSources = new AcceptedSources();
  readonly #timers = new Set<NodeJS.Timeout>();
  #nextNode = 0;
  #closed = false;
  #loadIsDue = false;

  constructor(options: RealtimeClientOptions) {
    this.#options = options;
    this.#outbox = new Outbox((message, attempt) => this.#deliver(message, attempt));
  }

  async start(): Promise<void> {
    await this.#resolve();
    this.#timers.add(setInterval(() => void this.#resolve(), RESOLVE_INTERVAL_MS));
    this.#timers.add(setInterval(() => this.sendLoad(), LOAD_INTERVAL_MS));
  }

  get connected(): number {
    return this.#ready().length;
  }

  get unreportedFacts(): number {
    return this.#outbox.size;
  }

  report<F extends MediaFact>(fact: F, payload: MediaFactPayload<F>, options?: PutOptions): void {
    this.#options.log.debug({ fact, legId: payload.legId, callId: payload.callId }, 'fact');
    this.#outbox.put(fact, payload, options);
  }

  removeLeg(legId: string): void {
    this.#lastCommandedBy.delete(legId);
  }

  /** Whether a connected node has accepted or commanded this call. */
  isClaimed(callId: number): boolean {
    return this.#claims.has(callId);
  }

  removeCall(callId: number): void {
    this.#claims.delete(callId);
  }

  /**
   * How a new INVITE is rejected while every node is overloaded or has too many INVITEs that wait for its decision; null: at least one node
   * decides. A response that is late would be repeated, and asking would add to the load.
   */
  rejectionOf(sourceAddress: string): Rejection | null {
    const rejections = this.#ready().map((node) => rejectionBy(node, sourceAddress));
    return rejections.includes(null) ? null : (rejections[0] ?? null);
  }

  /**
   * Asks the nodes that are not overloaded one after the other; null if none responded.
   *
   * @param withdrawn once aborted, no further node is asked and a decision has no effect
   */
  async requestDecision(invite: InviteRequest, withdrawn: AbortSignal): Promise<InviteDecision | null> {
    const source = invite.source.address;
    const request = { ...storable(invite), decideWithinMs: INVITE_DECISION_TIMEOUT_MS };
    const nodes = this.#ready().filter((node) => rejectionBy(node, source) === null);
    this.#nextNode += 1;
    for (let index = 0; index < nodes.length; index += 1) {
      const node = nodes[(this.#nextNode + index) % nodes.length];
      if (withdrawn.aborted) return null;
      if (!node?.socket.connected) continue;
      const decided = node.limits.of(source).ask();
      try {
        const decision = await node.socket.timeout(INVITE_DECISION_TIMEOUT_MS).emitWithAck('invite', request);
        if (withdrawn.aborted) return null;
        noteOverload(node, decision);
        if (decision.action === 'accept') {
          this.#lastCommandedBy.set(request.legId, node.url);
          this.#claims.set(decision.callId, node);
          this.#acceptedSources.add(source);
        }
        return decision;
      } catch {
        this.#options.log.warn(
          { node: node.url, inviteId: request.inviteId },
          'realtime node did not respond to an INVITE',
        );
      } finally {
        decided();
      }
    }
    return null;
  }

  /** Waits a limited time for facts to be acknowledged, then disconnects. */
  async close(flushMs: number): Promise<void> {
    if (this.connected > 0) await this.#outbox.flushed(flushMs);
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#outbox.close();
    for (const { socket } of this.#nodes.values()) socket.disconnect();
    this.#nodes.clear();
  }

  #ready(): Node[] {
    return [...this.#nodes.values()].filter((node) => node.ready && node.socket.connected);
  }

  async #resolve(): Promise<void> {
    const found = new Set<string>();
    for (const url of this.#options.urls) {
      for (const address of await this.#addressesOf(url)) found.add(address);
    }
    if (this.#closed) return;
    for (const url of found) if (!this.#nodes.has(url)) this.#connect(url);
    for (const [url, node] of this.#nodes) {
      // A node that is still connected exists, whatever the name server returns.
      if (found.has(url) || node.socket.connected) continue;
      node.socket.disconnect();
      this.#nodes.delete(url);
    }
  }

  /** TLS requires the name, so only plain http is distributed over the addresses of a name. */
  async #addressesOf(text: string): Promise<string[]> {
    const url = new URL(text);
    if (url.protocol !== 'http:' || isIP(url.hostname) !== 0 || url.hostname.startsWith('['))
      return [url.origin];
    try {
      const addresses = await lookup(url.hostname, { all: true });
      return addresses.map(({ address, family }) => {
        const host = family === 6 ? `[${address}]` : address;
        return `http://${host}${url.port === '' ? '' : `:${url.port}`}`;
      });
    } catch (error) {
      this.#options.log.warn(
        { err: error, host: url.hostname },
        'failed to resolve the host name of a realtime node',
      );
      return [...this.#nodes.keys()];
    }
  }

  #connect(url: string): void {
    const socket: RealtimeSocket = io(`${url}${mediaNamespace}`, {
      path: mediaSocketPath,
      addTrailingSlash: false,
      extraHeaders: { authorization: mediaAuthorization(this.#options.secret) },
      auth: this.#options.handshake,
      transports: ['websocket'],
      forceNew: true,
      reconnectionDelay: RECONNECT_MIN_MS,
      reconnectionDelayMax: RECONNECT_MAX_MS,
    });
    const node: Node = {
      url,
      socket,
      ready: false,
      overload: null,
      limits: new InviteLimits(this.#acceptedSources),
    };
    this.#nodes.set(url, node);
    socket.on('connect', () => void this.#sendLegs(node));
    socket.on('disconnect', (reason) => {
      node.ready = false;
      this.#dropClaims(node);
      this.#options.log.warn({ url, reason }, 'realtime node disconnected');
      // socket.io does not reconnect by itself after the server closed the socket.
      if (reason === 'io server disconnect') this.#schedule(RECONNECT_MAX_MS, () => socket.connect());
    });
    socket.on('connect_error', (error) => {
      this.#options.log.debug({ url, message: error.message }, 'realtime node not reachable');
      if (!socket.active) this.#schedule(RECONNECT_MAX_MS, () => socket.connect());
    });
    for (const command of Object.keys(mediaCommands) as MediaCommand[]) this.#serve(node, command);
  }

  async #sendLegs(node: Node): Promise<void> {
    try {
      await this.#options.invitesSettled();
      const legs = this.#options.legs();
      await node.socket.timeout(FACT_ACK_TIMEOUT_MS).emitWithAck('legs', legs);
      // The node has looked up each call and releases those that have ended. By its ack it claims the rest.
      for (const { callId } of legs) if (!this.#claims.has(callId)) this.#claims.set(callId, node);
      node.ready = true;
      this.sendLoad();
      this.#options.log.info({ url: node.url }, 'realtime node connected');
    } catch {
      this.#options.log.warn({ url: node.url }, 'realtime node did not acknowledge the list of legs');
      if (this.#closed || !node.socket.connected) return;
      // A node that has never acknowledged a list reconnects; one that has keeps serving its own calls in the meantime.
      if (node.ready) this.#schedule(LEGS_RETRY_MS, () => this.#hasUnclaimed() && void this.#sendLegs(node));
      else node.socket.disconnect().connect();
    }
  }

  /**
   * Sends the list of legs to the other nodes when one disconnects, so that one of them claims or releases its calls.
   */
  #dropClaims(gone: Node): void {
    let unclaimed = 0;
    for (const [callId, node] of this.#claims) {
      if (node !== gone) continue;
      this.#claims.delete(callId);
      unclaimed += 1;
    }
    if (unclaimed === 0) return;
    for (const node of this.#ready()) void this.#sendLegs(node);
  }

  #hasUnclaimed(): boolean {
    return this.#options.legs().some(({ callId }) => !this.#claims.has(callId));
  }

  #schedule(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#closed) work();
    }, ms);
    this.#timers.add(timer);
  }

  #serve(node: Node, command: MediaCommand): void {
    const handler = (payload: unknown, ack: unknown) => {
      const { callId } = (payload ?? {}) as { callId?: unknown };
      for (const legId of legsNamedBy(payload)) this.#lastCommandedBy.set(legId, node.url);
      if (typeof callId === 'number') this.#claims.set(callId, node);
      this.#options
        .onCommand(command, payload)
        .then((reply) => {
          if (typeof ack === 'function') ack(reply);
        })
        .catch((error: unknown) =>
          this.#options.log.error({ err: error, command }, 'failed to acknowledge a command'),
        );
    };
    node.socket.on(command, handler);
  }

  async #deliver(message: MediaFactMessage, attempt: number): Promise<boolean> {
    const nodes = this.#ready();
    const preferred = nodes.find((node) => node.url === this.#lastCommandedBy.get(message.payload.legId));
    const node = attempt === 0 ? (preferred ?? nodes[0]) : nodes[attempt % nodes.length];
    if (!node) return false;
    try {
      const reply = await node.socket.timeout(FACT_ACK_TIMEOUT_MS).emitWithAck('fact', message);
      return reply.ok;
    } catch {
      return false;
    }
  }

  /** Sends SIP ladders to any node. @returns false if none has stored them */
  async deliverLadders(ladders: LadderMessage[]): Promise<boolean> {
    this.#nextNode += 1;
    const nodes = this.#ready();
    const node = nodes[this.#nextNode % nodes.length];
    if (!node) return false;
    try {
      const reply = await node.socket.timeout(LADDERS_ACK_TIMEOUT_MS).emitWithAck('ladders', ladders);
      return reply.ok;
    } catch {
      return false;
    }
  }

  /** Reports the load soon, because a leg was added or removed. */
  loadChanged(): void {
    if (this.#loadIsDue || this.#closed) return;
    this.#loadIsDue = true;
    this.#schedule(LOAD_CHANGE_MS, () => this.sendLoad());
  }

  sendLoad(): void {
    this.#loadIsDue = false;
    for (const { socket } of this.#ready())
      socket.emit('load', { ...this.#options.load(), clockMs: monotonicMs() });
  }
}

/** The legs that a command names. It has not been validated yet. */
export function legsNamedBy(payload: unknown): string[] {
  const { legId, answers } = (payload ?? {}) as Partial<MediaCommandPayload<'agent:connect'>>;
  return [legId, answers?.legId].filter((named) => typeof named === 'string');
}

/** How INVITEs are rejected without asking the node; null: it decides on each. */
function rejectionBy({ overload, limits }: Node, sourceAddress: string): Rejection | null {
  if (overload !== null && overload.untilMs > performance.now()) return overload.rejection;
  return limits.of(sourceAddress).isFull() ? TOO_MANY_WAIT : null;
}

function noteOverload(node: Node, decision: InviteDecision): void {
  const overloadedMs = decision.action === 'reject' ? decision.overloadedMs : undefined;
  node.overload =
    decision.action === 'reject' && overloadedMs !== undefined
      ? { rejection: decision, untilMs: performance.now() + overloadedMs }
      : null;
}
