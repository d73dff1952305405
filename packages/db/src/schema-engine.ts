/**
 * Prisma's schema engine in WebAssembly, connected through the pg adapter: the same code as `prisma migrate`, without the native binary
 * that its command line downloads. The package's version must match the one that our Prisma's `@prisma/engines-version` specifies.
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

/** The part of WebAssembly's API that is used here. Node has it, but TypeScript declares it only in its library for browsers. */
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
   * Each project of a test run loads its own copy of this module, but the package's bindings and their memory exist once per process. A
   * second load would replace them while the first is in use.
   */
  var clarionSchemaEngine: Promise<void> | undefined;
}
let lastPanic: string | undefined;

/** The package's entry point imports the .wasm as a module, which Node supports only experimentally, so it is loaded explicitly. */
async function load(): Promise<void> {
  const entry = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const wasm = await webAssembly.compile(await readFile(new URL('schema_engine_bg.wasm', `file://${entry}`)));
  const instance = await webAssembly.instantiate(wasm, { './schema_engine_bg.js': { ...bindings } });
  // The engine reports the text of a panic here; without it, the panic causes an uninformative TypeError.
  const registry = { set_message: (message: string) => (lastPanic = message) };
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: registry });
  bindings.__wbg_set_wasm(instance.exports);
  const start = instance.exports['__wbindgen_start'];
  if (typeof start === 'function') start();
}

/**
 * Opens an engine on one database, passes it to `work`, and closes it.
 *
 * @param databaseUrl if `work` compares migrations with the schema, its role must be allowed to create databases: the engine applies the
 * migrations to a shadow database, which is dropped afterwards
 * @throws the engine's error, with PostgreSQL's message if there is one
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
 * The pg adapter with workarounds for three bugs of version 7.10: its shadow database is the database itself if it was given a URL (in pg,
 * a `connectionString` overrides `database`), it rejects the type "char", and it splits scripts at every semicolon (see
 * `readingCatalogues`).
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
 * PostgreSQL's one-byte type "char" is the type of catalogue columns that the engine reads, and the adapter rejects it (prisma/orm#27403).
 * The adapter receives it as text, and the engine receives the actual type.
 */
function readingCatalogues(adapter: PgAdapter): PgAdapter {
  const charColumns = new WeakMap<object, number[]>(); // keyed by the array of rows, which the adapter passes on unchanged
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
    // The adapter's own method splits a script at every semicolon, even inside a function body.
    executeScript: async (script: string): Promise<void> => void (await query({ text: script })),
    queryRaw: async (query: SqlQuery): Promise<SqlResultSet> => {
      const result = await queryRaw(query);
      const indexes = charColumns.get(result.rows) ?? [];
      const typeOf = (type: ColumnType, i: number) => (indexes.includes(i) ? ColumnTypeEnum.Character : type);
      return { ...result, columnTypes: result.columnTypes.map(typeOf) };
    },
  });
}
