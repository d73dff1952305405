/** Keeps something running that can meet trouble: a run that did is retired, and another takes its place at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface Run {
  /** Resolves, with the trouble, when this run should be stopped and another be started. */
  faulted: Promise<Error>;
  /** Takes no more work, lets the running ends, signs off. */
  stop(): Promise<void>;
}

export interface Supervised {
  /** False while another run is being started, and after `stop`. */
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** Between two tries to start another run while the database is away. */
const RESTART_DELAY_MS = 1_000;

/** Resolves when the first run runs. `what` names it in the log. */
export async function supervise(what: string, start: () => Promise<Run>, log: Logger): Promise<Supervised> {
  let run: Run | null = await start();
  const stopping = new AbortController();
  const stopRequested = new Promise<null>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(null));
  });
  const retiring = new Set<Promise<void>>();
  // When the database is away, signing off fails: the others will take the run for dead and unlock its jobs.
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
      retire(run); // what it has begun may take a while to end: nobody waits for that
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
