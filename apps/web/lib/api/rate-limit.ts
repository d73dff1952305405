/**
 * Fixed one-minute windows (docs/requirements.md#limits). A bucket is a name with a limit. Each process
 * counts in memory and adds its count to the shared row a few times a second, so a request costs no round trip. A single process
 * never exceeds the limit; several exceed it by at most what they counted between two additions.
 */
import { Prisma } from '@clarion/db';
import type { Database } from '@clarion/db';
import { TEST_PUSHES_PER_MINUTE } from '@clarion/protocol/v1/tenant/push-credentials';
import type { Logger } from 'pino';

export const REQUESTS_PER_MINUTE = 1200;
const MINUTE_MS = 60_000;
const ADD_EVERY_MS = 200;
/** How long past windows are kept, to investigate a complaint. */
const RETENTION_MINUTES = 60;

export interface Bucket {
  /**
   * Kind and ID: `consumer:<id>`, `session:<id>`, `dashboard:<consumer>`, `sign-in:<address>`,
   * `refused-launch:<consumer>`, `test-push:<consumer>`, `mcp-key:<id>`, `mcp-address:<address>`.
   */
  name: string;
  perMinute: number;
}

/** Assistant tool calls of one API key, and requests to the MCP endpoint of one client address (docs/requirements.md#limits). */
const MCP_CALLS_PER_MINUTE = 300;
const MCP_ADDRESS_REQUESTS_PER_MINUTE = 600;

export const mcpKeyBucket = (keyId: number): Bucket => ({
  name: `mcp-key:${keyId}`,
  perMinute: MCP_CALLS_PER_MINUTE,
});
export const mcpAddressBucket = (address: string): Bucket => ({
  name: `mcp-address:${address}`,
  perMinute: MCP_ADDRESS_REQUESTS_PER_MINUTE,
});
export const consumerBucket = (consumerId: number): Bucket => ({
  name: `consumer:${consumerId}`,
  perMinute: REQUESTS_PER_MINUTE,
});

/** Dashboard users have limits of their own, so that a page cannot use up the requests of the account's backend. */
const SESSION_REQUESTS_PER_MINUTE = 600;
/** All dashboard sessions of an account together. */
const DASHBOARD_REQUESTS_PER_MINUTE = 6000;

export const sessionBucket = (sessionId: number): Bucket => ({
  name: `session:${sessionId}`,
  perMinute: SESSION_REQUESTS_PER_MINUTE,
});
export const dashboardBucket = (consumerId: number): Bucket => ({
  name: `dashboard:${consumerId}`,
  perMinute: DASHBOARD_REQUESTS_PER_MINUTE,
});

/** Attempts to sign in, to launch and to request a password reset, from one client address. */
const SIGN_INS_PER_MINUTE = 60;
export const signInBucket = (address: string): Bucket => ({
  name: `sign-in:${address}`,
  perMinute: SIGN_INS_PER_MINUTE,
});

/** Rejected launch tokens that are written to an account's audit log. */
const AUDITED_REFUSED_LAUNCHES_PER_MINUTE = 1;
export const refusedLaunchBucket = (consumerId: number): Bucket => ({
  name: `refused-launch:${consumerId}`,
  perMinute: AUDITED_REFUSED_LAUNCHES_PER_MINUTE,
});

export const testPushBucket = (consumerId: number): Bucket => ({
  name: `test-push:${consumerId}`,
  perMinute: TEST_PUSHES_PER_MINUTE,
});

export interface Allowance {
  allowed: boolean;
  remaining: number;
  /** When the window ends. */
  resetAt: Date;
}

export interface RateLimiter {
  take(bucket: Bucket, now: Date): Promise<Allowance>;
  purgeOldWindows(now: Date): Promise<void>;
  /** How many buckets this process has in memory: those of the current minute. */
  size(): number;
  stop(): Promise<void>;
}

interface Window {
  bucket: string;
  minute: number;
  /** The latest value of the shared row, which includes our own count. */
  counted: number;
  /** Counted here and not yet added; being added now. */
  pending: number;
  adding: number;
  opened: Promise<void>;
}

export function createRateLimiter(db: Database, log: Logger): RateLimiter {
  const windows = new Map<string, Window>();
  const dirty = new Set<Window>();
  /** The minute of the newest window. */
  let latest = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  /** One warning for an outage of the database, not five a second. */
  let isFailing = false;

  /** Adds to the shared rows and reads them back. Sorted, so that two processes cannot deadlock. */
  async function add(batch: readonly Window[]): Promise<void> {
    const ordered = batch.toSorted((a, b) =>
      a.bucket < b.bucket ? -1 : a.bucket > b.bucket ? 1 : a.minute - b.minute,
    );
    const rows = ordered.map(({ bucket, minute, adding }) => Prisma.sql`(${bucket}, ${minute}, ${adding})`);
    const counts = await db.$queryRaw<{ bucket: string; minute: number; count: number }[]>`
      insert into "RateWindow" as w ("bucket", "minute", "count") values ${Prisma.join(rows)}
      on conflict ("bucket", "minute") do update set "count" = w."count" + excluded."count"
      returning "bucket", "minute", "count"`;
    const nameOf = ({ bucket, minute }: Pick<Window, 'bucket' | 'minute'>) => `${minute} ${bucket}`;
    const countOf = new Map(counts.map((row) => [nameOf(row), row.count]));
    for (const window of ordered) {
      window.counted = Math.max(window.counted, countOf.get(nameOf(window)) ?? 0);
      window.adding = 0;
    }
  }

  async function addPending(): Promise<void> {
    const batch = [...dirty];
    dirty.clear();
    for (const window of batch) {
      window.adding = window.pending;
      window.pending = 0;
    }
    if (batch.length === 0) return;
    try {
      await add(batch);
      isFailing = false;
    } catch (err) {
      for (const window of batch) {
        window.pending += window.adding;
        window.adding = 0;
        dirty.add(window);
      }
      if (!isFailing) log.warn({ err }, 'failed to count requests for rate limiting, will retry');
      isFailing = true;
      schedule();
    }
  }

  function schedule(): void {
    if (timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      running = running.then(addPending);
    }, ADD_EVERY_MS);
    timer.unref();
  }

  /** Clients can use any number of addresses, so a window is kept in memory for its own minute only. */
  function evictPast(minute: number): void {
    latest = minute;
    for (const [bucket, window] of windows) if (window.minute < minute) windows.delete(bucket);
  }

  function windowOf(bucket: string, minute: number): Window {
    const current = windows.get(bucket);
    if (current?.minute === minute) return current;
    if (minute > latest) evictPast(minute);
    const opened: Window = {
      bucket,
      minute,
      counted: 0,
      pending: 0,
      adding: 0,
      opened: Promise.resolve(),
    };
    // A process that has just started reads what others counted in this minute.
    opened.opened = add([opened]);
    opened.opened.catch(() => {
      if (windows.get(bucket) === opened) windows.delete(bucket);
    });
    windows.set(bucket, opened);
    return opened;
  }

  return {
    async take({ name, perMinute }, now) {
      const minute = Math.floor(now.getTime() / MINUTE_MS);
      const window = windowOf(name, minute);
      await window.opened;
      const used = window.counted + window.adding + window.pending;
      const resetAt = new Date((minute + 1) * MINUTE_MS);
      if (used >= perMinute) return { allowed: false, remaining: 0, resetAt };
      window.pending += 1;
      dirty.add(window);
      schedule();
      return { allowed: true, remaining: perMinute - used - 1, resetAt };
    },
    size: () => windows.size,
    async purgeOldWindows(now) {
      const minute = Math.floor(now.getTime() / MINUTE_MS) - RETENTION_MINUTES;
      await db.rateWindow.deleteMany({ where: { minute: { lt: minute } } });
    },
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await running;
      await addPending();
      clearTimeout(timer);
    },
  };
}
