/** A real, migrated, empty database for one test file. The test must be in vitest's project `db` or `e2e`. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { createDatabase, type Database } from '../src/index.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testServerUrl: string;
    templateDatabase: string;
  }
}

export interface TestDatabase {
  url: string;
  /** A client that `drop` disconnects. */
  connect(): Database;
  /** Closes every remaining connection and drops the database. */
  drop(): Promise<void>;
}

/** A copy of the migrated template, which PostgreSQL creates in some tens of milliseconds. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('testServerUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(serverUrl, `create database ${name} template ${inject('templateDatabase')}`);
  const url = withDatabaseName(serverUrl, name);
  const clients: Database[] = [];
  return {
    url,
    connect() {
      const client = createDatabase(url);
      clients.push(client);
      return client;
    },
    async drop() {
      await Promise.all(clients.map((client) => client.$disconnect()));
      await onServer(serverUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

export function withDatabaseName(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function onServer(serverUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
