/** The settings of a media node, read once by main.ts. */
import { hostname } from 'node:os';
import { productionEnvShape, refusePrivateEgress, refuseReachableTrial } from '@clarion/protocol/production';
import { storeEnvShape } from '@clarion/store/settings';
import { z } from 'zod';

/** The longest that CLARION_MAX_CALL_SECONDS lets a call last. */
const MAX_DRAIN_SECONDS = 604_800;

const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);

export const envSchema = z
  .object({
    /** The address that our RTP and WebRTC sockets are bound to. */
    CLARION_BIND: z.string().default('127.0.0.1'),
    /** The address of the health and metrics server, for the operator's network only. */
    CLARION_INTERNAL_BIND: z.string().default('127.0.0.1'),
    /** The address announced in SDP if it differs from the bound address. */
    CLARION_PUBLIC_IP: z.string().optional(),
    CLARION_MEDIA_PORT: port(3002),
    CLARION_RTP_PORTS: z
      .string()
      .regex(/^\d+-\d+$/)
      .default('40000-40999')
      .transform((text) => {
        const [first = 0, last = 0] = text.split('-').map(Number);
        return { first, last };
      })
      .refine(
        (range) => range.first > 0 && range.first < range.last && range.last <= 65_535,
        'must be a range of ports',
      ),
    CLARION_WEBRTC_PORT: port(40_443),
    /** Number of mediasoup workers: one per core that media may use. */
    CLARION_MEDIA_WORKERS: z.coerce.number().int().min(1).max(64).default(1),
    /** How long the node waits for its calls to end after SIGTERM, in seconds. 0: it ends them at once. */
    CLARION_MEDIA_DRAIN_SECONDS: z.coerce.number().int().min(0).max(MAX_DRAIN_SECONDS).default(0),
    /** Comma-separated URLs. A host name with several addresses stands for one node per address. */
    CLARION_REALTIME_URLS: z
      .string()
      .default('http://127.0.0.1:3001')
      .transform((text) =>
        text
          .split(',')
          .map((url) => url.trim())
          .filter((url) => url !== ''),
      ),
    CLARION_MEDIA_SECRET: z.string().min(1),
    CLARION_NODE_ID: z.string().min(1).max(64).default(`media-${hostname()}-${process.pid}`),
    DRACHTIO_HOST: z.string().default('127.0.0.1'),
    DRACHTIO_PORT: port(9022),
    DRACHTIO_SECRET: z.string().default('cymru'),
    /** The file of the SIP server's trusted authorities: a check-up of a trunk trusts the same ones. */
    CLARION_SIP_TLS_CA: z.string().optional(),
    /** The store for audio files and recordings; the same one as in the other processes. */
    ...storeEnvShape,
    ...productionEnvShape,
    CLARION_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    /** Path of mediasoup's worker. Default: the cached build, or else the one in the npm package. */
    MEDIASOUP_WORKER_BIN: z.string().optional(),
  })
  .refine(...refusePrivateEgress)
  .refine(...refuseReachableTrial);
export type Env = z.infer<typeof envSchema>;

/**
 * An empty variable, as in a copied .env.example, counts as not set. Throws an error that lists every invalid variable.
 */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = envSchema.safeParse(given);
  if (!parsed.success) throw new Error(`Invalid environment variables:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
