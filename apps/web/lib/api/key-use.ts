/** When each API key was last used: noted in memory and written down a little later, so that no request waits for it. */
import { Prisma } from '@clarion/db';
import type { Database } from '@clarion/db';
import type { Logger } from 'pino';

/** `lastUsedAt` is kept to the minute. */
const STEP_MS = 60_000;
const WRITE_AFTER_MS = 5_000;
/** More keys than this and the notes start over, which costs a few writes. */
const MAX_KEYS = 20_000;

export interface KeyUse {
  note(keyId: number, at: Date): void;
  /** Writes down what is left. */
  stop(): Promise<void>;
}

export function createKeyUse(db: Database, log: Logger): KeyUse {
  /** What was noted last of each key. */
  const noted = new Map<number, number>();
  const unwritten = new Map<number, Date>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const uses = [...unwritten].toSorted(([a], [b]) => a - b);
    unwritten.clear();
    if (uses.length === 0) return;
    const rows = uses.map(([keyId, at]) => Prisma.sql`(${keyId}::int, ${at}::timestamptz)`);
    try {
      await db.$executeRaw`
        update "ApiKey" as k set "lastUsedAt" = used."at"
        from (values ${Prisma.join(rows)}) as used ("id", "at")
        where k."id" = used."id" and (k."lastUsedAt" is null or k."lastUsedAt" < used."at")`;
    } catch (err) {
      log.warn({ err }, 'it was not written down when keys were last used');
    }
  }

  return {
    note(keyId, at) {
      const time = at.getTime();
      const last = noted.get(keyId);
      if (last !== undefined && time - last < STEP_MS) return;
      if (noted.size >= MAX_KEYS) noted.clear();
      noted.set(keyId, time);
      unwritten.set(keyId, at);
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
