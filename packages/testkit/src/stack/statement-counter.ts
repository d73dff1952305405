/**
 * Counts the statements that the server executes for each process of a stack: pg_stat_statements, whose counts cost next to nothing, tells
 * roles apart but not application names, so each app connects with a role of its own. A statement inside a function is part of the one
 * that calls it. A statement that fails is not counted.
 */
import { createPool, type SqlPool } from '@clarion/db';
import { APP_NAMES, type AppName } from '@clarion/devkit/stack/process-names';

/** For a server that counts. The default of 5,000 distinct statements would evict the rarer ones. */
export const COUNTING_SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'top',
  'pg_stat_statements.max': '20000',
  'pg_stat_statements.save': 'off',
};

const ROLE_PREFIX = 'app_';
const BEGINS_OR_ENDS_TRANSACTION =
  /^\s*(begin|start transaction|commit|end|rollback|abort|savepoint|release)\b/i;
const COMMITS = /^\s*(commit|end)\b/i;

/** Returns each app's own DATABASE_URL. The roles are superusers, as is the one that owns the tables. */
export async function giveEachAppARole(
  url: string,
): Promise<Partial<Record<AppName, Record<string, string>>>> {
  const pool = connect(url);
  const password = decodeURIComponent(new URL(url).password);
  try {
    await pool.query('create extension if not exists pg_stat_statements');
    for (const name of APP_NAMES) {
      const { rows } = await pool.query<{ create: string }>(
        `select format('create role %I superuser login password %L', $1::text, $2::text) as create`,
        [`${ROLE_PREFIX}${name}`, password],
      );
      await pool.query(rows[0]?.create ?? '');
    }
  } finally {
    await pool.end();
  }
  return Object.fromEntries(APP_NAMES.map((name) => [name, { DATABASE_URL: withUser(url, name) }]));
}

/** A connection that the server closes first makes the next query fail. */
const connect = (url: string): SqlPool => createPool(url, { connections: 1, onError: () => undefined });

function withUser(url: string, name: AppName): string {
  const own = new URL(url);
  own.username = `${ROLE_PREFIX}${name}`;
  return own.href;
}

interface Row {
  process: string;
  query: string;
  calls: number;
}

/** All counts since the server started. */
export interface Reading {
  /** ms of performance.now. */
  at: number;
  rows: ReadonlyMap<string, Row>;
}

/** What was executed between two readings. */
export interface Executed {
  seconds: number;
  rows: Row[];
}

/** The URL must be that of another role than the apps', so that the reading itself is not counted. */
export class StatementCounter {
  readonly #pool: SqlPool;

  constructor(url: string) {
    this.#pool = connect(url);
  }

  async read(): Promise<Reading> {
    const { rows } = await this.#pool.query<{ key: string; role: string; query: string; calls: string }>(
      `select s.userid || ' ' || s.queryid as key, r.rolname as role, s.query, s.calls
       from pg_stat_statements s join pg_roles r on r.oid = s.userid join pg_database d on d.oid = s.dbid
       where s.toplevel and d.datname = current_database() and starts_with(r.rolname, $1)`,
      [ROLE_PREFIX],
    );
    const byKey = rows.map(({ key, role, query, calls }) => {
      const row: Row = { process: role.slice(ROLE_PREFIX.length), query, calls: Number(calls) };
      return [key, row] as const;
    });
    return { at: performance.now(), rows: new Map(byKey) };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

export function executedBetween(before: Reading, after: Reading): Executed {
  const rows = [...after.rows].map(([key, row]) => ({
    ...row,
    calls: row.calls - (before.rows.get(key)?.calls ?? 0),
  }));
  return { seconds: (after.at - before.at) / 1000, rows: rows.filter(({ calls }) => calls > 0) };
}

/** What remains of `executed` when the same processes' idle load of as many seconds is subtracted, statement by statement. */
export function withoutIdle(executed: Executed, idle: Executed): Executed {
  const keyOf = ({ process, query }: Row) => `${process} ${query}`;
  const counts = new Map(executed.rows.map((row) => [keyOf(row), { ...row }]));
  for (const row of idle.rows) {
    const count = counts.get(keyOf(row)) ?? { ...row, calls: 0 };
    count.calls -= (row.calls / idle.seconds) * executed.seconds;
    counts.set(keyOf(row), count);
  }
  return { seconds: executed.seconds, rows: [...counts.values()] };
}

export interface StatementCount {
  /** Without BEGIN, COMMIT and the like. */
  statements: number;
  /** Committed transactions of more than one statement (a single statement commits itself). */
  commits: number;
}

export function countByProcess({ rows }: Executed): Record<string, StatementCount> {
  const counts: Record<string, StatementCount> = {};
  for (const { process, query, calls } of rows) {
    const count = (counts[process] ??= { statements: 0, commits: 0 });
    if (COMMITS.test(query)) count.commits += calls;
    if (!BEGINS_OR_ENDS_TRANSACTION.test(query)) count.statements += calls;
  }
  return counts;
}

export function countAll(executed: Executed): StatementCount {
  const counts = Object.values(countByProcess(executed));
  return {
    statements: counts.reduce((sum, { statements }) => sum + statements, 0),
    commits: counts.reduce((sum, { commits }) => sum + commits, 0),
  };
}
