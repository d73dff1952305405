/** When credentials were last used: collected in memory and written a little later, so that no request waits for it. */
import type { Logger } from 'pino';

const WRITE_AFTER_MS = 5_000;
/** With more entries than this the memory is cleared, which costs a few extra writes. */
const MAX_NOTED = 20_000;

export interface LastUse {
  note(id: number, at: Date): void;
  /** Writes what is pending. */
  stop(): Promise<void>;
}

export interface LastUseOptions {
  /** "API keys", for the log. */
  what: string;
  /** A use is ignored if it follows the last recorded one by less than this. */
  stepMs: number;
  write(uses: ReadonlyMap<number, Date>): Promise<void>;
  log: Pick<Logger, 'warn'>;
}

export function createLastUse({ what, stepMs, write, log }: LastUseOptions): LastUse {
  /** The last recorded use of each. */
  const noted = new Map<number, number>();
  const unwritten = new Map<number, Date>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function writeAll(): Promise<void> {
    if (unwritten.size === 0) return;
    const batch = new Map(unwritten);
    unwritten.clear();
    try {
      await write(batch);
    } catch (err) {
      log.warn({ err }, `failed to record when ${what} were last used`);
    }
  }

  return {
    note(id, at) {
      const time = at.getTime();
      const last = noted.get(id);
      if (last !== undefined && time - last < stepMs) return;
      if (noted.size >= MAX_NOTED) noted.clear();
      noted.set(id, time);
      unwritten.set(id, at);
      timer ??= setTimeout(() => {
        timer = undefined;
        writing = writing.then(writeAll);
      }, WRITE_AFTER_MS).unref();
    },
    async stop() {
      clearTimeout(timer);
      await writing;
      await writeAll();
    },
  };
}
