import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Answer, Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';
import type { TenantFixture } from '../tenant-fixture.ts';

/** A process that is killed (SIGKILL) with requests in flight, and a second one to which the client retries. */
const program = fileURLToPath(new URL('../web-process.ts', import.meta.url));
const STUCK_FOR = '2 minutes';
const KILLS = 3;
const REQUESTS_PER_KILL = 15;
/** Longer than all the requests of one round take. */
const KILL_WITHIN_MS = 120;

let web: Web;
let fixture: TenantFixture;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  web = await startWeb();
  fixture = await createTenantFixture(web, 'acme');
  await web.changeConsumer('acme', { planCallsAtOnce: 10_000, planOutboundPerMinute: 10_000 });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await web.stop();
});

interface Process {
  url: string;
  /** Resolves when it has exited. */
  kill(): Promise<void>;
}

async function startProcess(): Promise<Process> {
  const { DATABASE_URL, CLARION_MASTER_KEY } = web.runtime.env;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: { ...process.env, DATABASE_URL, CLARION_MASTER_KEY, CLARION_LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (line: Buffer) => resolve(String(line).trim()));
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)));
  });
  return {
    url: `http://127.0.0.1:${port}/v1/tenants/shop/calls`,
    async kill() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const bodyOf = (key: string) => ({
  channel_ref: 'main',
  agent_ref: 'ada',
  customer: { address: '+442079460123' },
  external_ref: key,
});
/** The response of the process; null if it died first. */
async function ask({ url }: Process, key: string): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${fixture.key}`, 'idempotency-key': key },
      body: JSON.stringify(bodyOf(key)),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}
/** The client retries, with the process that is running. */
const askAgain = (key: string) =>
  call('createCall', {
    key: fixture.key,
    path: { tenantRef: 'shop' },
    headers: { 'idempotency-key': key },
    body: bodyOf(key),
  });
const callsOf = (key: string) => web.runtime.db.call.count({ where: { externalRef: key } });
const claimOf = (key: string) => web.runtime.db.idempotencyKey.findFirst({ where: { key } });
const age = (key: string) =>
  web.runtime.db.$executeRaw`
    update "IdempotencyKey" set "claimedAt" = "claimedAt" - ${STUCK_FOR}::interval where "key" = ${key}`;

/** Retries until there is a response: the key is in use until its claim is two minutes old at most. */
async function settled(key: string): Promise<Answer<'createCall'>> {
  const first = await askAgain(key);
  if (first.status === 201) return first;
  expectError(first, 409, 'idempotency_key_in_use');
  expect(await age(key)).toBe(1);
  return askAgain(key);
}

test('a process killed between claim and response leaves no call, and its key can be claimed again after two minutes, not earlier', async () => {
  const { db } = web.runtime;
  const doomed = await startProcess();
  const key = 'killed';
  const { promise: done, resolve: unlock } = Promise.withResolvers<void>();
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  // The verb waits for the table lock that this transaction holds.
  const holder = db.$transaction(
    async (tx) => {
      await tx.$executeRaw`lock table "LiveCall" in access exclusive mode`;
      isLocked();
      await done;
    },
    { timeout: 20_000 },
  );
  await locked;
  const answer = ask(doomed, key);
  await expect.poll(() => claimOf(key)).toMatchObject({ status: null });
  await doomed.kill();
  expect(await answer).toBeNull();
  unlock();
  await holder;
  expectError(await askAgain(key), 409, 'idempotency_key_in_use');
  expect(await callsOf(key)).toBe(0);
  await age(key);
  const again = await askAgain(key);
  expect({ status: again.status, replayed: again.headers.get('idempotent-replayed') }).toEqual({
    status: 201,
    replayed: null,
  });
  expect(await callsOf(key)).toBe(1);
});

test('whenever a process is killed, each key ends with one call and one response', async () => {
  const outcomes = { answered: 0, replayed: 0, ranAgain: 0 };
  const processes = await Promise.all(Array.from({ length: KILLS }, startProcess));
  for (const [round, doomed] of processes.entries()) {
    const keys = Array.from({ length: REQUESTS_PER_KILL }, (_, n) => `random-${round}-${n}`);
    await ask(doomed, `warm-${round}`); // the first request of a process opens its connections
    const asked = keys.map((key, n) => sleep(n * 2).then(() => ask(doomed, key)));
    await sleep(Math.random() * KILL_WITHIN_MS);
    await doomed.kill();
    for (const [n, key] of keys.entries()) {
      const before = await asked[n];
      const after = await settled(key);
      expect(after.status, `${key}: ${after.text}`).toBe(201);
      expect(await callsOf(key), key).toBe(1);
      const replayed = after.headers.get('idempotent-replayed') === 'true';
      if (before) expect({ replayed, text: after.text }).toEqual({ replayed: true, text: before.text });
      outcomes[before ? 'answered' : replayed ? 'replayed' : 'ranAgain'] += 1;
    }
  }
  expect(outcomes.answered + outcomes.replayed + outcomes.ranAgain).toBe(KILLS * REQUESTS_PER_KILL);
});
