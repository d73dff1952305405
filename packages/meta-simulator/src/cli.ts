#!/usr/bin/env node
/** The simulator as a process. */
import process from 'node:process';
import { HELP, parseOptions, type CliOptions } from './cli/options.ts';
import { progressLine } from './cli/progress.ts';
import { inPage } from './media/page-media.ts';
import { realMedia } from './media/real-media.ts';
import { startMetaSimulator } from './simulator.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
// If the reader of the log exits, calls continue.
process.stdout.on('error', () => undefined);

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === null) print(HELP);
  else await run(options);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message.split('\n')[0] : String(error)}\n`);
  process.exitCode = 1;
}

async function run(options: CliOptions): Promise<void> {
  const { phoneNumberIds, displayNumber, customers, answerAfterMs, mediaAddress } = options;
  const simulator = await startMetaSimulator({
    ...options,
    numbers: phoneNumberIds.map((phoneNumberId, i) => ({
      phoneNumberId,
      ...(i === 0 && displayNumber !== undefined ? { displayPhoneNumber: displayNumber } : {}),
    })),
    customers: customers.map((waId) => ({
      waId,
      behaviour: answerAfterMs === null ? {} : { onCall: 'answer', afterMs: answerAfterMs },
    })),
    media: realMedia({ address: mediaAddress }),
    pageMedia: inPage({ address: mediaAddress }),
    log: print,
  });
  simulator.control.journal.subscribe((entry) => {
    const line = progressLine(entry);
    if (line !== null) print(`${entry.at} ${line}`);
  });
  print(`Graph API ${simulator.url}`);
  print(`control API ${simulator.controlUrl}`);
  print(`customers ${customers.join(', ')}`);
  if (options.grantPermission)
    for (const phoneNumberId of phoneNumberIds)
      for (const waId of customers)
        simulator.control.decidePermission(waId, 'accept_permanently', phoneNumberId);
  const stop = (): void => {
    void simulator.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
