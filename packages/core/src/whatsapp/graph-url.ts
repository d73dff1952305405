/** The setting CLARION_GRAPH_URL, for the processes that send requests to Meta. */
import { z } from 'zod';

/** Meta's public host. `CLARION_GRAPH_URL` replaces it, for example with a simulator. */
const DEFAULT_GRAPH_URL = 'https://graph.facebook.com';

/** Spread into an app's env schema, which is then refined with `refuseOtherGraph`. */
export const graphEnvShape = {
  CLARION_GRAPH_URL: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .transform((url) => (url === '' ? DEFAULT_GRAPH_URL : url.replace(/\/+$/, ''))),
};

interface GraphEnv {
  CLARION_GRAPH_URL: string;
  CLARION_ALLOW_PRIVATE_EGRESS: boolean;
}

/** Access tokens of WhatsApp lines must not be sent to another host in production. Arguments for `refine` of an env schema. */
export const refuseOtherGraph: [(env: GraphEnv) => boolean, { message: string; path: string[] }] = [
  (env) => env.CLARION_GRAPH_URL === DEFAULT_GRAPH_URL || env.CLARION_ALLOW_PRIVATE_EGRESS,
  {
    message: `only ${DEFAULT_GRAPH_URL} is allowed unless CLARION_ALLOW_PRIVATE_EGRESS is 1`,
    path: ['CLARION_GRAPH_URL'],
  },
];
