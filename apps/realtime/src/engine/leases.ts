/**
 * This node among the others. A heartbeat says that it lives and which media nodes it sees; a node whose heartbeat stops is
 * buried by whoever notices: its leases move, its sockets' rows go, and the grace of its agents begins. Media nodes that nobody
 * sees any more have lost their calls.
 */
import { MEDIA_LOST_GRACE_MS } from '@clarion/protocol/media';
import type { Deps } from '../deps.ts';
import type { MediaNodes } from '../media/nodes.ts';
import type { Presence } from '../agents/presence.ts';
import type { Engine } from './runner.ts';

/** Design section 7. */
export const HEARTBEAT_MS = 2_000;
export const DEAD_AFTER_MS = 6_000;
/**
 * After a start, or a heartbeat that failed, others' marks are old for no fault of theirs: for this long nobody is declared dead
 * or lost.
 */
const QUIET_MS = DEAD_AFTER_MS + MEDIA_LOST_GRACE_MS;

export class Leases {
  readonly #deps: Deps;
  readonly #engine: Engine;
  readonly #presence: Presence;
  readonly #media: MediaNodes;
  #registered = false;
  #quietUntil: number;

  constructor(deps: Deps, engine: Engine, presence: Presence, media: MediaNodes) {
    this.#deps = deps;
    this.#engine = engine;
    this.#presence = presence;
    this.#media = media;
    this.#quietUntil = deps.now().getTime() + MEDIA_LOST_GRACE_MS;
  }

  /** One beat: tell that we live, then look after what the dead left. */
  async beat(): Promise<void> {
    const now = this.#deps.now();
    try {
      await this.#sayAlive(now);
      await this.#adopt();
      await this.#buryDead(now);
      if (now.getTime() >= this.#quietUntil) await this.#giveUpLostMedia(now);
    } catch (error) {
      this.#quietUntil = this.#deps.now().getTime() + QUIET_MS;
      throw error;
    }
  }

  /** Leaves in order: others take over at once. */
  async resign(): Promise<void> {
    const { db, nodeId } = this.#deps;
    await db.agentConnection.deleteMany({ where: { nodeId } });
    await db.liveCall.updateMany({ where: { leaseNodeId: nodeId }, data: { leaseNodeId: null } });
    await db.realtimeNode.deleteMany({ where: { id: nodeId } });
  }

  async #sayAlive(now: Date): Promise<void> {
    const { db, nodeId, log } = this.#deps;
    const { count } = await db.realtimeNode.updateMany({ where: { id: nodeId }, data: { heartbeatAt: now } });
    if (count === 0) {
      await db.realtimeNode.create({ data: { id: nodeId, startedAt: now, heartbeatAt: now } });
      if (this.#registered) {
        log.warn({ nodeId }, 'this node was considered dead, registering its connections again');
        await this.#presence.reassert();
      }
      this.#registered = true;
    }
    for (const id of this.#media.ids) {
      await db.mediaNode.upsert({ where: { id }, create: { id, seenAt: now }, update: { seenAt: now } });
    }
  }

  /** Calls that no node keeps: new intents, and those of the dead. */
  async #adopt(): Promise<void> {
    const { db, nodeId, log } = this.#deps;
    const taken = await db.$executeRaw`
      update "LiveCall" set "leaseNodeId" = ${nodeId}
      where "leaseNodeId" is null
         or "leaseNodeId" not in (select "id" from "RealtimeNode")`;
    if (taken > 0) log.info({ calls: taken }, 'acquired the leases of calls');
  }

  async #buryDead(now: Date): Promise<void> {
    if (now.getTime() < this.#quietUntil - MEDIA_LOST_GRACE_MS) return;
    const { db, log } = this.#deps;
    const dead = await db.realtimeNode.findMany({
      where: { heartbeatAt: { lt: new Date(now.getTime() - DEAD_AFTER_MS) } },
    });
    for (const node of dead) {
      const { count } = await db.realtimeNode.deleteMany({
        where: { id: node.id, heartbeatAt: node.heartbeatAt },
      });
      if (count === 0) continue; // another node was faster, or it lives again
      log.warn({ nodeId: node.id, heartbeatAt: node.heartbeatAt }, 'realtime node is dead');
    }
    await this.#dropSocketsOfNobody(dead);
    if (dead.length > 0) await this.#adopt();
  }

  /** Rows of sockets whose node is not registered: its agents have nobody else's word that they are there. */
  async #dropSocketsOfNobody(dead: { id: string; heartbeatAt: Date }[]): Promise<void> {
    const { db } = this.#deps;
    const gone = await db.$queryRaw<{ agentId: number; deviceId: string; nodeId: string }[]>`
      delete from "AgentConnection" where "nodeId" not in (select "id" from "RealtimeNode")
      returning "agentId", "deviceId", "nodeId"`;
    for (const { agentId, deviceId, nodeId } of gone) {
      // They were last known to be there at the node's last heartbeat: the grace runs from then.
      const since = dead.find(({ id }) => id === nodeId)?.heartbeatAt;
      // The rows are gone, so nobody else begins the grace of those who are left.
      await this.#presence.socketGone(agentId, deviceId, since).catch((error: unknown) => {
        this.#deps.log.warn(
          { err: error, agentId },
          'failed to start the grace period of a disconnected agent',
        );
      });
    }
  }

  /** `seenAt` may be a heartbeat old though the node is there. */
  async #giveUpLostMedia(now: Date): Promise<void> {
    const { db, log } = this.#deps;
    const lost = await db.$queryRaw<{ callId: number; mediaNodeId: string }[]>`
      select "callId", "mediaNodeId" from "LiveCall" left join "MediaNode" on "MediaNode"."id" = "mediaNodeId"
      where "leaseNodeId" = ${this.#deps.nodeId} and "mediaNodeId" is not null
        and ("seenAt" is null or "seenAt" < ${new Date(now.getTime() - MEDIA_LOST_GRACE_MS - HEARTBEAT_MS)})`;
    for (const { callId, mediaNodeId } of lost) {
      if (this.#media.isConnected(mediaNodeId)) continue;
      log.warn({ callId, mediaNodeId }, 'call lost its media node');
      // Found again at the next beat; the others need not wait for it.
      await this.#engine.step(callId, { type: 'media-lost', mediaNodeId }).catch((error: unknown) => {
        log.warn({ err: error, callId }, 'failed to end a call that lost its media node');
      });
    }
  }
}
