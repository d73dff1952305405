/**
 * The import of a carrier's file of 20 MB over the API, compared with the least that PostgreSQL needs for the same rows in the same run; the
 * memory that the web process takes meanwhile, and how long other requests take.
 */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newApiKey } from '@clarion/core/consumer/api-key';
import { createDatabase } from '@clarion/db';
import { applyMigrations } from '@clarion/db/migrate';
import { startTemporaryPostgres } from '@clarion/devkit/postgres/server';
import { freePort } from '@clarion/devkit/settings/free-port';
import { startedWeb } from './api/web-server.ts';
import { floorOf } from './import/floor.ts';
import { requestsTo } from './import/meanwhile.ts';
import type { Requests } from './import/meanwhile.ts';
import { sheet } from './import/sheet.ts';

const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
const IDLE_MS = 30_000;
const SAMPLE_MS = 50;
const SETTLE_MS = 1000;
const KB_PER_MB = 1024;
/** Goals: the time is at most twice the floor, the memory at most 150 MB more, other requests at most twice as slow. */
const GOALS = { floors: 2, megabytes: 150, p99: 2 };
const SMALL_REQUEST = '/v1/tenants/shop';

const say = (line: string) => process.stderr.write(`… ${line}\n`);
const print = (line: string) => process.stdout.write(`${line}\n`);

interface Imported {
  what: string;
  ms: number;
  megabytes: number;
  requests: Requests;
}

const server = await startTemporaryPostgres({ settings: DURABLE });
const dir = mkdtempSync(join(tmpdir(), 'clarion-import-'));
// The server may run as another user.
chmodSync(dir, 0o755);
const children: ChildProcess[] = [];
try {
  await applyMigrations(server.url);
  const db = createDatabase(server.url, { connections: 2 });
  const consumer = await db.consumer.create({ data: { slug: 'bench', name: 'Bench' } });
  await db.tenant.create({ data: { consumerId: consumer.id, ref: 'shop', name: 'Shop' } });
  const { key, prefix, hash } = newApiKey('bench');
  await db.apiKey.create({ data: { consumerId: consumer.id, name: 'bench', prefix, hash } });
  const settings = {
    DATABASE_URL: server.url,
    CLARION_MASTER_KEY: randomBytes(32).toString('base64'),
    CLARION_LOG_LEVEL: 'warn',
    CLARION_WEB_METRICS_PORT: String(await freePort()),
  };
  const web = await startedWeb(settings, '/healthz', children);

  const first = sheet(0);
  const file = join(dir, 'sheet.csv');
  writeFileSync(file, first.csv, { mode: 0o644 });
  // Only the file of this process: reading those of all processes 20 times a second would delay the other requests.
  const megabytes = () =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${web.pid}/status`, 'utf8'))?.[1]) / KB_PER_MB;
  const post = async (path: string, body: BodyInit): Promise<unknown> => {
    const answer = await fetch(web.origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const { deck } = (await post('/v1/rate-decks', JSON.stringify({ name: 'Carrier', kind: 'BUY' }))) as {
    deck: { id: number };
  };

  say(`the floor: ${first.rows} rows`);
  const floor = await floorOf(db, file, deck.id);
  const floors = {
    insert: floor.copyMs + floor.insertMs,
    change: floor.copyMs + floor.endMs + floor.insertAgainMs,
  };

  say('other requests while nothing is imported');
  const warm = requestsTo(web.origin, SMALL_REQUEST, key);
  await sleep(IDLE_MS / 4);
  await warm();
  const idling = requestsTo(web.origin, SMALL_REQUEST, key);
  await sleep(IDLE_MS);
  const idle = await idling();

  const measured = async (what: string, csv: string): Promise<Imported> => {
    say(what);
    // Beforehand: encoding 20 MB delays the other requests, which this process sends too.
    const body = new Blob([JSON.stringify({ csv, file_name: 'sheet.csv' })]);
    await sleep(SETTLE_MS);
    const before = megabytes();
    let most = before;
    const sampler = setInterval(() => (most = Math.max(most, megabytes())), SAMPLE_MS);
    const others = requestsTo(web.origin, SMALL_REQUEST, key);
    const beganAt = performance.now();
    await post(`/v1/rate-decks/${deck.id}/import`, body);
    const ms = performance.now() - beganAt;
    clearInterval(sampler);
    return { what, ms, megabytes: most - before, requests: await others() };
  };
  const runs = [
    await measured('into an empty deck', first.csv),
    await measured('the same file again: nothing changes', first.csv),
    await measured('every rate changes', sheet(50).csv),
  ];
  print(
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}, load average ${loadavg()[0]?.toFixed(1)}; ${first.rows} rows, ${(first.csv.length / 1e6).toFixed(1)} MB`,
  );
  print(
    `Floor: ${seconds(floors.insert)} (COPY ${seconds(floor.copyMs)}, insert ${seconds(floor.insertMs)}; into a table with the indexes only ${seconds(floor.indexesMs)}); of changing every rate ${seconds(floors.change)} (ending ${seconds(floor.endMs)}, insert ${seconds(floor.insertAgainMs)}). Other requests, idle: p50 ${idle.p50Ms.toFixed(1)} ms, p99 ${idle.p99Ms.toFixed(1)} ms.`,
  );
  print('');
  print(
    `| import | time | times the floor (goal ${GOALS.floors}) | times the floor of changing every rate | memory, MB more (goal ${GOALS.megabytes}) | other requests p50, ms | p99, ms | p99 to idle (goal ${GOALS.p99}) |`,
  );
  print('|---|---|---|---|---|---|---|---|');
  for (const { what, ms, megabytes: more, requests } of runs) {
    const ratio = (requests.p99Ms / idle.p99Ms).toFixed(1);
    print(
      `| ${what} | ${seconds(ms)} | ${(ms / floors.insert).toFixed(2)} | ${(ms / floors.change).toFixed(2)} | ${more.toFixed(0)} | ${requests.p50Ms.toFixed(1)} | ${requests.p99Ms.toFixed(1)} | ${ratio} |`,
    );
  }
  await db.$disconnect();
} finally {
  for (const child of children) child.kill('SIGKILL');
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
process.exit();

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
