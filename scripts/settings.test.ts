import { chmodSync, readdirSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readProductionSettings } from '../packages/protocol/src/production.ts';
import { readEnv as readGatewayEnv } from '../packages/sip-gateway/src/env.ts';
import { metaSimulatorEnv } from '@clarion/devkit/settings/meta-simulator';
import { freeStackPorts, PORTS } from '@clarion/devkit/settings/ports';
import { resolveSettings } from '@clarion/devkit/settings/settings';

const root = resolve(import.meta.dirname, '..');

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'clarion-settings-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** `NAME` → default in .env.example. */
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
  in?: { shape?: Record<string, unknown> }; // if the schema ends in a transform
  safeParse(env: unknown): { success: boolean; error?: Error };
}

/** Each app's `envSchema`; its keys are the variables that the app reads. */
async function envSchemas(): Promise<{ app: string; schema: EnvSchema; variables: string[] }[]> {
  // The command line is not started with the other apps: `npm run clarion` passes it the settings of the running system.
  const apps = readdirSync(join(root, 'apps')).filter((app) => app !== 'cli');
  const files = apps.flatMap((app) =>
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

test('.env.example contains every variable that an app reads', async () => {
  const known = documented();
  for (const { app, variables } of await envSchemas()) {
    const missing = variables.filter((name) => !known.has(name));
    expect([app, variables.length > 0, missing]).toEqual([app, true, []]);
  }
});

test('.env.example contains the actual defaults', async () => {
  const known = documented();
  const { env } = await resolveSettings({ env: {}, dataDir, checkPorts: false });
  const stated = [...known].filter(([name, value]) => value !== '' && name !== 'CLARION_DATA_DIR');
  expect(stated.length).toBeGreaterThan(8);
  for (const [name, value] of stated) expect([name, env[name]]).toEqual([name, value]);
});

test('.env.example contains no unused setting', async () => {
  const { env } = await resolveSettings({ env: {}, dataDir, checkPorts: false });
  const read = new Set([
    ...Object.keys(env),
    ...(await envSchemas()).flatMap(({ variables }) => variables),
    ...['CLARION_SIP_TLS_CERT', 'CLARION_SIP_TLS_KEY', 'CLARION_SIP_TLS_CA'], // the SIP gateway's
    ...['CLARION_INGRESS_DOMAIN', 'CLARION_TEST_DATABASE_URL', 'DATABASE_URL', 'MEDIASOUP_WORKER_BIN'], // read by tools, or set later
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

test('secrets are generated once and readable only by their owner, and the environment takes precedence over them', async () => {
  const first = await resolveSettings({ env: {}, dataDir, checkPorts: false });
  expect(Buffer.from(first.env['CLARION_MASTER_KEY'] ?? '', 'base64')).toHaveLength(32);
  expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  chmodSync(join(dataDir, 'secrets.json'), 0o644); // as restored from a backup
  expect((await resolveSettings({ env: {}, dataDir, checkPorts: false })).secrets).toEqual(first.secrets);
  expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  const other = await resolveSettings({ env: { CLARION_MEDIA_SECRET: 'mine' }, dataDir, checkPorts: false });
  expect(other.env['CLARION_MEDIA_SECRET']).toBe('mine');
});

const settingsOf = (env: Record<string, string>) => resolveSettings({ env, dataDir, checkPorts: false });
const masterKey = { CLARION_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') };
const PUBLIC = { CLARION_BASE_URL: 'https://calls.example.com' };

test('with loopback addresses the mode is trial: demo account, private egress and a generated master key', async () => {
  const loopback = [
    {},
    {
      CLARION_BIND: '127.0.0.2',
      CLARION_BASE_URL: 'http://localhost:3000',
      CLARION_APP_URL: 'http://[::1]:3000',
    },
    { DATABASE_URL: 'postgresql://elsewhere/clarion' },
    { NODE_ENV: 'production' }, // selects how pages are built, not the mode
    { CLARION_PRODUCTION: '0' },
  ];
  for (const given of loopback) {
    const { env, mode } = await settingsOf(given);
    expect([given, mode.production]).toEqual([given, false]);
    expect(env).toMatchObject({
      CLARION_PRODUCTION: '0',
      CLARION_DEMO: '1',
      CLARION_ALLOW_PRIVATE_EGRESS: '1',
    });
  }
});

test('a service that others can reach is in production, without the demo account and private egress', async () => {
  const exposed: [Record<string, string>, string][] = [
    [{ CLARION_BIND: '0.0.0.0' }, 'CLARION_BIND is 0.0.0.0'],
    [{ CLARION_BIND: '127.evil.example.com' }, 'CLARION_BIND'],
    [PUBLIC, 'CLARION_BASE_URL is https://calls.example.com'],
    [{ CLARION_BASE_URL: 'http://localhost.example.com' }, 'CLARION_BASE_URL'],
    [{ CLARION_APP_URL: 'https://app.example.com' }, 'CLARION_APP_URL is https://app.example.com'],
    [{ CLARION_PRODUCTION: '1' }, 'CLARION_PRODUCTION is 1'],
  ];
  for (const [given, because] of exposed) {
    const { env, mode } = await settingsOf({ ...given, ...masterKey });
    expect(mode).toEqual({ production: true, reason: expect.stringContaining(because) });
    expect(env).toMatchObject({
      CLARION_PRODUCTION: '1',
      CLARION_DEMO: '0',
      CLARION_ALLOW_PRIVATE_EGRESS: '0',
    });
  }
});

test('in production the demo account can be enabled, private egress cannot', async () => {
  const { env } = await settingsOf({ ...PUBLIC, ...masterKey, CLARION_DEMO: '1' });
  expect(env['CLARION_DEMO']).toBe('1');
  await expect(settingsOf({ ...PUBLIC, ...masterKey, CLARION_ALLOW_PRIVATE_EGRESS: '1' })).rejects.toThrow(
    /not allowed in production\. .* because CLARION_BASE_URL is https:\/\/calls\.example\.com/,
  );
});

test('WhatsApp is simulated in trial mode, unless WhatsApp itself is set up', async () => {
  const simulated = async (given: Record<string, string>) =>
    (await settingsOf({ ...masterKey, ...given })).env['CLARION_META_SIMULATOR'];
  expect(await simulated({})).toBe('1');
  expect(await simulated({ CLARION_META_SIMULATOR: '0' })).toBe('0');
  expect(await simulated({ CLARION_GRAPH_URL: 'https://graph.facebook.com' })).toBe('0');
  expect(await simulated({ CLARION_WHATSAPP_APP_SECRET: 's' })).toBe('0');
  expect(await simulated({ CLARION_DEMO: '0' })).toBe('0');
  expect(await simulated({ CLARION_ALLOW_PRIVATE_EGRESS: '0' })).toBe('0');
});

test('WhatsApp is never simulated in production', async () => {
  const { env } = await settingsOf({ ...PUBLIC, ...masterKey, CLARION_DEMO: '1' });
  expect([env['CLARION_META_SIMULATOR'], env['CLARION_GRAPH_URL']]).toEqual(['0', undefined]);
  await expect(settingsOf({ ...PUBLIC, ...masterKey, CLARION_META_SIMULATOR: '1' })).rejects.toThrow(
    'CLARION_META_SIMULATOR=1 is not allowed in production. Clarion runs in production because CLARION_BASE_URL',
  );
  await expect(settingsOf({ CLARION_META_SIMULATOR: 'yes' })).rejects.toThrow(
    'CLARION_META_SIMULATOR must be',
  );
});

test('the apps accept the settings with which they use the simulator', async () => {
  const { env, ports } = await settingsOf({});
  const used: Record<string, string> = {
    ...env,
    ...metaSimulatorEnv(ports),
    DATABASE_URL: 'postgresql://localhost/clarion',
  };
  for (const { app, schema } of await envSchemas()) {
    const given = { ...used, MEDIASOUP_WORKER_BIN: '/bin/true' };
    expect([app, schema.safeParse(given).error?.message]).toEqual([app, undefined]);
  }
  expect(used['CLARION_WHATSAPP_APP_SECRET']).not.toBe(
    metaSimulatorEnv(ports)['CLARION_WHATSAPP_APP_SECRET'],
  );
});

test('trial mode is refused when others can reach the service', async () => {
  await expect(
    settingsOf({ ...masterKey, CLARION_BIND: '0.0.0.0', CLARION_PRODUCTION: '0' }),
  ).rejects.toThrow(
    'CLARION_PRODUCTION=0 requires that only this machine can reach the service, but CLARION_BIND is 0.0.0.0',
  );
  await expect(settingsOf({ CLARION_PRODUCTION: 'no' })).rejects.toThrow('CLARION_PRODUCTION must be 1 or 0');
});

test('a process that is started separately decides on the mode as the launcher does', async () => {
  const addresses: Record<string, string>[] = [
    {},
    { CLARION_BIND: '127.0.0.2' },
    { CLARION_BIND: '10.0.0.1' },
    { CLARION_BIND: '0.0.0.0' },
    { CLARION_BIND: '127.evil.example.com' },
    { CLARION_BASE_URL: 'http://localhost:3000', CLARION_APP_URL: 'http://[::1]:3000' },
    { CLARION_BASE_URL: 'http://localhost.example.com' },
    { CLARION_APP_URL: 'https://app.example.com' },
  ];
  for (const given of addresses) {
    const { mode } = await settingsOf({ ...given, ...masterKey });
    const read = () => readProductionSettings({ ...given, CLARION_PRODUCTION: '0' });
    if (mode.production) expect(read, JSON.stringify(given)).toThrow('CLARION_PRODUCTION');
    else expect(read().CLARION_PRODUCTION).toBe(false);
  }
});

test('in production a master key must be set, and the error message explains how', async () => {
  await expect(settingsOf({ CLARION_BIND: '0.0.0.0' })).rejects.toThrow(
    /CLARION_MASTER_KEY must be set in production\. .* because CLARION_BIND is 0\.0\.0\.0[^]*openssl rand -base64 32[^]*To run in trial mode/,
  );
});

test('in production a master key generated in trial mode is refused until it is set in the environment', async () => {
  const { secrets } = await settingsOf({});
  const generated = secrets['CLARION_MASTER_KEY'] ?? '';
  await expect(settingsOf(PUBLIC)).rejects.toThrow(/secrets\.json contains the key that was generated/);
  const { env } = await settingsOf({ ...PUBLIC, CLARION_MASTER_KEY: generated });
  expect(env['CLARION_MASTER_KEY']).toBe(generated);
});

test('when a master key is set, none is written to the file', async () => {
  await settingsOf({ ...PUBLIC, ...masterKey });
  expect(readFileSync(join(dataDir, 'secrets.json'), 'utf8')).not.toContain('CLARION_MASTER_KEY');
});

test('a taken port is refused with the name of its setting, and an internal port is replaced by a free one', async () => {
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

test('SIP over TLS uses a self-signed certificate in trial mode, and only the operator’s certificate in production', async () => {
  const tried = await resolveSettings({ env: {}, dataDir, checkPorts: false });
  const { tls } = readGatewayEnv(tried.env).options;
  expect(tls).toMatchObject({ port: tried.ports.sipTls, cert: expect.stringContaining('BEGIN CERTIFICATE') });

  const production = { CLARION_BASE_URL: 'https://calls.example', ...masterKey };
  const otherDir = join(dataDir, 'production');
  const none = await resolveSettings({ env: production, dataDir: otherDir, checkPorts: false });
  expect(readGatewayEnv(none.env).options.tls).toBeUndefined();
  const files = {
    CLARION_SIP_TLS_CERT: join(dataDir, 'sip-tls', 'cert.pem'),
    CLARION_SIP_TLS_KEY: join(dataDir, 'sip-tls', 'key.pem'),
  };
  const given = await resolveSettings({
    env: { ...production, ...files },
    dataDir: otherDir,
    checkPorts: false,
  });
  expect(readGatewayEnv(given.env).options.tls).toEqual({ ...tls, port: PORTS.sipTls.port });
});

test('metrics are on loopback whatever CLARION_BIND is, unless CLARION_INTERNAL_BIND is set', async () => {
  const internalBind = async (given: Record<string, string>) => {
    const { env } = await settingsOf({ ...given, ...masterKey });
    return env['CLARION_INTERNAL_BIND'];
  };
  expect(await internalBind({ ...masterKey, CLARION_BIND: '0.0.0.0' })).toBe('127.0.0.1');
  expect(await internalBind({ CLARION_INTERNAL_BIND: '10.0.0.5' })).toBe('10.0.0.5');
});

test('media connects to the embedded SIP gateway on CLARION_INTERNAL_BIND, whatever address SIP is bound to', async () => {
  for (const [internal, listens, connects] of [
    ['', '127.0.0.1', '127.0.0.1'],
    ['10.0.0.5', '10.0.0.5', '10.0.0.5'],
    ['0.0.0.0', '0.0.0.0', '127.0.0.1'],
  ] as const) {
    const given = { CLARION_BIND: '192.0.2.1', CLARION_INTERNAL_BIND: internal };
    const { env } = await settingsOf({ ...given, ...masterKey });
    expect(readGatewayEnv(env).options).toMatchObject({ bind: '192.0.2.1', controlHost: listens });
    expect(env['DRACHTIO_HOST']).toBe(connects);
  }
});

test('an external SIP server is used with its own port and secret', async () => {
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

test('every port has a separate setting', () => {
  const variables = Object.values(PORTS).map(({ variable }) => variable);
  expect(new Set(variables).size).toBe(variables.length);
});
