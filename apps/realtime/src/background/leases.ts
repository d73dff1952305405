/**
 * Cluster membership. A node's heartbeat proves that it is alive and records which media nodes it sees. Any node that sees another's
 * heartbeat stop removes it: its leases are taken over, its connections deleted, and the grace period of its agents begins. The calls of
 * a media node that no realtime node sees are ended.
 */
import { MEDIA_LOST_GRACE_MS } from '@clarion/protocol/media';
import type { Presence } from '../agents/presence.ts';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import type { MediaNodes } from '../media/nodes.ts';

/** Two beats may be missed; then the calls of this node move to another, well within the 10 s of docs/requirements.md#calls. */
export const HEARTBEAT_MS = 2_000;
export const DEAD_AFTER_MS = 6_000;
/**
 * After a start or a failed heartbeat the heartbeats of others may be old only because the database was unreachable: no
 * realtime or media node is declared dead for this long.
 */
const QUIET_MS = DEAD_AFTER_MS + MEDIA_LOST_GRACE_MS;

export class Leases {
  readonly #deps: Deps;
  readonly #engine: CallEngine;
  readonly #presence: Presence;
  readonly #media: MediaNodes;
  /** Called after this node was declared dead and is registered again: other nodes may have sent it nothing meanwhile. */
  onDeclaredDead: () => void = () => undefined;
  #registered = false;
  #quietUntil: number;

  constructor(deps: Deps, engine: CallEngine, presence: Presence, media: MediaNodes) {
    this.#deps = deps;
    this.#engine = engine;
    this.#presence = presence;
    this.#media = media;
    this.#quietUntil = deps.now().getTime() + MEDIA_LOST_GRACE_MS;
  }

  /** Records that this node is alive, then takes over from dead nodes. */
  async beat(): Promise<void> {
    const now = this.#deps.now();
    try {
      await this.#recordHeartbeat(now);
      await this.#acquireLeases();
      await this.#removeDeadNodes(now);
      if (now.getTime() >= this.#quietUntil) await this.#endCallsOfLostMedia(now);
    } catch (error) {
      this.#quietUntil = this.#deps.now().getTime() + QUIET_MS;
      throw error;
    }
  }

  /** On shutdown: the other nodes take over immediately. */
  async resign(): Promise<void> {
    const { db, nodeId } = this.#deps;
    await db.agentConnection.deleteMany({ where: { nodeId } });
    await db.liveCall.updateMany({ where: { leaseNodeId: nodeId }, data: { leaseNodeId: null } });
    await db.realtimeNode.deleteMany({ where: { id: nodeId } });
  }

  async #recordHeartbeat(now: Date): Promise<void> {
    const { db, nodeId, log } = this.#deps;
    const { count } = await db.realtimeNode.updateMany({ where: { id: nodeId }, data: { heartbeatAt: now } });
    if (count === 0) {
      await db.realtimeNode.create({ data: { id: nodeId, startedAt: now, heartbeatAt: now } });
      if (this.#registered) {
        log.warn({ nodeId }, 'this node was declared dead; recording its connections again');
        await this.#presence.reassert();
        this.onDeclaredDead();
      }
      this.#registered = true;
    }
    for (const id of this.#media.ids) {
      await db.mediaNode.upsert({ where: { id }, create: { id, seenAt: now }, update: { seenAt: now } });
    }
  }

  /** Acquires the leases of calls without a live node: new intents, and the calls of dead nodes. */
  async #acquireLeases(): Promise<void> {
    const { db, nodeId, log } = this.#deps;
    const acquired = await db.$executeRaw`
      update "LiveCall" set "leaseNodeId" = ${nodeId}
      where "leaseNodeId" is null
         or "leaseNodeId" not in (select "id" from "RealtimeNode")`;
    if (acquired > 0) log.info({ calls: acquired }, 'acquired leases of calls');
  }

  async #removeDeadNodes(now: Date): Promise<void> {
    if (now.getTime() < this.#quietUntil - MEDIA_LOST_GRACE_MS) return;
    const { db, log } = this.#deps;
    const dead = await db.realtimeNode.findMany({
      where: { heartbeatAt: { lt: new Date(now.getTime() - DEAD_AFTER_MS) } },
    });
    for (const node of dead) {
      const { count } = await db.realtimeNode.deleteMany({
        where: { id: node.id, heartbeatAt: node.heartbeatAt },
      });
      if (count === 0) continue; // another node was faster, or it is alive again
      log.warn({ nodeId: node.id, heartbeatAt: node.heartbeatAt }, 'realtime node declared dead');
    }
    await this.#removeOrphanedConnections(dead);
    if (dead.length > 0) await this.#acquireLeases();
  }

  /** Connections whose node is not registered: nothing else proves that their agents are still connected. */
  async #removeOrphanedConnections(dead: { id: string; heartbeatAt: Date }[]): Promise<void> {
    const { db } = this.#deps;
    const orphaned = await db.$queryRaw<{ agentId: number; deviceId: string; nodeId: string }[]>`
      delete from "AgentConnection" where "nodeId" not in (select "id" from "RealtimeNode")
      returning "agentId", "deviceId", "nodeId"`;
    for (const { agentId, deviceId, nodeId } of orphaned) {
      // The agents were last known to be connected at the node's last heartbeat: the grace period starts then.
      const since = dead.find(({ id }) => id === nodeId)?.heartbeatAt;
      // The rows are deleted, so no other node starts the grace period of the remaining agents.
      await this.#presence.socketClosed(agentId, deviceId, since).catch((error: unknown) => {
        this.#deps.log.warn({ err: error, agentId }, 'failed to start the grace period of an agent');
      });
    }
  }

  /** `seenAt` may be one heartbeat old while the node is connected. */
  async #endCallsOfLostMedia(now: Date): Promise<void> {
    const { db, log } = this.#deps;
    const lost = await db.$queryRaw<{ callId: number; mediaNodeId: string }[]>`
      select "callId", "mediaNodeId" from "LiveCall" left join "MediaNode" on "MediaNode"."id" = "mediaNodeId"
      where "leaseNodeId" = ${this.#deps.nodeId} and "mediaNodeId" is not null
        and ("seenAt" is null or "seenAt" < ${new Date(now.getTime() - MEDIA_LOST_GRACE_MS - HEARTBEAT_MS)})`;
    for (const { callId, mediaNodeId } of lost) {
      if (this.#media.isConnected(mediaNodeId)) continue;
      log.warn({ callId, mediaNodeId }, 'a call lost its media node');
      // Retried at the next heartbeat; the other calls do not wait for it.
      await this.#engine.step(callId, { type: 'media-lost', mediaNodeId }).catch((error: unknown) => {
        log.warn({ err: error, callId }, 'failed to end a call without its media node');
      });
    }
  }
}
