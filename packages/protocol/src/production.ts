/** Production or trial mode, which the launcher (packages/devkit/src/settings/production.ts) decides and passes to every process. */
import { z } from 'zod';

const flag = z
  .enum(['0', '1', ''])
  .default('0')
  .transform((value) => value === '1');

/** Spread into an app's env schema, which is then refined with `refusePrivateEgress` and `refuseReachableTrial`. */
export const productionEnvShape = {
  /** `npm start` sets 0 in trial mode. A process without the setting is in production. */
  CLARION_PRODUCTION: z
    .enum(['0', '1', ''])
    .default('1')
    .transform((value) => value !== '0'),
  /** Webhooks, lookups and trunks may use private addresses and plain http, and audio may go to private addresses that an SDP names. */
  CLARION_ALLOW_PRIVATE_EGRESS: flag,
};
const productionEnv = z.object(productionEnvShape);
type ProductionEnv = z.output<typeof productionEnv>;

/** Arguments for `refine` of an env schema. */
export const refusePrivateEgress: [(env: ProductionEnv) => boolean, { message: string; path: string[] }] = [
  (env) => !(env.CLARION_PRODUCTION && env.CLARION_ALLOW_PRIVATE_EGRESS),
  {
    message:
      'requests to private addresses are not allowed in production, which is the default unless CLARION_PRODUCTION is 0',
    path: ['CLARION_ALLOW_PRIVATE_EGRESS'],
  },
];

/** The address settings; a process has only those that it uses. */
interface Addresses {
  CLARION_BIND?: string | undefined;
  CLARION_BASE_URL?: string | undefined;
  CLARION_APP_URL?: string | undefined;
}

/** Arguments for `refine` of an env schema, for processes that are started without the launcher. */
export const refuseReachableTrial: [
  (env: Pick<ProductionEnv, 'CLARION_PRODUCTION'> & Addresses) => boolean,
  { message: string; path: string[] },
] = [
  (env) => env.CLARION_PRODUCTION || isOnlyForThisMachine(env),
  {
    message: '0 requires that CLARION_BIND, CLARION_BASE_URL and CLARION_APP_URL are loopback addresses',
    path: ['CLARION_PRODUCTION'],
  },
];

/** The launcher (packages/devkit/src/settings/production.ts) decides in the same way; it imports nothing of the product. */
function isOnlyForThisMachine({ CLARION_BIND: bind, CLARION_BASE_URL, CLARION_APP_URL }: Addresses): boolean {
  return (
    (!bind || isLoopback(bind)) &&
    [CLARION_BASE_URL, CLARION_APP_URL].every(
      (url) => !url || (URL.canParse(url) && isLoopback(new URL(url).hostname)),
    )
  );
}

/** RFC 5735 section 3 and RFC 4291 section 2.5.3; the only name that counts is `localhost` (RFC 6761 section 6.3). */
const isLoopback = (host: string): boolean =>
  ['localhost', '::1', '[::1]'].includes(host) ||
  (z.ipv4().safeParse(host).success && host.startsWith('127.'));

/** For programs without an env schema. @throws an error that names the invalid setting */
export const readProductionSettings = (env: Record<string, string | undefined>): ProductionEnv =>
  productionEnv
    .extend({
      CLARION_BIND: z.string().optional(),
      CLARION_BASE_URL: z.string().optional(),
      CLARION_APP_URL: z.string().optional(),
    })
    .refine(...refusePrivateEgress)
    .refine(...refuseReachableTrial)
    .parse(env);
