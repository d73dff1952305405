/** `npm run db -- migrate | new <name> | drift`: see the package's README. */
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';
import { readEnv } from '../src/env.ts';
import { applyMigrations, createMigration, driftSql } from '../src/migrate.ts';

const USAGE = `npm run db -- migrate          bring the database at DATABASE_URL up to date
npm run db -- new <name>       write a migration for what changed in schema.prisma (--empty: one to fill by hand)
npm run db -- drift            print the SQL that the migrations lack; fails when there is any`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** A temporary server: the comparison needs a shadow database, not existing data. */
async function withScratchDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const server = await startTemporaryPostgres();
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

async function main([command, ...args]: string[]): Promise<number> {
  if (command === 'migrate') {
    const { databaseUrl } = readEnv();
    if (!databaseUrl) throw new Error('DATABASE_URL is not set');
    const applied = await applyMigrations(databaseUrl);
    say(
      applied.length === 0
        ? 'The database is up to date.'
        : applied.map((name) => `applied ${name}`).join('\n'),
    );
    return 0;
  }
  if (command === 'new') {
    const name = args.find((arg) => !arg.startsWith('-'));
    if (!name) throw new Error(`a migration needs a name\n\n${USAGE}`);
    const file = await withScratchDatabase((url) =>
      createMigration(url, name, { empty: args.includes('--empty') }),
    );
    say(file ? `wrote ${file}` : 'The migrations already match the schema.');
    return 0;
  }
  if (command === 'drift') {
    const sql = await withScratchDatabase(driftSql);
    say(sql || 'No drift: the migrations make what the schema says.');
    return sql ? 1 : 0;
  }
  say(USAGE);
  return 2;
}

let code: number;
try {
  code = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  code = 1;
}
process.exit(code); // the schema engine's lock timer would keep the process running for 10 s
