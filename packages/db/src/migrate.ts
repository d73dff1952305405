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

/** Prisma's note of the kind of database that the migrations are for. */
const LOCKFILE =
  '# Written by `npm run db -- new`; belongs under version control.\nprovider = "postgresql"\n';
const NO_FILTER = { externalTables: [], externalEnums: [] };
/** Any number, the same for everyone who migrates: one at a time per server. */
const MIGRATION_LOCK = 7_201_526;

/**
 * Brings a database up to date: our migrations, then those of the job queue. Safe to call from several processes at once.
 *
 * @returns the names of the migrations applied now, oldest first
 * @throws when a migration fails (it stays marked as failed, as with `prisma migrate deploy`)
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
    await lock.end(); // lets go of the lock as well
  }
}

/**
 * Writes `prisma/migrations/<time>_<name>/migration.sql` with what the schema has and the migrations have not. Edit the
 * file by hand for what Prisma's language cannot say (partial indexes, checks, triggers) before it is applied anywhere.
 *
 * @param databaseUrl any database on a server where shadow databases may be made; it is not changed
 * @returns the path of the file, or undefined when there is nothing to write and `empty` is not set
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
 * The SQL that would take a database made by the migrations to what the schema says; empty when they agree.
 *
 * @param databaseUrl any database on a server where shadow databases may be made; it is not changed
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

/** The engine writes a comment, "This is an empty migration.", where there is nothing to do. */
const hasStatements = (sql: string): boolean => sql.replaceAll(/^--.*$/gm, '').trim() !== '';

/** As Prisma names its migrations: `20261121134500`, in UTC. */
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
