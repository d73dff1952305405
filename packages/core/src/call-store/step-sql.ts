/** Runs a prepared statement of the call path: on a connection of the process's pool, or inside an open Prisma transaction. */
import { notifyAfterCommit, notifyCommitted, poolOf } from '@clarion/db';
import type { Database, NotifyChannel, Tx } from '@clarion/db';
import { announce, markRecorded } from '../announce-deliveries.ts';
import { isRoot } from '../context.ts';

export interface Statement {
  /** The name under which each connection prepares it. */
  name: string;
  text: string;
}

/** @returns the only column of the only row, or null if there is no row */
export type RunStatement = (
  statement: Statement,
  values: readonly (string | number | number[] | null)[],
) => Promise<unknown>;

export interface StepSql {
  run: RunStatement;
  /** Each statement is a transaction of its own. */
  autocommit: boolean;
  /** To be called when a statement has recorded events or push notifications. */
  onRecorded: (what: 'deliveries' | 'pushes') => void;
  /** Sends a notification after the commit. Without it, its receivers find the change when they poll. */
  notify: (channel: NotifyChannel, payload: bigint) => Promise<void>;
}

/** Outside a transaction each statement is its own transaction, without Prisma: most steps run this way. */
export function stepSqlOf(db: Tx | Database): StepSql {
  if (!isRoot(db)) {
    return {
      autocommit: false,
      run: async ({ text }, values) => onlyValue(await db.$queryRawUnsafe<object[]>(text, ...values)),
      onRecorded: (what) => markRecorded(db, what),
      notify: (channel, payload) => notifyAfterCommit(db, channel, payload),
    };
  }
  const pool = poolOf(db);
  return {
    autocommit: true,
    run: async (statement, values) => {
      const { rows } = await pool.query<object>({ ...statement, values: [...values] });
      return onlyValue(rows);
    },
    onRecorded: (what) => announce(db, what),
    notify: (channel, payload) => notifyCommitted(db, channel, payload).catch(() => undefined),
  };
}

const onlyValue = ([row]: object[]): unknown => (row ? (Object.values(row)[0] as unknown) : null);
