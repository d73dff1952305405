/** Checks 10,000 forged API keys and agent tokens with the real code: none may be accepted, and none may cause an internal error. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { envSchema } from '../apps/web/env.ts';
import { createRuntime } from '../apps/web/lib/api/runtime.ts';
import { tryForgeries } from '../apps/web/test/forged.ts';
import { applyMigrations } from '../packages/db/src/migrate.ts';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const server = await startTemporaryPostgres();
try {
  await applyMigrations(server.url);
  const env = { DATABASE_URL: server.url, CLARION_MASTER_KEY: randomBytes(32).toString('base64') };
  const run = createRuntime(envSchema.parse(env), { log: pino({ level: 'silent' }) });
  process.stdout.write(`seed ${values.seed}\n`);
  await tryForgeries(run, Number(values.times), Number(values.seed));
  await run.stop();
  process.stdout.write(`${values.times} forged keys and tokens, none accepted\n`);
} finally {
  await server.stop();
}
process.exit(); // the schema engine's lock timer would keep the process running for 10 s
