/**
 * Cluster membership. A node's heartbeat proves that it is alive and records which media nodes it sees. The nodes take turns to look for
 * others whose heartbeat stopped. Such a node is removed: its leases are taken over, its connections deleted, and the grace period of its
 * agents begins. The calls of a media node that no realtime node sees are ended.
 */
import { claimTurn, createSweepRows } from '@clarion/core/call-engine/sweep';
import { Prisma, runPrepared } from '@clarion/db';
import { MEDIA_LOST_GRACE_MS } from '@clarion/protocol/media';
import { FORWARD_RINGS_MAX_MS } from '../media/forwards.ts';
import type { Forwards } from '../media/forwards.ts';
import type { Presence } from '../agents/presence.ts';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import { PeriodicWork } from '../lib/periodic-work.ts';
import type { MediaNodes } from '../media/nodes.ts';

/** Two beats may be missed; then the calls of this node move to another, well within the 10 s of docs/requirements.md#calls. */
export const HEARTBEAT_MS = 2_000;
export const DEAD_AFTER_MS = 6_000;
/** Dead nodes are looked for at every heartbeat of the cluster: an interval, minus the time by which a timer may be early. */
const TURN_MS = HEARTBEAT_MS - 200;
/**
 * After a start or a failed heartbeat the heartbeats of others may be old only because the database was unreachable: no
 * realtime or media node is declared dead for this long.
 */
const QUIET_MS = DEAD_AFTER_MS + MEDIA_LOST_GRACE_MS;

interface Found {
  registered: boolean;
  /** There are calls without a live node. */
  unleased: boolean;
  /** In this node's turn: nodes whose heartbeat stopped. */
  dead: { id: string; heartbeatAt: Date }[];
  /** In this node's turn: there are connections of nodes that are not registered. */
  orphaned: boolean;
  /** Calls of this node whose media node no realtime node sees. */
  lost: { callId: number; mediaNodeId: string }[];
  /** In this node's turn: forwarded calls whose media node no realtime node sees, and those that ring although nobody dials. */
  lostForwards: { id: number; mediaNodeId: string }[];
  /** This node watches the trunks (trunks/trunk-monitor.ts). */
  watchesTrunks: boolean;
}

/** A connection whose node is not registered. */
interface Orphan {
  agentId: number;
  deviceId: string;
  /** When the agent was last known to be connected; undefined: now. */
  since: Date | undefined;
}

/** The columns of the heartbeat's statement. */
type FoundRow = Omit<Found, 'dead' | 'lost' | 'lostForwards'> & {
  dead: { id: string; heartbeatAt: number }[] | null;
  lost: Found['lost'] | null;
  lostForwards: Found['lostForwards'] | null;
};

export class Leases {
  readonly #deps: Deps;
  readonly #engine: CallEngine;
  readonly #presence: Presence;
  readonly #media: MediaNodes;
  readonly #forwards: Forwards;
  /** What takes a step for each call or agent: waiting for it could delay the next heartbeat until this node is declared dead itself. */
  readonly #work: PeriodicWork;
  /** Their rows have been deleted, and the grace period of their agents has not been started yet. */
  readonly #orphans: Orphan[] = [];
  /** Called after this node was declared dead and is registered again: other nodes may have sent it nothing meanwhile. */
  onDeclaredDead: () => void = () => undefined;
  /** Called at every heartbeat; `heldUntilMs` by performance.now(), null: this node does not hold the lease of the trunks. */
  onTrunkLease: (heldUntilMs: number | null) => void = () => undefined;
  #registered = false;
  /** Since other nodes declared this one dead, until its connections are recorded again. */
  #unrecorded = false;
  #quietUntil: number;

  constructor(deps: Deps, engine: CallEngine, presence: Presence, media: MediaNodes, forwards: Forwards) {
    this.#deps = deps;
    this.#engine = engine;
    this.#presence = presence;
    this.#media = media;
    this.#forwards = forwards;
    this.#work = new PeriodicWork(deps.log);
    this.#quietUntil = deps.now().getTime() + MEDIA_LOST_GRACE_MS;
  }

  /** Records that this node is alive, then takes over from dead nodes. */
  async beat(): Promise<void> {
    const now = this.#deps.now();
    const startedMs = performance.now();
    try {
      const found = await this.#recordHeartbeat(now);
      this.onTrunkLease(found.watchesTrunks ? startedMs + DEAD_AFTER_MS : null);
      if (!found.registered) await this.#register(now);
      if (this.#unrecorded) this.#work.start('own connections', () => this.#recordConnections());
      if (found.unleased) await this.#acquireLeases();
      if (found.dead.length > 0 || found.orphaned) await this.#removeDeadNodes(found.dead);
      if (this.#orphans.length > 0) this.#work.start('agents of dead nodes', () => this.#startGracePeriods());
      if (found.lost.length > 0)
        this.#work.start('calls without media', () => this.#endCallsOfLostMedia(found.lost));
      if (found.lostForwards.length > 0)
        this.#work.start('forwarded calls without media', () => this.#endLostForwards(found.lostForwards));
    } catch (error) {
      this.#quietUntil = this.#deps.now().getTime() + QUIET_MS;
      throw error;
    }
  }

  /** Resolves when what heartbeats have started is done. */
  async settled(): Promise<void> {
    await this.#work.settled();
  }

  /** On shutdown: the other nodes take over immediately. */
  async resign(): Promise<void> {
    const { db, nodeId } = this.#deps;
    await db.agentConnection.deleteMany({ where: { nodeId } });
    await db.liveCall.updateMany({ where: { leaseNodeId: nodeId }, data: { leaseNodeId: null } });
    await db.realtimeNode.deleteMany({ where: { id: nodeId } });
  }

  /** One statement, so that an idle node costs no more. What it finds is as it was before this heartbeat. */
  async #recordHeartbeat(now: Date): Promise<Found> {
    const { db, nodeId } = this.#deps;
    const before = (ms: number) => new Date(now.getTime() - ms);
    const mayRemove = now.getTime() >= this.#quietUntil - MEDIA_LOST_GRACE_MS;
    const mayEnd = now.getTime() >= this.#quietUntil;
    const media = this.#media.loads;
    const hasMedia = media.length > 0;
    const [row] = await runPrepared<FoundRow>(
      db,
      Prisma.sql`
      with beat as (update "RealtimeNode" set "heartbeatAt" = ${now} where "id" = ${nodeId} returning 1),
      seen as (
        insert into "MediaNode" ("id", "seenAt", "legs", "capacity", "draining")
        select m."id", ${now}, m."legs", m."capacity", m."draining"
        from unnest(${media.map(({ nodeId: id }) => id)}::text[], ${media.map(({ legs }) => legs)}::int[],
          ${media.map(({ capacity }) => capacity)}::int[], ${media.map(({ draining }) => draining)}::boolean[])
          m("id", "legs", "capacity", "draining") order by m."id"
        on conflict ("id") do update set "seenAt" = excluded."seenAt", "legs" = excluded."legs",
          "capacity" = excluded."capacity", "draining" = excluded."draining"),
      turn as (${mayRemove ? claimTurn('cluster', TURN_MS) : Prisma.sql`select 1 where false`}),
      -- A node without media gives the lease up; that of a removed node is acquired.
      trunks as (
        update "Sweep" set "leaseNodeId" = case when ${hasMedia}::boolean then ${nodeId} end
        where "name" = 'trunks' and exists (select from beat) and case when ${hasMedia}::boolean
          then "leaseNodeId" is null or "leaseNodeId" not in (select "id" from "RealtimeNode")
          else "leaseNodeId" = ${nodeId} end
        returning "leaseNodeId")
      select exists (select from beat) as "registered",
        exists (select from "LiveCall" where "leaseNodeId" is null)
          or exists (select from "LiveCall" where "leaseNodeId" not in (select "id" from "RealtimeNode")) as "unleased",
        (select json_agg(n) from (
          select "id", (extract(epoch from "heartbeatAt") * 1000)::float8 as "heartbeatAt" from "RealtimeNode"
          where "heartbeatAt" < ${before(DEAD_AFTER_MS)} and "id" <> ${nodeId} and exists (select from turn)) n) as "dead",
        exists (select from turn) and exists (
          select from "AgentConnection"
          where "nodeId" not in (select "id" from "RealtimeNode") and "nodeId" <> ${nodeId}) as "orphaned",
        (select json_agg(l) from (
          select "callId", "mediaNodeId" from "LiveCall" left join "MediaNode" on "MediaNode"."id" = "mediaNodeId"
          where ${mayEnd}::boolean and "leaseNodeId" = ${nodeId} and "mediaNodeId" is not null
            and ("seenAt" is null or "seenAt" < ${before(MEDIA_LOST_GRACE_MS + HEARTBEAT_MS)})) l) as "lost",
        (select json_agg(f) from (
          select f."id", f."mediaNodeId" from "ForwardedCall" f left join "MediaNode" m on m."id" = f."mediaNodeId"
          where ${mayEnd}::boolean and exists (select from turn) and f."state" <> 'ENDED'
            and (m."seenAt" is null or m."seenAt" < ${before(MEDIA_LOST_GRACE_MS + HEARTBEAT_MS)}
              or f."state" = 'RINGING' and f."startedAt" < ${before(FORWARD_RINGS_MAX_MS)})) f) as "lostForwards",
        coalesce((select "leaseNodeId" from trunks), (
          select "leaseNodeId" from "Sweep" where "name" = 'trunks' and not exists (select from trunks))
        ) = ${nodeId} as "watchesTrunks"`,
    );
    return {
      registered: row?.registered ?? false,
      unleased: row?.unleased ?? false,
      orphaned: row?.orphaned ?? false,
      watchesTrunks: row?.watchesTrunks ?? false,
      lost: row?.lost ?? [],
      lostForwards: row?.lostForwards ?? [],
      dead: (row?.dead ?? []).map(({ id, heartbeatAt }) => ({ id, heartbeatAt: new Date(heartbeatAt) })),
    };
  }

  /** At the start, and after other nodes declared this one dead. */
  async #register(now: Date): Promise<void> {
    const { db, nodeId, log } = this.#deps;
    await createSweepRows(db);
    // First, because the response to the next statement may be lost.
    this.#unrecorded = this.#registered;
    await db.realtimeNode.create({ data: { id: nodeId, startedAt: now, heartbeatAt: now } });
    if (this.#registered)
      log.warn({ nodeId }, 'this node was declared dead; recording its connections again');
    this.#registered = true;
  }

  /** Repeated at the next heartbeat if it fails. */
  async #recordConnections(): Promise<void> {
    this.#unrecorded = false; // set again if this node is declared dead meanwhile
    try {
      await this.#presence.reassert();
    } catch (error) {
      this.#unrecorded = true;
      throw error;
    }
    this.onDeclaredDead();
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

  async #removeDeadNodes(dead: Found['dead']): Promise<void> {
    const { db, log } = this.#deps;
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
      this.#orphans.push({ agentId, deviceId, since });
    }
  }

  /** The rows are deleted, so no other node does it. */
  async #startGracePeriods(): Promise<void> {
    for (let orphan = this.#orphans.shift(); orphan; orphan = this.#orphans.shift()) {
      const { agentId, deviceId, since } = orphan;
      await this.#presence.socketClosed(agentId, deviceId, since).catch((error: unknown) => {
        this.#deps.log.warn({ err: error, agentId }, 'failed to start the grace period of an agent');
      });
    }
  }

  /** `seenAt` may be one heartbeat old while the node is connected. */
  async #endCallsOfLostMedia(lost: Found['lost']): Promise<void> {
    const { log } = this.#deps;
    for (const { callId, mediaNodeId } of lost) {
      if (this.#media.isConnected(mediaNodeId)) continue;
      log.warn({ callId, mediaNodeId }, 'a call lost its media node');
      // Retried at the next heartbeat; the other calls do not wait for it.
      await this.#engine.step(callId, { type: 'media-lost', mediaNodeId }).catch((error: unknown) => {
        log.warn({ err: error, callId }, 'failed to end a call without its media node');
      });
    }
  }

  async #endLostForwards(lost: Found['lostForwards']): Promise<void> {
    for (const { id, mediaNodeId } of lost) await this.#forwards.lost(id, mediaNodeId);
  }
}
