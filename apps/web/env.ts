/** The environment variables of the web process, parsed once. */
import { pushEnvShape, refuseOtherPushServices } from '@clarion/core/push/push-urls';
import { operatorNameEnvShape } from '@clarion/core/billing/operator-name';
import { graphEnvShape, refuseOtherGraph } from '@clarion/core/whatsapp/graph-url';
import { productionEnvShape, refusePrivateEgress, refuseReachableTrial } from '@clarion/protocol/production';
import { storeEnvShape } from '@clarion/store/settings';
import { z } from 'zod';

const port = (standard: number) => z.coerce.number().int().min(1).max(65_535).default(standard);
const flag = z
  .enum(['0', '1', ''])
  .default('0')
  .transform((value) => value === '1');
const baseUrl = z.url().transform((value) => value.replace(/\/+$/, ''));

export const envSchema = z
  .object({
    DATABASE_URL: z.string().min(1),
    CLARION_WEB_PORT: port(3000),
    CLARION_REALTIME_PORT: port(3001),
    /** Metrics are for the operator's network only. */
    CLARION_WEB_METRICS_PORT: port(3004),
    /** The address on which this process and realtime listen. */
    CLARION_BIND: z.string().default('127.0.0.1'),
    /** The port of /metrics. */
    CLARION_INTERNAL_BIND: z.string().default('127.0.0.1'),
    CLARION_BASE_URL: baseUrl.default('http://127.0.0.1:3000'),
    CLARION_APP_URL: baseUrl.optional(),
    /** 32 bytes in base64. During a key rotation several, separated by commas: the first one encrypts. */
    CLARION_MASTER_KEY: z.string().min(1),
    /** The addresses that the page of a trunk shows for its carrier. */
    CLARION_PUBLIC_IP: z.string().default(''),
    CLARION_SIP_PORT: port(5060),
    CLARION_SIP_TLS_PORT: port(5061),
    CLARION_RTP_PORTS: z.string().default('40000-40999'),
    CLARION_INGRESS_DOMAIN: z
      .string()
      .optional()
      .transform((value) => value || null),
    /** Direct WhatsApp ingress needs both: requests are signed with the app's secret, and the token verifies the URL. */
    CLARION_WHATSAPP_APP_SECRET: z.string().default(''),
    CLARION_WHATSAPP_VERIFY_TOKEN: z.string().default(''),
    ...productionEnvShape,
    ...graphEnvShape,
    ...pushEnvShape,
    ...operatorNameEnvShape,
    /** The worker sends email with it; here it only disables the local inbox. */
    CLARION_SMTP_URL: z.string().default(''),
    /** The number of trusted proxies in front of this process: as many entries of X-Forwarded-For, from the right, are trusted. */
    CLARION_TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
    ...storeEnvShape,
    CLARION_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
    /** 1 serves the demo pages of the demo account; `npm start` sets it in trial mode. */
    CLARION_DEMO: flag,
    /** 1 if `npm start` runs the simulator of WhatsApp: the dashboard links to the page that plays a customer. */
    CLARION_META_SIMULATOR: flag,
    CLARION_META_SIMULATOR_CONTROL_PORT: port(4621),
  })
  .refine(...refusePrivateEgress)
  .refine(...refuseReachableTrial)
  .refine(...refuseOtherGraph)
  .refine(...refuseOtherPushServices);
export type Env = z.infer<typeof envSchema>;

export const readEnv = (): Env => envSchema.parse(process.env);

/** Whether Next's development server runs, whose scripts use eval. */
export const isDevelopmentServer = (): boolean => process.env['NODE_ENV'] === 'development';

/** next-auth reads its URL only from the environment. */
export function nameAuthAddress(address: string): void {
  process.env['NEXTAUTH_URL'] = address;
}

const WILDCARD = '0.0.0.0';

/** The URL of realtime on this machine, for the socket path and the readiness check. */
export function realtimeUrl(env: Pick<Env, 'CLARION_BIND' | 'CLARION_REALTIME_PORT'> = readEnv()): string {
  const host = env.CLARION_BIND === WILDCARD ? '127.0.0.1' : env.CLARION_BIND;
  return `http://${host}:${env.CLARION_REALTIME_PORT}`;
}
