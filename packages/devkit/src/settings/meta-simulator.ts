/** The simulator of WhatsApp (packages/meta-simulator) that `npm start` runs for the demo account, so that no Meta account is needed. */
import { randomBytes } from 'node:crypto';
import { UserError } from '../terminal/log.ts';
import type { Ports } from './ports.ts';
import type { Mode } from './production.ts';

type Env = Record<string, string | undefined>;

const SECRET_BYTES = 24;
const LOOPBACK = '127.0.0.1';

/** Each of them means that WhatsApp itself is used. */
const OF_WHATSAPP = ['CLARION_GRAPH_URL', 'CLARION_WHATSAPP_APP_SECRET', 'CLARION_WHATSAPP_VERIFY_TOKEN'];
/** Without the demo account there is no line to call; without private egress no request may be sent to the simulator. */
const NEEDED = ['CLARION_DEMO', 'CLARION_ALLOW_PRIVATE_EGRESS'];

/** Only in trial mode, and only if no setting of WhatsApp itself is set. @throws UserError if it is requested in production */
export function simulatesMeta(env: Env, { production, reason }: Mode): boolean {
  const asked = env['CLARION_META_SIMULATOR'] ?? '';
  if (!['', '0', '1'].includes(asked)) {
    throw new UserError(`CLARION_META_SIMULATOR must be 1 or 0, not ${asked}`);
  }
  if (production) {
    if (asked !== '1') return false;
    throw new UserError(
      `CLARION_META_SIMULATOR=1 is not allowed in production. Clarion runs in production because ${reason}.`,
    );
  }
  return asked !== '0' && !OF_WHATSAPP.some((name) => env[name]) && !NEEDED.some((name) => env[name] === '0');
}

/** What makes Clarion use the simulator. The secrets are new at each start: both ends are started together. */
export const metaSimulatorEnv = (ports: Ports): Record<string, string> => ({
  CLARION_GRAPH_URL: `http://${LOOPBACK}:${ports.metaGraph}`,
  CLARION_WHATSAPP_APP_SECRET: randomSecret(),
  CLARION_WHATSAPP_VERIFY_TOKEN: randomSecret(),
});

/** Serves the page that plays the customer. */
export const metaSimulatorPage = (ports: Ports): string => `http://${LOOPBACK}:${ports.metaControl}/`;

const randomSecret = () => randomBytes(SECRET_BYTES).toString('base64url');
