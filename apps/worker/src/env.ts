/** The worker's settings: read and validated once, then passed in. */
import { pushEnvShape, pushUrls, refuseOtherPushServices } from '@clarion/core/push/push-urls';
import { operatorNameEnvShape } from '@clarion/core/billing/operator-name';
import { graphEnvShape, refuseOtherGraph } from '@clarion/core/whatsapp/graph-url';
import { productionEnvShape, refusePrivateEgress, refuseReachableTrial } from '@clarion/protocol/production';
import { storeEnvShape, storeSettings } from '@clarion/store/settings';
import { z } from 'zod';

const DEFAULT_PORT = 3003;

export const envSchema = z
  .object({
    DATABASE_URL: z.string().min(1),
    /** 32 bytes in base64. After a rotation the older keys follow, separated by commas. */
    CLARION_MASTER_KEY: z.string().min(1),
    CLARION_BASE_URL: z.url().default('http://127.0.0.1:3000'),
    ...productionEnvShape,
    ...graphEnvShape,
    ...pushEnvShape,
    ...operatorNameEnvShape,
    /** `smtp://user:password@host:587` or `smtps://…:465`. Without it, emails stay in the database. */
    CLARION_SMTP_URL: z.union([z.literal(''), z.url({ protocol: /^smtps?$/ })]).default(''),
    /** Sender of emails. */
    CLARION_MAIL_FROM: z.string().trim().default(''),
    /** The address of health checks and metrics, for the operator's network only. */
    CLARION_INTERNAL_BIND: z.string().default('127.0.0.1'),
    /** Port of health checks and metrics. */
    CLARION_WORKER_PORT: z.coerce.number().int().min(0).max(65_535).default(DEFAULT_PORT),
    CLARION_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    ...storeEnvShape,
  })
  .refine(...refusePrivateEgress)
  .refine(...refuseReachableTrial)
  .refine(...refuseOtherGraph)
  .refine(...refuseOtherPushServices)
  .transform((env) => ({
    databaseUrl: env.DATABASE_URL,
    masterKeys: env.CLARION_MASTER_KEY.split(',') as [string, ...string[]],
    baseUrl: env.CLARION_BASE_URL,
    allowPrivateEgress: env.CLARION_ALLOW_PRIVATE_EGRESS,
    graphUrl: env.CLARION_GRAPH_URL,
    pushUrls: pushUrls(env),
    smtpUrl: env.CLARION_SMTP_URL || null,
    mailFrom: env.CLARION_MAIL_FROM || 'Clarion <clarion@localhost>',
    operatorName: env.CLARION_OPERATOR_NAME,
    store: storeSettings(env),
    bind: env.CLARION_INTERNAL_BIND,
    port: env.CLARION_WORKER_PORT,
    logLevel: env.CLARION_LOG_LEVEL,
  }));

export type Env = z.output<typeof envSchema>;

/** @throws Error describing every invalid setting */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const parsed = envSchema.safeParse(source);
  if (!parsed.success) throw new Error(`Invalid environment variables:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
