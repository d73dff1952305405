/** Production or trying it out: what the launcher (scripts/lib/production.mjs) decides and tells every process. */
import { z } from 'zod';

const flag = z
  .enum(['0', '1', ''])
  .default('0')
  .transform((value) => value === '1');

/** To be spread into an app's env schema, which is then refined with `refusePrivateEgress`. */
export const productionEnvShape = {
  /** Only `npm start` says 0, on a copy that only its own machine reaches. A process that is told nothing is in production. */
  CLARION_PRODUCTION: z
    .enum(['0', '1', ''])
    .default('1')
    .transform((value) => value !== '0'),
  /** Webhooks, look-ups and trunks may lead to private addresses and plain http. */
  CLARION_ALLOW_PRIVATE_EGRESS: flag,
};
const productionEnv = z.object(productionEnvShape);
type ProductionEnv = z.output<typeof productionEnv>;

/** The arguments of an env schema's `refine`. */
export const refusePrivateEgress: [(env: ProductionEnv) => boolean, { message: string; path: string[] }] = [
  (env) => !(env.CLARION_PRODUCTION && env.CLARION_ALLOW_PRIVATE_EGRESS),
  {
    message: 'private egress is refused in production, which a process is in unless CLARION_PRODUCTION is 0',
    path: ['CLARION_ALLOW_PRIVATE_EGRESS'],
  },
];

/** For a program without an env schema of its own. @throws naming the setting that is wrong */
export const readProductionSettings = (env: Record<string, string | undefined>): ProductionEnv =>
  productionEnv.refine(...refusePrivateEgress).parse(env);
