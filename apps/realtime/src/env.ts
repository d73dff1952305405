/** Realtime's settings: read and validated once, then passed in. */
import { DEFAULT_MAX_CALL_SECONDS } from '@clarion/core/call-machine/timing';
import { graphEnvShape, refuseOtherGraph } from '@clarion/core/whatsapp/graph-url';
import { productionEnvShape, refusePrivateEgress, refuseReachableTrial } from '@clarion/protocol/production';
import { z } from 'zod';

const DEFAULT_PORT = 3001;
const DEFAULT_METRICS_PORT = 3005;
const MIN_MAX_CALL_SECONDS = 60;
const MAX_MAX_CALL_SECONDS = 604_800;
/** RFC 7065 */
const TURN_URL = /^turns?:[^\s?,]+(\?transport=(udp|tcp))?$/;

/** Separated by commas; empty entries are ignored. */
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );

export const envSchema = z
  .object({
    CLARION_BIND: z.string().default('127.0.0.1'),
    CLARION_REALTIME_PORT: z.coerce.number().int().min(0).max(65_535).default(DEFAULT_PORT),
    /** Where metrics are served, for the operator's network only. */
    CLARION_INTERNAL_BIND: z.string().default('127.0.0.1'),
    CLARION_REALTIME_METRICS_PORT: z.coerce.number().int().min(0).max(65_535).default(DEFAULT_METRICS_PORT),
    DATABASE_URL: z.string().min(1),
    /** 32 bytes in base64. After a rotation the older keys follow, separated by commas. */
    CLARION_MASTER_KEY: z.string().min(1),
    /** The secret with which media nodes authenticate. */
    CLARION_MEDIA_SECRET: z.string().min(16),
    CLARION_BASE_URL: z.url().default('http://localhost:3000'),
    /** The ingress host of a trunk is `<label>.<domain>`; without a domain only the source address identifies the trunk. */
    CLARION_INGRESS_DOMAIN: z.string().optional(),
    /** Maximum duration of a call; at most a week, which fits into a timer. */
    CLARION_MAX_CALL_SECONDS: z.coerce
      .number()
      .int()
      .min(MIN_MAX_CALL_SECONDS)
      .max(MAX_MAX_CALL_SECONDS)
      .default(DEFAULT_MAX_CALL_SECONDS),
    ...productionEnvShape,
    ...graphEnvShape,
    CLARION_TURN_URLS: list.pipe(
      z.array(z.string().regex(TURN_URL, 'must be like turn:host:3478?transport=udp or turns:host:5349')),
    ),
    /** Shared with the TURN servers. */
    CLARION_TURN_SECRET: z.string().default(''),
    CLARION_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  })
  .refine(...refusePrivateEgress)
  .refine(...refuseReachableTrial)
  .refine(...refuseOtherGraph)
  .refine((env) => env.CLARION_TURN_URLS.length > 0 === (env.CLARION_TURN_SECRET !== ''), {
    message: 'CLARION_TURN_URLS and CLARION_TURN_SECRET must be set together',
    path: ['CLARION_TURN_SECRET'],
  })
  .transform((env) => ({
    bind: env.CLARION_BIND,
    port: env.CLARION_REALTIME_PORT,
    internalBind: env.CLARION_INTERNAL_BIND,
    metricsPort: env.CLARION_REALTIME_METRICS_PORT,
    databaseUrl: env.DATABASE_URL,
    masterKeys: env.CLARION_MASTER_KEY.split(',') as [string, ...string[]],
    mediaSecret: env.CLARION_MEDIA_SECRET,
    baseUrl: env.CLARION_BASE_URL,
    ingressDomain: env.CLARION_INGRESS_DOMAIN?.trim() || null,
    maxCallSeconds: env.CLARION_MAX_CALL_SECONDS,
    allowPrivateEgress: env.CLARION_ALLOW_PRIVATE_EGRESS,
    graphUrl: env.CLARION_GRAPH_URL,
    turn:
      env.CLARION_TURN_SECRET === ''
        ? null
        : { urls: env.CLARION_TURN_URLS, secret: env.CLARION_TURN_SECRET },
    logLevel: env.CLARION_LOG_LEVEL,
  }));

export type Env = z.output<typeof envSchema>;

/** @throws with a description of every invalid setting */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const parsed = envSchema.safeParse(source);
  if (!parsed.success) throw new Error(`Invalid environment variables:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
