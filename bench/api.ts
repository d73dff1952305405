/**
 * The API: requests per second compared with a bare handler, webhooks per second compared with empty jobs, and call lists over many calls.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { positionals } = parseArgs({ allowPositionals: true });
const parts = ['requests', 'webhooks', 'call-lists'];

for (const part of positionals.length > 0 ? positionals : parts) {
  const file = new URL(`./api/${part}.ts`, import.meta.url);
  if (!parts.includes(part) || !existsSync(file))
    throw new Error(`Unknown part ${part}. The parts are ${parts.join(', ')}.`);
  const { run } = (await import(file.href)) as { run: () => Promise<unknown> };
  await run();
}
process.exit();
