/** `npm start` and `npm run dev`: prepares what is missing, even in a fresh clone, and starts the system. */
import { prepare } from '@clarion/devkit/prepare/prepare';
import { loadDotEnv } from '@clarion/devkit/settings/dot-env';
import { banner } from '@clarion/devkit/stack/banner';
import { startStack, type Stack } from '@clarion/devkit/stack/stack';
import { colour, exitWith, say } from '@clarion/devkit/terminal/log';

const dev = process.argv.includes('--dev');

/** A signal to the whole process group arrives here directly and a second time through npm. */
const SAME_REQUEST_MS = 500;

let stack: Stack | undefined;
let requestedAt: number | undefined;

/** The first Ctrl-C stops all processes in order. A second one exits immediately; the processes then notice this and stop too. */
async function shutDown(signal: NodeJS.Signals): Promise<void> {
  if (requestedAt !== undefined) {
    if (performance.now() - requestedAt > SAME_REQUEST_MS) process.exit(1);
    return;
  }
  requestedAt = performance.now();
  if (!stack) process.exit(130);
  say(`\n${signal === 'SIGINT' ? 'Ctrl-C' : signal}: stopping`);
  await stack.stop();
  say(colour.green('Clarion has stopped.'));
  process.exit(0);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
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
