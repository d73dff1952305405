/** When each session was last used: noted in memory and written down a little later, so that no request waits for it. */
import { noteSeen } from '@clarion/core/session/note-seen';
import { SEEN_EVERY_MS } from '@clarion/core/session/session-limits';
import type { Database } from '@clarion/db';
import type { Logger } from 'pino';

const WRITE_AFTER_MS = 5_000;
/** More sessions than this and the notes start over, which costs a few writes. */
const MAX_SESSIONS = 20_000;

export interface Seen {
  note(sessionId: number, at: Date): void;
  /** Writes down what is left. */
  stop(): Promise<void>;
}

export function createSeen(db: Database, log: Logger): Seen {
  /** What was noted last of each session. */
  const noted = new Map<number, number>();
  const unwritten = new Map<number, Date>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const batch = new Map(unwritten);
    unwritten.clear();
    await noteSeen(db, batch).catch((err: unknown) => {
      log.warn({ err }, 'it was not written down when sessions were last used');
    });
  }

  return {
    note(sessionId, at) {
      const last = noted.get(sessionId);
      if (last !== undefined && at.getTime() - last < SEEN_EVERY_MS) return;
      if (noted.size >= MAX_SESSIONS) noted.clear();
      noted.set(sessionId, at.getTime());
      unwritten.set(sessionId, at);
      timer ??= setTimeout(() => {
        timer = undefined;
        writing = writing.then(write);
      }, WRITE_AFTER_MS).unref();
    },
    async stop() {
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}
