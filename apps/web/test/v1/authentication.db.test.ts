import { connect as connectTo, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { changeConsumer } from '@clarion/core/consumer/change-consumer';
import { createApiKey, revokeApiKey } from '@clarion/core/consumer/keys';
import type { Ctx } from '@clarion/core/context';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthenticator, keysIn } from '#lib/api/auth.ts';
import type { KeyRow } from '#lib/api/auth.ts';
import { createRuntime } from '#lib/api/runtime.ts';
import type { Runtime } from '#lib/api/runtime.ts';
import { startWeb } from '../support.ts';
import type { Web } from '../support.ts';

/** The promise: a revoked key is refused everywhere within a second. */
const WITHIN_MS = 1_000;

let web: Web;
/** A second process on the same database. */
let other: Runtime;
let ctx: Ctx;
beforeAll(async () => {
  web = await startWeb();
  other = createRuntime(web.runtime.env, { log: pino({ level: 'silent' }) });
  const { consumer } = await web.consumer('acme');
  const row = await web.runtime.db.consumer.findUniqueOrThrow({ where: { id: consumer.id } });
  ctx = { ...web.operator, now: new Date(), consumer: row };
  await Promise.all([web.runtime.ready, other.ready]);
});
afterAll(async () => {
  await other.stop();
  await web.stop();
});

const newKey = async () => {
  const { secret: key, apiKey } = await createApiKey(ctx, { name: 'k', expiresInDays: null });
  return { id: apiKey.id, header: `Bearer ${key}` };
};
/** The account's status, or that the key is refused. */
const seenBy = ({ authenticator }: Pick<Runtime, 'authenticator'>, header: string) =>
  authenticator.authenticate(header).then(
    ({ consumer }) => consumer.status,
    () => 'refused',
  );
/** Until every process sees it; the time that took since the change committed. */
async function untilSeen(expected: string, header: string): Promise<number> {
  const since = performance.now();
  for (const runtime of [web.runtime, other]) {
    await expect.poll(() => seenBy(runtime, header), { interval: 10, timeout: WITHIN_MS * 2 }).toBe(expected);
  }
  return performance.now() - since;
}

test('a key seen before costs no SQL', async () => {
  const { db } = web.runtime;
  const { header } = await newKey();
  expect(await seenBy(web.runtime, header)).toBe('ACTIVE');
  await db.$executeRaw`alter table "ApiKey" rename to "ApiKeyAway"`;
  try {
    for (let n = 0; n < 20; n += 1) expect(await seenBy(web.runtime, header)).toBe('ACTIVE');
  } finally {
    await db.$executeRaw`alter table "ApiKeyAway" rename to "ApiKey"`;
  }
});

test('a revoked key is refused by every process within a second, one that never expires and one that is used all the time', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, header } = await newKey();
    for (const runtime of [web.runtime, other]) expect(await seenBy(runtime, header)).toBe('ACTIVE');
    await revokeApiKey(ctx, id);
    expect(await untilSeen('refused', header)).toBeLessThan(WITHIN_MS);
  }
});

test('a key whose row is deleted or expires sooner, by whatever way, is refused within a second', async () => {
  const { db } = web.runtime;
  const [deleted, expired] = [await newKey(), await newKey()];
  for (const { header } of [deleted, expired])
    expect(await untilSeen('ACTIVE', header)).toBeLessThan(WITHIN_MS);
  await db.$executeRaw`delete from "ApiKey" where "id" = ${deleted.id}`;
  await db.$executeRaw`update "ApiKey" set "expiresAt" = now() where "id" = ${expired.id}`;
  expect(await untilSeen('refused', deleted.header)).toBeLessThan(WITHIN_MS);
  expect(await untilSeen('refused', expired.header)).toBeLessThan(WITHIN_MS);
});

test('a suspension, and its end, are seen by every process within a second', async () => {
  const { header } = await newKey();
  await untilSeen('ACTIVE', header);
  await changeConsumer(web.operator, 'acme', { status: 'SUSPENDED' });
  expect(await untilSeen('SUSPENDED', header)).toBeLessThan(WITHIN_MS);
  await changeConsumer(web.operator, 'acme', { status: 'ACTIVE' });
  expect(await untilSeen('ACTIVE', header)).toBeLessThan(WITHIN_MS);
});

/** An authenticator whose answers from the database can be held back. */
function gated(isCurrent: () => boolean = () => true) {
  const find = keysIn(web.runtime.db);
  const lookups: { release: () => void; read: Promise<KeyRow | null> }[] = [];
  const authenticator = createAuthenticator(
    async (prefix) => {
      const gate = Promise.withResolvers<void>();
      const read = find(prefix);
      lookups.push({ release: gate.resolve, read });
      await gate.promise;
      return read;
    },
    { now: () => new Date(), isCurrent, onUse: () => undefined },
  );
  return { authenticator, lookups };
}

test('a look-up that a revocation overtook is not kept', async () => {
  const { id, header } = await newKey();
  const { authenticator, lookups } = gated();
  const early = seenBy({ authenticator }, header);
  await lookups[0]?.read; // the row was read while the key was good
  await revokeApiKey(ctx, id);
  authenticator.forgetKey(id); // the telling comes before the row does
  lookups[0]?.release();
  expect(await early).toBe('ACTIVE'); // this request began before the revocation
  const late = seenBy({ authenticator }, header);
  expect(lookups).toHaveLength(2);
  lookups[1]?.release();
  expect(await late).toBe('refused');
});

test('a request that begins after a revocation does not wait for a look-up from before it', async () => {
  const { id, header } = await newKey();
  const { authenticator, lookups } = gated();
  const early = seenBy({ authenticator }, header);
  const beside = seenBy({ authenticator }, header);
  await lookups[0]?.read;
  expect(lookups).toHaveLength(1); // two at once, one look-up
  await revokeApiKey(ctx, id);
  authenticator.forgetKey(id);
  const late = seenBy({ authenticator }, header);
  for (const { release } of lookups) release();
  expect(await Promise.all([early, beside, late])).toEqual(['ACTIVE', 'ACTIVE', 'refused']);
});

test('while changes cannot be heard every request looks the key up', async () => {
  let current = true;
  const { header } = await newKey();
  const { authenticator, lookups } = gated(() => current);
  const see = async () => {
    const seen = seenBy({ authenticator }, header);
    lookups.at(-1)?.release();
    return seen;
  };
  expect([await see(), await see()]).toEqual(['ACTIVE', 'ACTIVE']);
  expect(lookups).toHaveLength(1);
  current = false;
  expect([await see(), await see()]).toEqual(['ACTIVE', 'ACTIVE']);
  expect(lookups).toHaveLength(3);
});

test('a process that was cut off from being told refuses a revoked key within a second all the same', async () => {
  const proxy = await startProxy(web.runtime.env.DATABASE_URL);
  const env = { ...web.runtime.env, DATABASE_URL: proxy.url };
  const deaf = createRuntime(env, { log: pino({ level: 'silent' }) });
  try {
    await deaf.ready;
    const { id, header } = await newKey();
    expect(await seenBy(deaf, header)).toBe('ACTIVE');
    proxy.silenceListeners(); // nothing is closed: TCP believes that all is well
    await revokeApiKey(ctx, id);
    const since = performance.now();
    await expect.poll(() => seenBy(deaf, header), { interval: 10, timeout: 2_000 }).toBe('refused');
    expect(performance.now() - since).toBeLessThan(WITHIN_MS);
  } finally {
    proxy.stop();
    await deaf.stop();
  }
});

/** In front of the database: what it tells those who listen can be held back, while their other questions are answered. */
async function startProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const listeners = new Set<Socket>();
  const server = createServer((client) => {
    const database = connectTo(Number(target.port), target.hostname);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        database.destroy();
      });
    }
    client.on('data', (data) => {
      if (data.includes('clarion_key')) listeners.add(database);
      database.write(data);
    });
    database.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    silenceListeners() {
      for (const database of listeners) database.unpipe();
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test('when a key was last used is written down without the request waiting for it', async () => {
  const { id, header } = await newKey();
  const runtime = createRuntime(web.runtime.env, { log: pino({ level: 'silent' }) });
  const before = Date.now();
  await runtime.authenticator.authenticate(header);
  const lastUsedAt = async () =>
    (await web.runtime.db.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt;
  expect(await lastUsedAt()).toBeNull();
  await runtime.stop();
  expect((await lastUsedAt())?.getTime()).toBeGreaterThanOrEqual(before);
});
