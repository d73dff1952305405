/** Runs commands as an operator types them, and reads what they print. */
import type { z } from 'zod';
import type { CliEnv } from '../env.ts';
import { withOperator } from '../operator-context.ts';
import { createProgram } from '../program.ts';

export interface Commands {
  /** Arguments are separated by spaces, or a list if they contain some. Returns what was printed. */
  clarion(command: string | readonly string[], stdin?: string): Promise<string>;
  clarionJson<T extends z.ZodType>(
    schema: T,
    command: string | readonly string[],
    stdin?: string,
  ): Promise<z.output<T>>;
}

export function commandsOf(env: CliEnv): Commands {
  const argumentsOf = (command: string | readonly string[]) =>
    typeof command === 'string' ? command.split(' ') : [...command];
  const clarion: Commands['clarion'] = async (command, stdin = '') => {
    let written = '';
    const program = createProgram({
      run: (work) => withOperator(env, work),
      write: (text) => (written += text),
      readStdin: async () => stdin,
    });
    program.commands.forEach((child) => child.configureOutput({ writeErr: () => undefined }));
    await program.parseAsync(argumentsOf(command), { from: 'user' });
    return written;
  };
  return {
    clarion,
    clarionJson: async (schema, command, stdin = '') =>
      schema.parse(JSON.parse(await clarion([...argumentsOf(command), '--json'], stdin))),
  };
}
