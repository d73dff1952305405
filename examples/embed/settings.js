/** The settings of the example. With `npm start` running, they come from the file of the demo account. */
import { existsSync, readFileSync } from 'node:fs';

const { env } = process;
const demoFile = new URL('../../.clarion/demo.json', import.meta.url);
const demo = existsSync(demoFile) ? JSON.parse(readFileSync(demoFile, 'utf8')) : {};

/**
 * @param {string} name
 * @param {string} [fallback]
 */
function setting(name, fallback) {
  const value = env[name] ?? fallback;
  if (!value) throw new Error(`Set ${name}, or start Clarion in this repository first: npm start`);
  return value;
}

const port = Number(env.PORT ?? 8090);

export const settings = {
  port,
  /** The origin of the pages. Use https in production. */
  ownOrigin: setting('OWN_ORIGIN', `http://127.0.0.1:${port}`),
  url: setting('CLARION_URL', demo.baseUrl),
  apiKey: setting('CLARION_API_KEY', demo.apiKey),
  signer: {
    consumer: setting('CLARION_CONSUMER', demo.consumer),
    kid: setting('CLARION_KID', demo.signingKey?.kid),
    secret: setting('CLARION_SIGNING_SECRET', demo.signingKey?.secret),
  },
  /** Whom the push services of browsers contact about problems. */
  contact: 'mailto:phone@florist.example',
  /** The number that customers call. */
  number: setting('LINE_NUMBER', '+442079460960'),
};
