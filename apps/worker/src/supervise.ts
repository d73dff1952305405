/** Keeps a run active: a run that fails is retired and replaced immediately. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Run {
  /** Resolves with the error when this run must be replaced. */
  faulted: Promise<Error>;
  /** Claims no more work, lets running work finish, and deregisters. */
  stop(): Promise<void>;
}

export interface Supervised {
  /** False while a run is being started, and after `stop`. */
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** Delay between attempts to start a run while the database is unavailable. */
const RESTART_DELAY_MS = 1_000;

/** Resolves when the first run has started. `what` names it in the log. */
export async function supervise(what: string, start: () => Promise<Run>, log: Logger): Promise<Supervised> {
  let run: Run | null = await start();
  const stopping = new AbortController();
  const stopRequested = new Promise<null>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(null));
  });
  const retiring = new Set<Promise<void>>();
  // If the database is unavailable, deregistering fails: the other workers will consider the run dead and unlock its jobs.
  const retire = (retired: Run) => {
    const done = retired
      .stop()
      .catch((error: unknown) => log.warn({ err: error, what }, 'failed to deregister'))
      .finally(() => retiring.delete(done));
    retiring.add(done);
  };
  const keepRunning = async () => {
    while (run) {
      const trouble = await Promise.race([run.faulted, stopRequested]);
      if (trouble === null) return retire(run);
      log.error({ err: trouble, what }, 'failed, restarting');
      retire(run); // not awaited, because its running work may take a while
      run = null;
      while (!run && !stopping.signal.aborted) {
        run = await start().catch(() => null);
        if (!run) await Promise.race([sleep(RESTART_DELAY_MS), stopRequested]);
      }
      if (run) log.info({ what }, 'restarted');
    }
  };
  const kept = keepRunning();
  return {
    isRunning: () => run !== null && !stopping.signal.aborted,
    async stop() {
      stopping.abort();
      await kept;
      await Promise.all(retiring);
    },
  };
}
