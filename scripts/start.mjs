/** `npm start` and `npm run dev`: from whatever is there to a running system. Needs Node 20, and no package installed. */
import { banner } from './lib/banner.mjs';
import { prepare } from './lib/install.mjs';
import { colour, exitWith, say } from './lib/log.mjs';
import { loadDotEnv } from './lib/settings.mjs';
import { startStack } from './lib/stack.mjs';

const dev = process.argv.includes('--dev');

let stack;
let asked = 0;

/** The first Ctrl-C stops in order; a second one means now. What we started notices that we are gone and stops as well. */
async function shutDown(signal) {
  asked += 1;
  if (asked > 1) process.exit(1);
  if (!stack) process.exit(130);
  say(`\n${signal === 'SIGINT' ? 'Ctrl-C' : signal}: stopping`);
  await stack.stop();
  say(colour.green('Clarion has stopped.'));
  process.exit(0);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => void shutDown(signal).catch(exitWith));

try {
  loadDotEnv();
  await prepare({ build: dev ? ['@clarion/sdk', '@clarion/phone'] : undefined, mediaWorker: true });
  say(colour.dim('starting'));
  stack = await startStack({ dev, seed: true });
  banner(stack);
} catch (error) {
  exitWith(error);
}
