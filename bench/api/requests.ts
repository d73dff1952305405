/**
 * An authenticated GET and PUT of /v1, with rate limit, compared with a bare Next route handler with one primary-key query: the same
 * machine, database and run, in alternating rounds. The result is the median of the rounds' ratios.
 *
 * The limit of 1200 requests a minute stays enabled: the load changes to the next of many accounts before it has used up one.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { newApiKey } from '@clarion/core/consumer/api-key';
import { createDatabase } from '@clarion/db';
import type { Database } from '@clarion/db';
import { applyMigrations } from '../../packages/db/src/migrate.ts';
import { freePort } from '@clarion/devkit/settings/free-port';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';
import { load } from './load.ts';
import type { Measured, Shot } from './load.ts';
import { next, node, startedNext, startedWeb } from './web-server.ts';
import type { Server } from './web-server.ts';

const root = resolve(import.meta.dirname, '../..');

const ROUNDS = 7;
const ROUND_MS = 4_000;
const WARM_UP_MS = 6_000;
const CONNECTIONS = 16;
const GOAL = 0.8;
/** Below the 1200 of one minute. An account is used again a minute later at the earliest. */
const REQUESTS_PER_TURN = 1_000;
const ACCOUNTS = 400;
/** Temporary databases skip durability; this one has the settings of a real one. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', max_connections: '200' };

interface Account {
  key: string;
  tenantId: number;
}

export async function run(): Promise<void> {
  const say = (line: string) => process.stderr.write(`… ${line}\n`);
  say('building the bare handler');
  await built(join(root, 'bench/api/bare'));
  const server = await startTemporaryPostgres({ settings: DURABLE });
  const children: ChildProcess[] = [];
  try {
    await applyMigrations(server.url);
    const db = createDatabase(server.url, { connections: 2 });
    const accounts = await makeAccounts(db);
    const settings = {
      DATABASE_URL: server.url,
      CLARION_MASTER_KEY: randomBytes(32).toString('base64'),
      CLARION_LOG_LEVEL: 'warn',
      CLARION_WEB_METRICS_PORT: String(await freePort()),
    };
    const bare = await startedNext(
      join(root, 'bench/api/bare'),
      settings,
      `/${accounts[0]?.tenantId}`,
      children,
    );
    const ours = await startedWeb(settings, '/healthz', children);
    const shots = shotsAt(accounts);
    const rounds = await measured({ bare, ours }, shots, say);
    process.stdout.write(`${report(rounds)}\n`);
    await db.$disconnect();
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await server.stop();
  }
}

async function makeAccounts(db: Database): Promise<Account[]> {
  const slugs = Array.from({ length: ACCOUNTS }, (_, n) => `bench-${n}`);
  const consumers = await db.consumer.createManyAndReturn({
    data: slugs.map((slug) => ({ slug, name: slug })),
  });
  const tenants = await db.tenant.createManyAndReturn({
    data: consumers.map(({ id }) => ({ consumerId: id, ref: 'shop', name: 'Shop' })),
  });
  const keys = consumers.map(({ id, slug }) => ({ consumerId: id, ...newApiKey(slug) }));
  await db.apiKey.createMany({
    data: keys.map(({ consumerId, prefix, hash }) => ({ consumerId, prefix, hash, name: 'bench' })),
  });
  return keys.map(({ key }, n) => ({ key, tenantId: tenants[n]?.id ?? 0 }));
}

const loadOn = ({ origin, pid }: Server, shots: () => Shot, ms: number): Promise<Measured> =>
  load(origin, shots, { pid, connections: CONNECTIONS, ms });

type Kind = 'bare GET' | 'GET' | 'bare PUT' | 'PUT';
const KINDS: readonly Kind[] = ['bare GET', 'GET', 'bare PUT', 'PUT'];

function shotsAt(accounts: Account[]): Record<Kind, () => Shot> {
  let count = 0;
  const account = (): Account => {
    const found = accounts[Math.floor(count / REQUESTS_PER_TURN) % accounts.length];
    count += 1;
    if (!found) throw new Error('there are no accounts');
    return found;
  };
  const body = JSON.stringify({ name: 'Shop' });
  const json = { 'content-type': 'application/json' };
  const bearer = ({ key }: Account) => ({ authorization: `Bearer ${key}` });
  return {
    'bare GET': () => ({ method: 'GET', path: `/${account().tenantId}`, headers: {} }),
    GET: () => ({ method: 'GET', path: '/v1/tenants/shop', headers: bearer(account()) }),
    'bare PUT': () => ({ method: 'PUT', path: `/${account().tenantId}`, headers: json, body }),
    PUT: () => ({
      method: 'PUT',
      path: '/v1/tenants/shop',
      headers: { ...json, ...bearer(account()) },
      body,
    }),
  };
}

async function measured(
  { bare, ours }: { bare: Server; ours: Server },
  shots: Record<Kind, () => Shot>,
  say: (line: string) => void,
): Promise<Record<Kind, Measured>[]> {
  const at = (kind: Kind, ms: number) => loadOn(kind.startsWith('bare') ? bare : ours, shots[kind], ms);
  for (const kind of KINDS) await at(kind, WARM_UP_MS);
  const rounds: Record<Kind, Measured>[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const one: Partial<Record<Kind, Measured>> = {};
    // Reversed in every other round, so that anything that grows over time affects both.
    for (const kind of round % 2 ? KINDS : KINDS.toReversed()) one[kind] = await at(kind, ROUND_MS);
    const whole = one as Record<Kind, Measured>; // KINDS contains every key
    rounds.push(whole);
    say(
      `round ${round}: ${KINDS.map((kind) => `${kind} ${whole[kind].perSecond.toFixed(0)}/s (${whole[kind].cpuMicros.toFixed(0)} µs)`).join(', ')}`,
    );
  }
  return rounds;
}

function report(rounds: Record<Kind, Measured>[]): string {
  const of = (kind: Kind, what: keyof Measured) => median(rounds.map((round) => round[kind][what]));
  const ratio = (kind: Kind, base: Kind) =>
    median(rounds.map((round) => round[kind].perSecond / round[base].perSecond)).toFixed(2);
  const line = (name: string, kind: Kind, ...ratios: string[]) =>
    `| ${[name, of(kind, 'perSecond').toFixed(0), of(kind, 'p50Ms').toFixed(1), of(kind, 'p99Ms').toFixed(1), `${of(kind, 'cpuMicros').toFixed(0)} µs`, ...ratios].join(' | ')} |`;
  return [
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}, the load on the same machine, load average ${loadavg()[0]?.toFixed(1)}; ${CONNECTIONS} connections, median of ${ROUNDS} rounds of ${ROUND_MS / 1000} s`,
    '',
    '| | requests a second | p50, ms | p99, ms | CPU of the server | to a bare read by primary key | to a bare write by primary key |',
    '|---|---|---|---|---|---|---|',
    line('bare handler, one row read by primary key', 'bare GET', '', ''),
    line('`GET /v1/tenants/{t}`', 'GET', `${ratio('GET', 'bare GET')} (goal ${GOAL})`, ''),
    line('bare handler, one row written by primary key', 'bare PUT', ratio('bare PUT', 'bare GET'), ''),
    line(
      '`PUT /v1/tenants/{t}`',
      'PUT',
      `${ratio('PUT', 'bare GET')} (goal ${GOAL})`,
      ratio('PUT', 'bare PUT'),
    ),
  ].join('\n');
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function built(dir: string): Promise<void> {
  const child = spawn(node, [next, 'build'], { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`the pages of ${dir} were not built`);
}
