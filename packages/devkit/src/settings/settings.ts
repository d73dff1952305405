/**
 * The settings of one running copy: each setting of .env.example with its default, and the environment that every process is given.
 */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { inRoot, root } from '../paths.ts';
import { UserError } from '../terminal/log.ts';
import { simulatesMeta } from './meta-simulator.ts';
import { choosePorts, PORTS, portSettings, type Ports } from './ports.ts';
import { modeOf, type Mode } from './production.ts';
import { readSecrets, type Secrets } from './secrets.ts';

/** Where the demo trunk sends calls: to the demo carrier (scripts/demo-carrier.ts), or to another process that uses its port. */
const DEMO_FAR_END_PORT = '5090';

/** Variables of test runners and npm that must not be passed to our processes. */
const FOREIGN = /^(VITEST|npm_|NODE_V8_COVERAGE=|NODE_ENV=test$|TURBO_)/;

export type Env = Record<string, string | undefined>;

export interface Settings {
  dataDir: string;
  bind: string;
  ports: Ports;
  baseUrl: string;
  embeddedPostgres: boolean;
  embeddedSip: boolean;
  mode: Mode;
  secrets: Secrets;
  /** Complete except for DATABASE_URL (if embedded) and MEDIASOUP_WORKER_BIN, which are set later. */
  env: Record<string, string>;
}

export interface SettingsOptions {
  /** Default: process.env. */
  env?: Env;
  /** Takes precedence over `env`, as does `ports`. */
  dataDir?: string;
  ports?: Partial<Ports>;
  /** If false, a port that is taken is not an error. */
  checkPorts?: boolean;
}

export function dataDirOf(env: Env = process.env): string {
  return resolve(root, env['CLARION_DATA_DIR'] || '.clarion');
}

/** @throws UserError with the setting that is invalid or the port that is taken */
export async function resolveSettings({
  env = process.env,
  dataDir = dataDirOf(env),
  ports: given = {},
  checkPorts = true,
}: SettingsOptions = {}): Promise<Settings> {
  const bind = env['CLARION_BIND'] || '127.0.0.1';
  const internalBind = env['CLARION_INTERNAL_BIND'] || '127.0.0.1';
  const reach = reachableAt(bind); // the address at which our processes connect to each other
  const embeddedPostgres = !env['DATABASE_URL'];
  const embeddedSip = !env['DRACHTIO_HOST'];

  const check = embeddedSip ? 'all' : 'but sip';
  const ports = await choosePorts(env, given, { bind, internalBind }, checkPorts ? check : 'none');
  const rtp = env['CLARION_RTP_PORTS'] || '40000-40999';
  if (!/^\d+-\d+$/.test(rtp)) throw new UserError(`CLARION_RTP_PORTS must look like 40000-40999, not ${rtp}`);

  const baseUrl = (env['CLARION_BASE_URL'] || `http://${reach}:${ports.web}`).replace(/\/+$/, '');
  const appUrl = (env['CLARION_APP_URL'] || baseUrl).replace(/\/+$/, '');
  const mode = modeOf({ bind, baseUrl, appUrl, asked: env['CLARION_PRODUCTION'] });
  const trying = mode.production ? '0' : '1';
  if (mode.production && env['CLARION_ALLOW_PRIVATE_EGRESS'] === '1') {
    throw new UserError(
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
        Object.entries(env).flatMap(([name, value]) =>
          value && !FOREIGN.test(`${name}=${value}`) ? [[name, value]] : [],
        ),
      ),
      PATH: `${inRoot('node_modules/.bin')}:${env['PATH'] ?? ''}`,
      CLARION_DATA_DIR: dataDir,
      CLARION_BIND: bind,
      CLARION_INTERNAL_BIND: internalBind,
      CLARION_PUBLIC_IP: env['CLARION_PUBLIC_IP'] || reach,
      CLARION_BASE_URL: baseUrl,
      CLARION_APP_URL: appUrl,
      CLARION_PRODUCTION: mode.production ? '1' : '0',
      CLARION_ALLOW_PRIVATE_EGRESS: env['CLARION_ALLOW_PRIVATE_EGRESS'] || trying,
      // The demo issues agent tokens to anyone who can open the page.
      CLARION_DEMO: env['CLARION_DEMO'] || trying,
      CLARION_META_SIMULATOR: simulatesMeta(env, mode) ? '1' : '0',
      CLARION_DEMO_HISTORY: env['CLARION_DEMO_HISTORY'] || '1',
      CLARION_DEMO_FAR_END_PORT: env['CLARION_DEMO_FAR_END_PORT'] || DEMO_FAR_END_PORT,
      CLARION_MAX_CALL_SECONDS: env['CLARION_MAX_CALL_SECONDS'] || '86400',
      CLARION_LOG_LEVEL: env['CLARION_LOG_LEVEL'] || 'info',
      CLARION_RTP_PORTS: rtp,
      CLARION_MEDIA_WORKERS: env['CLARION_MEDIA_WORKERS'] || '1',
      CLARION_MEDIA_DRAIN_SECONDS: env['CLARION_MEDIA_DRAIN_SECONDS'] || '0',
      CLARION_REALTIME_URLS: env['CLARION_REALTIME_URLS'] || `http://${reach}:${ports.realtime}`,
      ...portSettings(ports),
      CLARION_MASTER_KEY: secrets.CLARION_MASTER_KEY,
      CLARION_MEDIA_SECRET: secrets.CLARION_MEDIA_SECRET,
      CLARION_SIP_SECRET: secrets.CLARION_SIP_SECRET,
      DRACHTIO_HOST: env['DRACHTIO_HOST'] || reachableAt(internalBind),
      DRACHTIO_PORT: embeddedSip
        ? String(ports.sipControl)
        : env['DRACHTIO_PORT'] || String(PORTS.sipControl.port),
      DRACHTIO_SECRET: embeddedSip ? secrets.CLARION_SIP_SECRET : env['DRACHTIO_SECRET'] || 'cymru',
      NEXT_TELEMETRY_DISABLED: '1',
    },
  };
}

/** The address to connect to for a server that is bound to `bind`. */
export const reachableAt = (bind: string): string => (bind === '0.0.0.0' ? '127.0.0.1' : bind);
