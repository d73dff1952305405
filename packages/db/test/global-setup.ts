/** vitest's globalSetup of the projects `db` and `e2e`: one PostgreSQL for the whole run, with a migrated template. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';
import { readEnv } from '../src/env.ts';
import { applyMigrations } from '../src/migrate.ts';
import { withDatabaseName } from './test-database.ts';

const MAX_CONNECTIONS = '400';

interface Shared {
  server: Promise<{ url: string; template: string; stop(): Promise<void> }>;
  users: number;
}
declare global {
  /** Several projects of one run share the server, each with its own copy of this module. The last one to finish stops it. */
  var clarionTestServer: Shared | undefined;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const shared = (globalThis.clarionTestServer ??= { server: start(), users: 0 });
  shared.users += 1;
  const server = await shared.server;
  project.provide('testServerUrl', server.url);
  project.provide('templateDatabase', server.template);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    globalThis.clarionTestServer = undefined;
    await server.stop();
  };
}

async function start() {
  const { testDatabaseUrl: outside } = readEnv();
  const server = outside
    ? { url: outside, stop: async () => undefined }
    : await startTemporaryPostgres({ settings: { max_connections: MAX_CONNECTIONS } });
  const template = await createTemplate(server.url);
  return { url: server.url, template, stop: server.stop };
}

/** Created for every run, because on an external server an older run's template may have other migrations. */
async function createTemplate(serverUrl: string): Promise<string> {
  const migrations = await readdir(new URL('../prisma/migrations', import.meta.url));
  const name = `clarion_template_${createHash('sha256').update(migrations.join()).digest('hex').slice(0, 8)}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name} template template0`);
  } finally {
    await client.end();
  }
  await applyMigrations(withDatabaseName(serverUrl, name));
  return name;
}
