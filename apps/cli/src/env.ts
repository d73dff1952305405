/** Settings of the operator's programs, from the environment. `npm run clarion` sets them from the running system. */
import { join } from 'node:path';
import { readOperatorName } from '@clarion/core/billing/operator-name';
import { readProductionSettings } from '@clarion/protocol/production';
import { readStoreSettings } from '@clarion/store/settings';
import type { StoreSettings } from '@clarion/store/settings';

export interface CliEnv {
  databaseUrl: string;
  masterKeys: readonly [string, ...string[]];
  baseUrl: string;
  /** The address of the dashboard. */
  appUrl: string;
  ingressDomain: string | null;
  allowPrivateEgress: boolean;
  operatorName: string;
  store: StoreSettings;
  /** The file in which `npm start` stores the demo account's keys. */
  demoFile: string;
  /** The port on this machine at which the demo carrier receives calls. */
  demoFarEndPort: number;
  /** Whether the simulator of WhatsApp runs for the demo account. */
  metaSimulator: boolean;
  /** Whether a new demo account gets its sample history. */
  demoHistory: boolean;
  /** The operator's user name, for the audit log. */
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
    operatorName: readOperatorName(env),
    store: readStoreSettings(env),
    demoFile: join(env['CLARION_DATA_DIR'] || '.clarion', 'demo.json'),
    demoFarEndPort: Number(env['CLARION_DEMO_FAR_END_PORT'] || DEFAULT_FAR_END_PORT),
    metaSimulator: env['CLARION_META_SIMULATOR'] === '1',
    demoHistory: env['CLARION_DEMO_HISTORY'] !== '0',
    operator: env['USER'] || env['LOGNAME'] || 'operator',
  };
}
