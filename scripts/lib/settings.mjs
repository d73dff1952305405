/**
 * The settings of one running copy: what a person may set (see .env.example), with its default, and the environment that
 * every process is given.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Sorry } from './log.mjs';
import { inRoot, root } from './paths.mjs';
import { freePort, isPortFree, isUdpPortFree } from './ports.mjs';
import { modeOf } from './production.mjs';

/** Ports by name: the variable that sets each, its default, and what it carries. */
export const PORTS = {
  web: { variable: 'CLARION_WEB_PORT', port: 3000, protocols: ['tcp'] },
  realtime: { variable: 'CLARION_REALTIME_PORT', port: 3001, protocols: ['tcp'] },
  media: { variable: 'CLARION_MEDIA_PORT', port: 3002, protocols: ['tcp'] },
  worker: { variable: 'CLARION_WORKER_PORT', port: 3003, protocols: ['tcp'], internal: true },
  webMetrics: { variable: 'CLARION_WEB_METRICS_PORT', port: 3004, protocols: ['tcp'], internal: true },
  realtimeMetrics: {
    variable: 'CLARION_REALTIME_METRICS_PORT',
    port: 3005,
    protocols: ['tcp'],
    internal: true,
  },
  sip: { variable: 'CLARION_SIP_PORT', port: 5060, protocols: ['tcp', 'udp'] },
  sipTls: { variable: 'CLARION_SIP_TLS_PORT', port: 5061, protocols: ['tcp'], internal: true },
  sipControl: { variable: 'CLARION_SIP_CONTROL_PORT', port: 9022, protocols: ['tcp'], internal: true },
  webrtc: { variable: 'CLARION_WEBRTC_PORT', port: 40443, protocols: ['tcp', 'udp'] },
};

/** Ports for a copy of the whole system beside others: free now, for TCP and UDP, by their names. */
export async function freeStackPorts(host = '127.0.0.1') {
  const names = Object.keys(PORTS);
  const ports = new Set();
  while (ports.size < names.length) ports.add(await freePort(host));
  return Object.fromEntries(names.map((name, i) => [name, [...ports][i]]));
}

/** Where the demo trunk sends calls: to the demo carrier (scripts/demo-carrier.ts), or who took its port before. */
const DEMO_FAR_END_PORT = '5090';
const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;
const WILDCARD = '0.0.0.0';

/** What another program's environment must not bring into ours (a test runner's, npm's). */
const FOREIGN = /^(VITEST|npm_|NODE_V8_COVERAGE=|NODE_ENV=test$|TURBO_)/;

/** Reads `.env` beside package.json, when there is one; what the environment already has wins. */
export function loadDotEnv(file = inRoot('.env')) {
  if (!existsSync(file)) return;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, name, value] = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name && process.env[name] === undefined) process.env[name] = value.replace(/^(['"])(.*)\1$/, '$2');
  }
}

export function dataDirOf(env = process.env) {
  return resolve(root, env.CLARION_DATA_DIR || '.clarion');
}

/**
 * @param {{ env?: NodeJS.ProcessEnv, dataDir?: string, ports?: Partial<Record<keyof typeof PORTS, number>>,
 *   checkPorts?: boolean }} [options]
 *   `ports` and `dataDir` outrank `env`; without `checkPorts` nothing is said about ports that are taken
 * @returns {Promise<{ dataDir: string, bind: string, ports: Record<keyof typeof PORTS, number>, baseUrl: string,
 *   embeddedPostgres: boolean, embeddedSip: boolean, mode: { production: boolean, reason: string },
 *   secrets: Record<string, string>, env: Record<string, string> }>}
 *   `env` is complete but for DATABASE_URL (embedded) and MEDIASOUP_WORKER_BIN, which are known later
 * @throws {Sorry} naming the setting that is wrong, or the port that is taken
 */
export async function resolveSettings({
  env = process.env,
  dataDir = dataDirOf(env),
  ports: given = {},
  checkPorts = true,
} = {}) {
  const bind = env.CLARION_BIND || '127.0.0.1';
  const internalBind = env.CLARION_INTERNAL_BIND || '127.0.0.1';
  const reach = reachable(bind); // where our own processes find each other
  const embeddedPostgres = !env.DATABASE_URL;
  const embeddedSip = !env.DRACHTIO_HOST;

  const ports = await choosePorts(
    env,
    given,
    { bind, internalBind },
    checkPorts && (embeddedSip ? 'all' : 'but sip'),
  );
  const rtp = env.CLARION_RTP_PORTS || '40000-40999';
  if (!/^\d+-\d+$/.test(rtp)) throw new Sorry(`CLARION_RTP_PORTS must look like 40000-40999, not ${rtp}`);

  const baseUrl = (env.CLARION_BASE_URL || `http://${reach}:${ports.web}`).replace(/\/+$/, '');
  const appUrl = (env.CLARION_APP_URL || baseUrl).replace(/\/+$/, '');
  const mode = modeOf({ bind, baseUrl, appUrl, asked: env.CLARION_PRODUCTION });
  const trying = mode.production ? '0' : '1';
  if (mode.production && env.CLARION_ALLOW_PRIVATE_EGRESS === '1') {
    throw new Sorry(
      `CLARION_ALLOW_PRIVATE_EGRESS=1 is not allowed in production. Clarion runs in production because ${mode.reason}.`,
    );
  }

  mkdirSync(dataDir, { recursive: true });
  const secrets = readSecrets(dataDir, env, mode);

  return {
    dataDir,
    bind,
    ports,
    baseUrl,
    embeddedPostgres,
    embeddedSip,
    mode,
    secrets,
    env: {
      ...Object.fromEntries(
        Object.entries(env).filter(([name, value]) => value && !FOREIGN.test(`${name}=${value}`)),
      ),
      PATH: `${inRoot('node_modules/.bin')}:${env.PATH ?? ''}`,
      CLARION_DATA_DIR: dataDir,
      CLARION_BIND: bind,
      CLARION_INTERNAL_BIND: internalBind,
      CLARION_PUBLIC_IP: env.CLARION_PUBLIC_IP || reach,
      CLARION_BASE_URL: baseUrl,
      CLARION_APP_URL: appUrl,
      CLARION_PRODUCTION: mode.production ? '1' : '0',
      CLARION_ALLOW_PRIVATE_EGRESS: env.CLARION_ALLOW_PRIVATE_EGRESS || trying,
      // The demo hands out agent tokens to whoever reaches the page.
      CLARION_DEMO: env.CLARION_DEMO || trying,
      CLARION_DEMO_HISTORY: env.CLARION_DEMO_HISTORY || '1',
      CLARION_DEMO_FAR_END_PORT: env.CLARION_DEMO_FAR_END_PORT || DEMO_FAR_END_PORT,
      CLARION_MAX_CALL_SECONDS: env.CLARION_MAX_CALL_SECONDS || '86400',
      CLARION_LOG_LEVEL: env.CLARION_LOG_LEVEL || 'info',
      CLARION_RTP_PORTS: rtp,
      CLARION_MEDIA_WORKERS: env.CLARION_MEDIA_WORKERS || '1',
      CLARION_REALTIME_URLS: env.CLARION_REALTIME_URLS || `http://${reach}:${ports.realtime}`,
      ...Object.fromEntries(
        Object.entries(PORTS).map(([name, { variable }]) => [variable, String(ports[name])]),
      ),
      CLARION_MASTER_KEY: secrets.CLARION_MASTER_KEY,
      CLARION_MEDIA_SECRET: secrets.CLARION_MEDIA_SECRET,
      CLARION_SIP_SECRET: secrets.CLARION_SIP_SECRET,
      DRACHTIO_HOST: env.DRACHTIO_HOST || reachable(internalBind),
      DRACHTIO_PORT: embeddedSip
        ? String(ports.sipControl)
        : env.DRACHTIO_PORT || String(PORTS.sipControl.port),
      DRACHTIO_SECRET: embeddedSip ? secrets.CLARION_SIP_SECRET : env.DRACHTIO_SECRET || 'cymru',
      NEXT_TELEMETRY_DISABLED: '1',
    },
  };
}

const reachable = (bind) => (bind === WILDCARD ? '127.0.0.1' : bind);

/** Served on CLARION_INTERNAL_BIND. */
const ON_INTERNAL_BIND = new Set(['media', 'worker', 'webMetrics', 'realtimeMetrics', 'sipControl']);

async function choosePorts(env, given, { bind, internalBind }, check) {
  const chosen = {};
  for (const [name, { variable, port: standard, protocols, internal }] of Object.entries(PORTS)) {
    const wanted = given[name] ?? (env[variable] ? Number(env[variable]) : undefined);
    if (wanted !== undefined && !(Number.isInteger(wanted) && wanted > 0 && wanted < 65_536)) {
      throw new Sorry(`${variable} must be a port number, not ${env[variable]}`);
    }
    const needed = check === 'all' || (check === 'but sip' && !name.startsWith('sip'));
    const port = wanted ?? standard;
    const address = ON_INTERNAL_BIND.has(name) ? internalBind : bind;
    if (!needed || (await isFree(port, protocols, address))) chosen[name] = port;
    // Internal ports: a second copy chooses another one by itself. With a certificate, the TLS port is public.
    else if (internal && wanted === undefined && !(name === 'sipTls' && env.CLARION_SIP_TLS_CERT)) {
      chosen[name] = await freePort(address);
    } else throw new Sorry(`port ${port} is taken: set ${variable} to another one (see .env.example)`);
  }
  return chosen;
}

async function isFree(port, protocols, bind) {
  for (const protocol of protocols) {
    if (!(await (protocol === 'udp' ? isUdpPortFree : isPortFree)(port, bind))) return false;
  }
  return true;
}

/**
 * Generated once into `secrets.json`; values set in the environment take precedence and are not written to it. In production a master
 * key in that file is refused: anyone who copies the data directory would have both the key and the data it encrypts.
 */
function readSecrets(dataDir, env, { production, reason }) {
  const file = join(dataDir, 'secrets.json');
  const exists = existsSync(file);
  // A file restored from a backup may be readable by other users.
  if (exists) chmodSync(file, OWNER_ONLY);
  const kept = exists ? JSON.parse(readFileSync(file, 'utf8')) : {};
  if (production && !env.CLARION_MASTER_KEY) throw new Sorry(masterKeyMissing(kept, file, reason));
  const made = {
    ...kept,
    CLARION_MEDIA_SECRET: kept.CLARION_MEDIA_SECRET ?? randomBytes(SECRET_BYTES).toString('base64url'),
    CLARION_SIP_SECRET: kept.CLARION_SIP_SECRET ?? randomBytes(SECRET_BYTES).toString('base64url'),
    postgresPassword: kept.postgresPassword ?? randomBytes(SECRET_BYTES).toString('base64url'),
  };
  if (!env.CLARION_MASTER_KEY) made.CLARION_MASTER_KEY ??= randomBytes(SECRET_BYTES).toString('base64');
  if (Object.keys(made).some((name) => kept[name] === undefined)) {
    writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: OWNER_ONLY });
  }
  for (const name of ['CLARION_MASTER_KEY', 'CLARION_MEDIA_SECRET', 'CLARION_SIP_SECRET']) {
    if (env[name]) made[name] = env[name];
  }
  return made;
}

function masterKeyMissing({ CLARION_MASTER_KEY: generated }, file, reason) {
  const what = generated
    ? `${file} contains the key that was generated in trial mode. To keep the data it encrypts, set CLARION_MASTER_KEY to that key, or to a\n` +
      'new key, a comma and that key. Then remove it from the file and store it elsewhere.'
    : 'Set it to 32 random bytes in base64, for example from: openssl rand -base64 32';
  return (
    `CLARION_MASTER_KEY must be set in production. Clarion runs in production because ${reason}.\n${what}\n` +
    'To run in trial mode on this machine, leave CLARION_PRODUCTION unset and CLARION_BIND, CLARION_BASE_URL and CLARION_APP_URL\n' +
    'at their defaults.'
  );
}
