/**
 * Says that this worker lives, and unlocks the jobs of workers that do not: graphile-worker itself would leave them locked for four hours.
 * A worker that is killed stops beating; 10 seconds later its jobs are free again. All times are the database's.
 */
import { privateJobs } from '@clarion/db';
import type { Database } from '@clarion/db';
import type { Logger } from 'pino';

const BEAT_MS = 2_000;
/** A worker whose last beat is older than this is dead. */
const DEAD_AFTER_MS = 10_000;

export interface Heartbeat {
  /** Stops beating, lets go of every job that the worker still holds, and signs off. */
  stop(): Promise<void>;
}

/** `poolId` is what `locked_by` of this worker's jobs says. Resolves after the first beat, which must precede the first job. */
export async function startHeartbeat(db: Database, poolId: string, log: Logger): Promise<Heartbeat> {
  let steadySince = Date.now();
  let lastBeat = Date.now();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const beat = async () => {
    await db.$executeRaw`insert into "WorkerNode" (id, "heartbeatAt") values (${poolId}, now())
      on conflict (id) do update set "heartbeatAt" = now()`;
    // After a gap (the database was away) the others' beats are old too, though they live: let everyone beat again first.
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
      await db.$executeRaw`delete from "WorkerNode" where id = ${poolId}`;
    },
  };
}

/** Frees what dead workers hold: those with an old beat, and holders of old locks that never beat at all. */
async function unlockDead(db: Database, log: Logger): Promise<void> {
  const dead = await db.$queryRaw<{ id: string }[]>`
    with silent as (
      delete from "WorkerNode" where "heartbeatAt" < now() - ${DEAD_AFTER_MS} * interval '1 millisecond' returning id
    ), dead as (
      select id from silent
      union
      select locked_by from ${privateJobs}
      where locked_at < now() - ${DEAD_AFTER_MS} * interval '1 millisecond'
        and not exists (select 1 from "WorkerNode" where id = locked_by)
    ), unlocked as (
      select graphile_worker.force_unlock_workers(array(select id from dead))
    )
    select dead.id from dead, unlocked`;
  if (dead.length > 0) log.warn({ workers: dead.map(({ id }) => id) }, 'unlocked the jobs of dead workers');
}
