/** Real Prisma migrations (`prisma/migrations`, `_prisma_migrations`) without Prisma's native engine. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  MigrationDirectory,
  MigrationList,
  SchemasContainer,
} from '@prisma/schema-engine-wasm/schema_engine_bg';
import { Logger, runMigrations as runWorkerMigrations } from 'graphile-worker';
import pg from 'pg';
import { withSchemaEngine } from './schema-engine.ts';

const prismaDir = fileURLToPath(new URL('../prisma', import.meta.url));
const migrationsDir = join(prismaDir, 'migrations');
const schemaPath = join(prismaDir, 'schema.prisma');

/** Prisma's record of the kind of database for which the migrations are written. */
const LOCKFILE =
  '# Written by `npm run db -- new`; belongs under version control.\nprovider = "postgresql"\n';
const NO_FILTER = { externalTables: [], externalEnums: [] };
/** An arbitrary number, the same in every process, so that only one migrates a server at a time. */
const MIGRATION_LOCK = 7_201_526;

/**
 * Updates a database: our migrations, then those of the job queue. Safe to call from several processes concurrently.
 *
 * @returns the names of the migrations applied now, oldest first
 * @throws if a migration fails (it stays marked as failed, as with `prisma migrate deploy`)
 */
export async function applyMigrations(databaseUrl: string): Promise<string[]> {
  const lock = new pg.Client({ connectionString: databaseUrl });
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const migrationsList = await readMigrations();
    const { appliedMigrationNames } = await withSchemaEngine(databaseUrl, (engine) =>
      engine.applyMigrations({ migrationsList, filters: NO_FILTER }),
    );
    await runWorkerMigrations({
      connectionString: databaseUrl,
      maxPoolSize: 1,
      logger: new Logger(() => () => {}),
    });
    return appliedMigrationNames;
  } finally {
    await lock.end(); // also releases the lock
  }
}

/**
 * Writes `prisma/migrations/<time>_<name>/migration.sql` with the changes of the schema that the migrations lack. Before it is applied
 * anywhere, edit the file for what Prisma's schema language cannot express (partial indexes, checks, triggers).
 *
 * @param databaseUrl any database on a server where shadow databases may be created; it is not changed
 * @returns the path of the file, or undefined if there is nothing to write and `empty` is not set
 */
export async function createMigration(
  databaseUrl: string,
  name: string,
  { empty = false }: { empty?: boolean } = {},
): Promise<string | undefined> {
  const sql = empty ? '-- Written by hand.\n' : await differenceSql(databaseUrl);
  if (!hasStatements(sql) && !empty) return undefined;
  const dir = join(
    migrationsDir,
    `${timestamp(new Date())}_${name.replaceAll(/[^a-z0-9]+/gi, '_').toLowerCase()}`,
  );
  await mkdir(dir, { recursive: true });
  await writeFile(join(migrationsDir, 'migration_lock.toml'), LOCKFILE);
  const file = join(dir, 'migration.sql');
  await writeFile(file, sql);
  return file;
}

/**
 * The SQL that changes a database created by the migrations to match the schema; empty if they match.
 *
 * @param databaseUrl any database on a server where shadow databases may be created; it is not changed
 */
export async function driftSql(databaseUrl: string): Promise<string> {
  const sql = await differenceSql(databaseUrl);
  return hasStatements(sql) ? sql : '';
}

async function differenceSql(databaseUrl: string): Promise<string> {
  const migrations = await readMigrations();
  const schema = await readSchema();
  const { stdout } = await withSchemaEngine(databaseUrl, (engine) =>
    engine.diff({
      from: { tag: 'migrations', ...migrations },
      to: { tag: 'schemaDatamodel', ...schema },
      script: true,
      exitCode: null,
      filters: NO_FILTER,
    }),
  );
  return stdout ?? '';
}

/** If there is nothing to do, the engine writes the comment "This is an empty migration.". */
const hasStatements = (sql: string): boolean => sql.replaceAll(/^--.*$/gm, '').trim() !== '';

/** In the format of Prisma's migration names: `20261121134500`, in UTC. */
const timestamp = (date: Date): string => date.toISOString().replaceAll(/\D/g, '').slice(0, 14);

async function readMigrations(): Promise<MigrationList> {
  const names = existsSync(migrationsDir)
    ? (await readdir(migrationsDir, { withFileTypes: true })).filter((entry) => entry.isDirectory())
    : [];
  const read = async (name: string): Promise<MigrationDirectory> => ({
    path: name,
    migrationFile: {
      path: 'migration.sql',
      content: { tag: 'ok', value: await readFile(join(migrationsDir, name, 'migration.sql'), 'utf8') },
    },
  });
  return {
    baseDir: migrationsDir,
    lockfile: { path: join(migrationsDir, 'migration_lock.toml'), content: LOCKFILE },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names
        .map(({ name }) => name)
        .toSorted()
        .map(read),
    ),
  };
}

async function readSchema(): Promise<SchemasContainer> {
  return { files: [{ path: schemaPath, content: await readFile(schemaPath, 'utf8') }] };
}
