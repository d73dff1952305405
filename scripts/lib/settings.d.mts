import type { PortName } from './stack.d.mts';

export const PORTS: Record<
  PortName,
  { variable: string; port: number; protocols: ('tcp' | 'udp')[]; internal?: true }
>;

export function freeStackPorts(host?: string): Promise<Record<PortName, number>>;

export interface Settings {
  dataDir: string;
  bind: string;
  ports: Record<PortName, number>;
  baseUrl: string;
  embeddedPostgres: boolean;
  embeddedSip: boolean;
  /** Production or trial mode; the reason completes "because …". */
  mode: { production: boolean; reason: string };
  secrets: Record<string, string>;
  env: Record<string, string>;
}

export function loadDotEnv(file?: string): void;
export function dataDirOf(env?: Record<string, string | undefined>): string;
export function resolveSettings(options?: {
  env?: Record<string, string | undefined>;
  dataDir?: string;
  ports?: Partial<Record<PortName, number>>;
  checkPorts?: boolean;
}): Promise<Settings>;
