/** What the operator's programs read from their environment. `npm run clarion` fills it in from the running system. */
import { join } from 'node:path';
import { readProductionSettings } from '@clarion/protocol/production';
import { readStoreSettings } from '@clarion/store/settings';
import type { StoreSettings } from '@clarion/store/settings';

export interface CliEnv {
  databaseUrl: string;
  masterKeys: readonly [string, ...string[]];
  baseUrl: string;
  /** Where the dashboard is. */
  appUrl: string;
  ingressDomain: string | null;
  allowPrivateEgress: boolean;
  store: StoreSettings;
  /** Where `npm start` keeps what it made: the demo account's keys go here. */
  demoFile: string;
  /** Where the demo trunk sends calls: the demo carrier listens there, on this machine. */
  demoFarEndPort: number;
  /** Whether a new demo account gets its made-up history. */
  demoHistory: boolean;
  /** Who is at the keyboard, for the audit log. */
  operator: string;
}

const DEFAULT_FAR_END_PORT = 5090;

/** @throws Error naming the setting that is missing */
export function readEnv(env: Record<string, string | undefined> = process.env): CliEnv {
  const need = (name: string): string => {
    const value = env[name];
    if (!value) throw new Error(`${name} is not set`);
    return value;
  };
  const [first = '', ...older] = need('CLARION_MASTER_KEY').split(',');
  return {
    databaseUrl: need('DATABASE_URL'),
    masterKeys: [first, ...older],
    baseUrl: env['CLARION_BASE_URL'] || 'http://127.0.0.1:3000',
    appUrl: env['CLARION_APP_URL'] || env['CLARION_BASE_URL'] || 'http://127.0.0.1:3000',
    ingressDomain: env['CLARION_INGRESS_DOMAIN'] || null,
    allowPrivateEgress: readProductionSettings(env).CLARION_ALLOW_PRIVATE_EGRESS,
    store: readStoreSettings(env),
    demoFile: join(env['CLARION_DATA_DIR'] || '.clarion', 'demo.json'),
    demoFarEndPort: Number(env['CLARION_DEMO_FAR_END_PORT'] || DEFAULT_FAR_END_PORT),
    demoHistory: env['CLARION_DEMO_HISTORY'] !== '0',
    operator: env['USER'] || env['LOGNAME'] || 'operator',
  };
}
