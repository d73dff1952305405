import pg from 'pg';
import { expect, test } from 'vitest';
import { applyMigrations, driftSql } from './migrate.ts';
import { createTestDatabase } from '../test/test-database.ts';

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('the migrations create exactly the schema', async () => {
  const database = await createTestDatabase();
  try {
    expect(await driftSql(database.url)).toBe('');
    const shadows = await query(database.url, "select datname from pg_database where datname like 'shadow%'");
    expect(shadows).toEqual([]);
  } finally {
    await database.drop();
  }
});

test('a test database is migrated, has the job queue, and is removed by drop', async () => {
  const database = await createTestDatabase();
  const applied = await query(database.url, 'select migration_name, finished_at from _prisma_migrations');
  expect(applied.length).toBeGreaterThan(0);
  expect(applied.every((row) => row['finished_at'] instanceof Date)).toBe(true);
  expect(await query(database.url, 'select count(*)::int as jobs from graphile_worker.jobs')).toEqual([
    { jobs: 0 },
  ]);
  await database.drop();
  await expect(query(database.url, 'select 1')).rejects.toThrow(/does not exist/);
});

test('migrating twice, and from two processes concurrently, applies each migration once', async () => {
  const database = await createTestDatabase();
  try {
    expect(await Promise.all([applyMigrations(database.url), applyMigrations(database.url)])).toEqual([
      [],
      [],
    ]);
    const rows = await query(database.url, 'select migration_name from _prisma_migrations');
    expect(new Set(rows.map((row) => row['migration_name'])).size).toBe(rows.length);
  } finally {
    await database.drop();
  }
});
