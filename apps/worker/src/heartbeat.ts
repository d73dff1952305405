/**
 * Sends this worker's heartbeat, releases the deliveries of dead workers, and unlocks their jobs, which graphile-worker itself would leave
 * locked for four hours. Both happen 10 seconds after a worker is killed. All times are the database's.
 */
import { Prisma, privateJobs, runPrepared } from '@clarion/db';
import type { Database } from '@clarion/db';
import type { Logger } from 'pino';

const BEAT_MS = 2_000;
/** A worker whose last heartbeat is older than this is dead. */
const DEAD_AFTER_MS = 10_000;

export interface Heartbeat {
  /** Stops the heartbeat, releases every job and delivery that the worker has still claimed, and deregisters it. */
  stop(): Promise<void>;
}

/**
 * `poolId` is the value of `locked_by` in this worker's jobs, or of `claimedBy` in its deliveries. Resolves after the first heartbeat, which
 * must precede the first of them.
 */
export async function startHeartbeat(db: Database, poolId: string, log: Logger): Promise<Heartbeat> {
  let steadySince = Date.now();
  let lastBeat = Date.now();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const beat = async () => {
    await runPrepared(
      db,
      Prisma.sql`insert into "WorkerNode" (id, "heartbeatAt") values (${poolId}, now())
      on conflict (id) do update set "heartbeatAt" = now()`,
    );
    // After an outage of the database the heartbeats of live workers are old too, so they get time for a new one first.
    if (Date.now() - lastBeat > DEAD_AFTER_MS) steadySince = Date.now();
    lastBeat = Date.now();
    if (lastBeat - steadySince >= DEAD_AFTER_MS) await unlockDead(db, log);
  };
  const again = () => {
    timer = setTimeout(() => {
      running = beat()
        .catch((error: unknown) => log.warn({ err: error }, 'heartbeat failed'))
        .finally(() => {
          if (!stopped) again();
        });
    }, BEAT_MS);
  };
  let running: Promise<void> = beat();
  await running;
  again();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running.catch(() => undefined);
      await db.$executeRaw`select graphile_worker.force_unlock_workers(array[${poolId}])`;
      await db.$executeRaw`update "EventDelivery" set "claimedBy" = null, "claimedAt" = null where "claimedBy" = ${poolId}`;
      await db.$executeRaw`delete from "WorkerNode" where id = ${poolId}`;
    },
  };
}

/** Dead workers are those with an old heartbeat, and those with old locks or claims and no heartbeat at all. */
async function unlockDead(db: Database, log: Logger): Promise<void> {
  // Not prepared: a plan made while there were few jobs and deliveries reads all of a backlog.
  const dead = await db.$queryRaw<{ id: string }[]>`
    with silent as (
      delete from "WorkerNode" where "heartbeatAt" < now() - ${DEAD_AFTER_MS} * interval '1 millisecond' returning id
    ), dead as (
      select id from silent
      union
      select locked_by from ${privateJobs}
      where locked_at < now() - ${DEAD_AFTER_MS} * interval '1 millisecond'
        and not exists (select 1 from "WorkerNode" where id = locked_by)
      union
      select "claimedBy" from "EventDelivery"
      where "claimedAt" < now() - ${DEAD_AFTER_MS} * interval '1 millisecond'
        and not exists (select 1 from "WorkerNode" where id = "claimedBy")
    ), released as (
      update "EventDelivery" set "claimedBy" = null, "claimedAt" = null where "claimedBy" in (select id from dead)
    ), unlocked as (
      select graphile_worker.force_unlock_workers(array(select id from dead))
    )
    select dead.id from dead, unlocked`;
  if (dead.length > 0)
    log.warn({ workers: dead.map(({ id }) => id) }, 'released the jobs and deliveries of dead workers');
}
