/**
 * Prisma's schema engine in WebAssembly, fed through the pg adapter: the same code as `prisma migrate`, without the
 * native binary that its command line downloads. The package's version must be the one that `@prisma/engines-version`
 * of our Prisma names.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type {
  ColumnType,
  SqlMigrationAwareDriverAdapterFactory,
  SqlQuery,
  SqlResultSet,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import type { QueryConfig, QueryResult } from 'pg';

/** What is used of WebAssembly: Node has it, but only TypeScript's library for browsers describes it. */
interface WebAssemblyInNode {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(
    module: object,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ exports: Record<string, unknown> }>;
}
const webAssembly = (globalThis as { WebAssembly?: unknown }).WebAssembly as WebAssemblyInNode;

const CHAR_OID = 18;
const TEXT_OID = 25;

type PgAdapter = Awaited<ReturnType<PrismaPg['connect']>>;

const require = createRequire(import.meta.url);

declare global {
  /**
   * A test run holds a copy of this module for each of its projects; the package's bindings, and the memory that they point at, are
   * there once in the process. A second load would take it from under whoever works with it.
   */
  var clarionSchemaEngine: Promise<void> | undefined;
}
let lastPanic: string | undefined;

/** The package's entry point imports the .wasm as a module, which Node only does experimentally: load it by hand. */
async function load(): Promise<void> {
  const entry = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const wasm = await webAssembly.compile(await readFile(new URL('schema_engine_bg.wasm', `file://${entry}`)));
  const instance = await webAssembly.instantiate(wasm, { './schema_engine_bg.js': { ...bindings } });
  // Where the engine leaves the text of a panic; without it the panic dies of a TypeError that says nothing.
  const registry = { set_message: (message: string) => (lastPanic = message) };
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: registry });
  bindings.__wbg_set_wasm(instance.exports);
  const start = instance.exports['__wbindgen_start'];
  if (typeof start === 'function') start();
}

/**
 * Opens an engine on one database, hands it to `work`, closes it.
 *
 * @param databaseUrl with a role that may create databases when `work` compares migrations with the schema: the engine
 *   applies the migrations to a shadow database, which is dropped afterwards
 * @throws the engine's error, with PostgreSQL's own words where it has some
 */
export async function withSchemaEngine<T>(
  databaseUrl: string,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  await (globalThis.clarionSchemaEngine ??= load());
  const { factory, close } = adapterFactory(databaseUrl);
  const adapter = bindMigrationAwareSqlAdapterFactory(factory);
  const engine = await bindings.SchemaEngine.new({ datamodels: undefined }, () => undefined, adapter);
  try {
    const result = await work(engine);
    engine.free();
    return result;
  } catch (error) {
    if (lastPanic !== undefined)
      throw new Error(`Prisma's schema engine failed: ${lastPanic}`, { cause: error });
    throw error;
  } finally {
    lastPanic = undefined;
    await close();
  }
}

/**
 * The pg adapter, with three of its 7.10 faults put right: its shadow database is the database itself when it was given a
 * URL (a `connectionString` outranks `database` in pg), it refuses the type "char", and it cuts
 * scripts at every semicolon (see `readingCatalogues`).
 */
function adapterFactory(databaseUrl: string) {
  const shadows: string[] = [];
  const opened: PgAdapter[] = [];
  const open = async (url: string) => {
    const adapter = await new PrismaPg(url, { onPoolError: () => undefined }).connect();
    opened.push(adapter);
    return readingCatalogues(adapter);
  };
  const onServer = async (sql: (quote: (name: string) => string) => string) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      await client.query(sql((name) => client.escapeIdentifier(name)));
    } finally {
      await client.end();
    }
  };
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: () => open(databaseUrl),
    connectToShadowDb: async () => {
      const name = `shadow_${randomUUID()}`;
      shadows.push(name);
      await onServer((quote) => `create database ${quote(name)} template template0`);
      const url = new URL(databaseUrl);
      url.pathname = `/${name}`;
      return await open(url.href);
    },
  };
  /** The engine leaves its pools open, and a database with an idle connection can be neither dropped nor copied. */
  const close = async (): Promise<void> => {
    await Promise.all(
      opened.filter((adapter) => !adapter.underlyingDriver().ended).map((adapter) => adapter.dispose()),
    );
    for (const name of shadows) {
      await onServer((quote) => `drop database if exists ${quote(name)} with (force)`);
    }
  };
  return { factory, close };
}

/**
 * PostgreSQL's one-byte type "char" is the type of catalogue columns that the engine reads, and the adapter refuses it
 * (prisma/orm#27403). The adapter is shown text, and the engine is told what it really was.
 */
function readingCatalogues(adapter: PgAdapter): PgAdapter {
  const charColumns = new WeakMap<object, number[]>(); // by the array of rows, which the adapter passes on as it is
  const pool = adapter.underlyingDriver();
  const query = pool.query.bind(pool) as (config: QueryConfig) => Promise<QueryResult>;
  const queryRaw = adapter.queryRaw.bind(adapter);
  Object.assign(pool, {
    query: async (config: QueryConfig) => {
      const result = await query(config);
      const indexes = (result.fields ?? []).flatMap((field, i) => (field.dataTypeID === CHAR_OID ? [i] : []));
      charColumns.set(result.rows, indexes);
      result.fields = result.fields?.map((field, i) =>
        indexes.includes(i) ? { ...field, dataTypeID: TEXT_OID } : field,
      );
      return result;
    },
  });
  return Object.assign(adapter, {
    // The adapter's own cuts a script at every semicolon, also within the body of a function.
    executeScript: async (script: string): Promise<void> => void (await query({ text: script })),
    queryRaw: async (query: SqlQuery): Promise<SqlResultSet> => {
      const result = await queryRaw(query);
      const indexes = charColumns.get(result.rows) ?? [];
      const typeOf = (type: ColumnType, i: number) => (indexes.includes(i) ? ColumnTypeEnum.Character : type);
      return { ...result, columnTypes: result.columnTypes.map(typeOf) };
    },
  });
}
