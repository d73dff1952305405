/** Production or trial mode, which the launcher (scripts/lib/production.mjs) decides and passes to every process. */
import { z } from 'zod';

const flag = z
  .enum(['0', '1', ''])
  .default('0')
  .transform((value) => value === '1');

/** Spread into an app's env schema, which is then refined with `refusePrivateEgress`. */
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
    message: 'private egress is refused in production, the default unless CLARION_PRODUCTION is 0',
    path: ['CLARION_ALLOW_PRIVATE_EGRESS'],
  },
];

/** For a program without an env schema of its own. @throws naming the setting that is wrong */
export const readProductionSettings = (env: Record<string, string | undefined>): ProductionEnv =>
  productionEnv.refine(...refusePrivateEgress).parse(env);
