/** `npm run clarion -- <command>`: the operator's command line. */
import { text } from 'node:stream/consumers';
import { ApiError } from '@clarion/protocol';
import { CommanderError } from 'commander';
import { readEnv } from './env.ts';
import { withOperator } from './operator-context.ts';
import { createProgram } from './program.ts';

const asJson = process.argv.includes('--json');
const program = createProgram({
  run: (work) => withOperator(readEnv(), work),
  write: (line) => void process.stdout.write(line),
  readStdin: () => text(process.stdin),
});

try {
  await program.parseAsync(process.argv);
} catch (error) {
  process.exitCode = 1;
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode; // commander has printed the error
  else if (error instanceof ApiError && asJson) process.stderr.write(`${JSON.stringify(error.toBody())}\n`);
  else process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
