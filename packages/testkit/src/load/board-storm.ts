/**
 * A busy call centre on the live board: hundreds of calls and agents as rows, changed many times a second, with the notifications that
 * the engine would send. The calls belong to a node that does not exist, so that no node runs their timers.
 */
import type { Database, Prisma } from '@clarion/db';
import { seeded } from '@clarion/test-phone/random';

/** Has a heartbeat in the future, so that no other node considers it dead and acquires its calls. */
const NODE = 'board-storm';
const ALIVE_FOR_MS = 60 * 60_000;
/** Changes that may be in flight to the database. */
const AT_ONCE = 6;
/** Share of the calls that wait in the queue without members. */
const WAITING_PERCENT = 20;

export interface StormOptions {
  db: Database;
  tenantRef: string;
  calls: number;
  agents: number;
  /** The same seed produces the same changes. */
  seed?: number;
}

interface Live {
  callId: number;
  agentId: number | null;
  version: number;
  held: boolean;
}

export class BoardStorm {
  readonly #db: Database;
  readonly #random: () => number;
  readonly #live: Live[] = [];
  #tenantId = 0;
  #consumerId = 0;
  #line = { id: 0, ref: '' };
  #busy = { id: 0, ref: '' };
  #waiting = { id: 0, ref: '' };
  #agents: { id: number; ref: string; available: boolean }[] = [];
  /** Agents reserved for calls that are being created. */
  readonly #reserved = new Set<number>();
  #numbers = 0;

  private constructor({ db, seed = 1 }: StormOptions) {
    this.#db = db;
    this.#random = seeded(seed);
  }

  /** The tenant must exist and have a line. Its queues and agents are created here. */
  static async create(options: StormOptions): Promise<BoardStorm> {
    const storm = new BoardStorm(options);
    await storm.#setUp(options);
    return storm;
  }

  /** Makes `changes` changes, evenly over `ms`, several concurrently. Resolves after the last notification. */
  async run(changes: number, ms: number): Promise<void> {
    const startedAt = performance.now();
    const underway = new Set<Promise<void>>();
    for (let done = 0; done < changes; done += 1) {
      const due = startedAt + (ms * done) / changes - performance.now();
      if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
      const change: Promise<void> = this.#change().finally(() => underway.delete(change));
      underway.add(change);
      if (underway.size >= AT_ONCE) await Promise.race(underway);
    }
    await Promise.all(underway);
  }

  async clear(): Promise<void> {
    const callIds = this.#live.splice(0).map(({ callId }) => callId);
    await this.#db.call.deleteMany({ where: { id: { in: callIds } } });
    await this.#db.agentConnection.deleteMany({ where: { nodeId: NODE } });
    await this.#db.realtimeNode.deleteMany({ where: { id: NODE } });
    for (const callId of callIds) await this.#tell(callId);
  }

  async #setUp({ tenantRef, calls, agents }: StormOptions): Promise<void> {
    const db = this.#db;
    const tenant = await db.tenant.findFirstOrThrow({ where: { ref: tenantRef } });
    this.#tenantId = tenant.id;
    this.#consumerId = tenant.consumerId;
    const heartbeatAt = new Date(Date.now() + ALIVE_FOR_MS);
    await db.realtimeNode.create({ data: { id: NODE, heartbeatAt } });
    this.#line = await db.channel.findFirstOrThrow({
      where: { tenantId: tenant.id },
      select: { id: true, ref: true },
    });
    const [busy, waiting] = await Promise.all(
      ['Storm', 'Overflow'].map((name) =>
        db.queue.create({ data: { tenantId: tenant.id, ref: name.toLowerCase(), name } }),
      ),
    );
    if (!busy || !waiting) throw new Error('no queues');
    this.#busy = busy;
    this.#waiting = waiting;
    await db.agent.createMany({
      data: Array.from({ length: agents }, (_, index) => ({
        tenantId: tenant.id,
        ref: `storm-${index}`,
        name: `Storm agent ${index}`,
        shift: 'AVAILABLE' as const,
      })),
    });
    const rows = await db.agent.findMany({
      where: { tenantId: tenant.id, ref: { startsWith: 'storm-' } },
      orderBy: { id: 'asc' },
      select: { id: true, ref: true },
    });
    this.#agents = rows.map((row) => ({ ...row, available: true }));
    await db.queueMember.createMany({ data: rows.map(({ id }) => ({ queueId: busy.id, agentId: id })) });
    await db.agentConnection.createMany({
      data: rows.map(({ id, ref }) => ({ socketId: ref, agentId: id, deviceId: ref, nodeId: NODE })),
    });
    for (let index = 0; index < calls; index += 1) await this.#begin();
    await this.#tell();
  }

  async #change(): Promise<void> {
    const what = this.#random();
    if (what < 0.5) return this.#hold();
    if (what < 0.7) return this.#choose();
    await this.#end();
    await this.#begin();
  }

  /** A call is put on hold or resumed. */
  async #hold(): Promise<void> {
    const call = this.#pick(this.#live.filter(({ agentId }) => agentId !== null));
    if (!call) return;
    call.held = !call.held;
    call.version += 1;
    // It may be ending concurrently.
    await this.#db.liveCall.updateMany({
      where: { callId: call.callId },
      data: { version: call.version, state: this.#stateOf(call) },
    });
    await this.#tell(call.callId);
  }

  /** An agent becomes available or goes offline. */
  async #choose(): Promise<void> {
    const taken = new Set(this.#live.map(({ agentId }) => agentId));
    const agent = this.#pick(this.#agents.filter(({ id }) => !taken.has(id)));
    if (!agent) return;
    agent.available = !agent.available;
    await this.#db.agent.update({
      where: { id: agent.id },
      data: { shift: agent.available ? 'AVAILABLE' : 'OFFLINE', idleSince: new Date() },
    });
    await this.#tell();
  }

  async #end(): Promise<void> {
    const call = this.#pick(this.#live);
    if (!call) return;
    this.#live.splice(this.#live.indexOf(call), 1);
    if (call.agentId !== null) {
      await this.#db.agent.updateMany({
        where: { id: call.agentId, currentCallId: call.callId },
        data: { currentCallId: null, onCall: false, idleSince: new Date() },
      });
    }
    await this.#db.call.delete({ where: { id: call.callId } });
    await this.#tell(call.callId);
  }

  async #begin(): Promise<void> {
    const now = new Date();
    const taken = new Set([...this.#live.map(({ agentId }) => agentId), ...this.#reserved]);
    const waits = this.#random() * 100 < WAITING_PERCENT;
    const agent = waits ? undefined : this.#agents.find(({ id, available }) => available && !taken.has(id));
    const queue = waits ? this.#waiting : this.#busy;
    if (agent) this.#reserved.add(agent.id);
    this.#numbers += 1;
    const { id: callId } = await this.#db.call.create({
      data: {
        consumerId: this.#consumerId,
        tenantId: this.#tenantId,
        direction: waits || agent ? 'INBOUND' : 'OUTBOUND',
        status: 'IN_PROGRESS',
        channelId: this.#line.id,
        channelRef: this.#line.ref,
        channelType: 'SIP',
        queueId: queue.id,
        queueRef: queue.ref,
        agentId: agent?.id ?? null,
        agentRef: agent?.ref ?? null,
        customerAddress: `+44163296${String(this.#numbers % 10_000).padStart(4, '0')}`,
        customerAddressType: 'E164',
        queuedAt: now,
        ...(!waits && { answeredAt: now }),
      },
      select: { id: true },
    });
    // If there are more calls than agents, the board shows the last agent on all remaining calls.
    const agentId = waits ? null : (agent?.id ?? this.#agents.at(-1)?.id ?? null);
    const call: Live = { callId, agentId, version: 0, held: false };
    await this.#db.liveCall.create({
      data: {
        callId,
        consumerId: this.#consumerId,
        tenantId: this.#tenantId,
        state: this.#stateOf(call),
        leaseNodeId: NODE,
        ...(waits && { waitingQueueId: queue.id, waitingSince: now }),
      },
    });
    if (agent) {
      await this.#db.agent.update({
        where: { id: agent.id },
        data: { currentCallId: callId, onCall: true },
      });
    }
    this.#live.push(call);
    if (agent) this.#reserved.delete(agent.id);
    await this.#tell(callId);
  }

  /** The part of the engine's state that the board reads. */
  #stateOf({ callId, agentId, held }: Live): Prisma.InputJsonValue {
    const base = { callId, revision: 0, record: callId % 3 === 0, mediaPath: 'ROOM' };
    const stop = (queue: { id: number; ref: string }) => ({ queueId: queue.id, ref: queue.ref });
    if (agentId === null) {
      const wait = { stops: [stop(this.#waiting)], since: Date.now(), declined: [], missed: {} };
      return { ...base, phase: 'waiting', wait, leaving: null };
    }
    const side = { agentId, deviceId: 'storm', legId: String(callId), connected: true };
    const idle = { transfer: null, monitors: [], recordingPaused: false };
    return { ...base, ...idle, phase: 'talking', agent: side, queue: stop(this.#busy), held };
  }

  async #tell(callId?: number): Promise<void> {
    const payload = callId === undefined ? String(this.#tenantId) : `${this.#tenantId}:${callId}`;
    await this.#db.$executeRaw`select pg_notify('clarion_board', ${payload}::text)`;
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }
}
