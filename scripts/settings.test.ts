import { readdirSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freeStackPorts, PORTS, resolveSettings } from './lib/settings.mjs';

const root = resolve(import.meta.dirname, '..');

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'clarion-settings-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** `NAME` → default, as .env.example states it. */
function documented(): Map<string, string> {
  const lines = readFileSync(join(root, '.env.example'), 'utf8').split('\n');
  return new Map(
    lines.flatMap((line) =>
      [...line.matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/g)].map(([, name = '', value = '']) => [name, value]),
    ),
  );
}

interface EnvSchema {
  shape?: Record<string, unknown>;
  in?: { shape?: Record<string, unknown> }; // of a schema that ends in a transform
  safeParse(env: unknown): { success: boolean; error?: Error };
}

/** Each app's `envSchema`; its keys are the variables that the app reads. */
async function envSchemas(): Promise<{ app: string; schema: EnvSchema; variables: string[] }[]> {
  const files = readdirSync(join(root, 'apps')).flatMap((app) =>
    ['src/env.ts', 'env.ts'].map((file) => ({ app, file: join(root, 'apps', app, file) })),
  );
  return Promise.all(
    files
      .filter(({ file }) => existsSync(file))
      .map(async ({ app, file }) => {
        const { envSchema: schema } = (await import(file)) as { envSchema: EnvSchema };
        return { app, schema, variables: Object.keys(schema.shape ?? schema.in?.shape ?? {}) };
      }),
  );
}

/** Set by whoever starts the process rather than by a person. */
const NOT_SETTINGS = new Set(['NODE_ENV', 'CLARION_NODE_ENV']);

test('.env.example has every variable that an app reads', async () => {
  const known = documented();
  for (const { app, variables } of await envSchemas()) {
    const missing = variables.filter((name) => !known.has(name) && !NOT_SETTINGS.has(name));
    expect([app, variables.length > 0, missing]).toEqual([app, true, []]);
  }
});

test('.env.example states the defaults that are used', async () => {
  const known = documented();
  const { env } = await resolveSettings({ env: {}, dataDir, checkPorts: false });
  const stated = [...known].filter(([name, value]) => value !== '' && name !== 'CLARION_DATA_DIR');
  expect(stated.length).toBeGreaterThan(8);
  for (const [name, value] of stated) expect([name, env[name]]).toEqual([name, value]);
});

test('.env.example has no setting that nothing reads', async () => {
  const { env } = await resolveSettings({ env: {}, dataDir, checkPorts: false });
  const read = new Set([
    ...Object.keys(env),
    ...(await envSchemas()).flatMap(({ variables }) => variables),
    ...['CLARION_INGRESS_DOMAIN', 'CLARION_TEST_DATABASE_URL', 'DATABASE_URL', 'MEDIASOUP_WORKER_BIN'], // tools; given once they are known
  ]);
  expect([...documented().keys()].filter((name) => !read.has(name))).toEqual([]);
});

test('every app accepts the environment that it is started with, by default and from a copied .env.example', async () => {
  const later = { DATABASE_URL: 'postgresql://localhost/clarion', MEDIASOUP_WORKER_BIN: '/bin/true' };
  for (const given of [{}, Object.fromEntries(documented())]) {
    const { env } = await resolveSettings({ env: given, dataDir, checkPorts: false });
    for (const { app, schema } of await envSchemas()) {
      expect([app, schema.safeParse({ ...env, ...later }).error?.message]).toEqual([app, undefined]);
    }
  }
});

test('secrets are generated once, kept readable by their owner alone, and outranked by the environment', async () => {
  const first = await resolveSettings({ env: {}, dataDir, checkPorts: false });
  expect(Buffer.from(first.env['CLARION_MASTER_KEY'] ?? '', 'base64')).toHaveLength(32);
  expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  expect((await resolveSettings({ env: {}, dataDir, checkPorts: false })).secrets).toEqual(first.secrets);
  const other = await resolveSettings({ env: { CLARION_MEDIA_SECRET: 'mine' }, dataDir, checkPorts: false });
  expect(other.env['CLARION_MEDIA_SECRET']).toBe('mine');
});

test('production refuses to invent a master key', async () => {
  const options = { env: { NODE_ENV: 'production' }, dataDir, checkPorts: false };
  await expect(resolveSettings(options)).rejects.toThrow(/CLARION_MASTER_KEY must be set/);
});

test('private egress and the demo are for the embedded database only, the demo for this machine only', async () => {
  const flags = async (given: Record<string, string>) => {
    const { env } = await resolveSettings({ env: given, dataDir, checkPorts: false });
    return [env['CLARION_ALLOW_PRIVATE_EGRESS'], env['CLARION_DEMO']];
  };
  expect(await flags({})).toEqual(['1', '1']);
  expect(await flags({ DATABASE_URL: 'postgresql://elsewhere/clarion' })).toEqual(['0', '0']);
  expect(await flags({ CLARION_BIND: '0.0.0.0' })).toEqual(['1', '0']);
});

test('a taken port is refused with the name of its setting; an internal one moves aside', async () => {
  const ports = await freeStackPorts();
  const taken = createServer().listen(ports.web, '127.0.0.1');
  const takenInternally = createServer().listen(ports.worker, '127.0.0.1');
  try {
    const { worker, ...others } = ports;
    await expect(resolveSettings({ env: {}, dataDir, ports: others })).rejects.toThrow(
      `port ${ports.web} is taken: set CLARION_WEB_PORT`,
    );
    await expect(
      resolveSettings({
        env: { CLARION_WORKER_PORT: String(worker) },
        dataDir,
        ports: { ...others, web: ports.sipTls },
      }),
    ).rejects.toThrow('set CLARION_WORKER_PORT');
  } finally {
    taken.close();
    takenInternally.close();
  }
});

test('metrics are on this machine alone, however far the service is opened, unless another address is set', async () => {
  const internalBind = async (given: Record<string, string>) => {
    const { env } = await resolveSettings({ env: given, dataDir, checkPorts: false });
    return env['CLARION_INTERNAL_BIND'];
  };
  expect(await internalBind({ CLARION_BIND: '0.0.0.0' })).toBe('127.0.0.1');
  expect(await internalBind({ CLARION_INTERNAL_BIND: '10.0.0.5' })).toBe('10.0.0.5');
});

test('an outside SIP server is used with its own port and secret', async () => {
  const { embeddedSip, env } = await resolveSettings({
    env: { DRACHTIO_HOST: '10.0.0.5' },
    dataDir,
    checkPorts: false,
  });
  expect(embeddedSip).toBe(false);
  expect([env['DRACHTIO_HOST'], env['DRACHTIO_PORT'], env['DRACHTIO_SECRET']]).toEqual([
    '10.0.0.5',
    '9022',
    'cymru',
  ]);
});

test('every port has a setting of its own', () => {
  const variables = Object.values(PORTS).map(({ variable }) => variable);
  expect(new Set(variables).size).toBe(variables.length);
});
