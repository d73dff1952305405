/** Terminal output of commands: one line per step, progress of long steps, and colour only on a terminal. */

const ANNOUNCE_AFTER_MS = 2_000;
const PROGRESS_EVERY_MS = 20_000;

const useColour = process.stdout.isTTY && !process.env['NO_COLOR'];
const paint = (code: string) => (text: string) => (useColour ? `\u001b[${code}m${text}\u001b[0m` : text);

export type Paint = ReturnType<typeof paint>;

export const colour = {
  bold: paint('1'),
  dim: paint('2'),
  red: paint('31'),
  green: paint('32'),
  yellow: paint('33'),
  blue: paint('34'),
  magenta: paint('35'),
  cyan: paint('36'),
};

let out: NodeJS.WritableStream = process.stdout;

/** For a command whose standard output belongs to the program it runs (`npm run clarion -- … --json`). */
export function sayOn(stream: NodeJS.WritableStream): void {
  out = stream;
}

export function say(line: string): void {
  out.write(`${line}\n`);
}

const seconds = (since: number) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Runs `work`. Only if it takes long, prints its label, its progress and its completion. */
export async function step<T>(label: string, work: (note: (line: string) => void) => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  let announced = false;
  let progress: NodeJS.Timeout | undefined;
  const announce = setTimeout(() => {
    announced = true;
    say(`… ${label}`);
    progress = setInterval(() => say(`… ${label}: ${seconds(startedAt)} so far`), PROGRESS_EVERY_MS);
  }, ANNOUNCE_AFTER_MS);
  try {
    const result = await work((line) => say(`  ${colour.dim(line)}`));
    if (announced) say(`${colour.green('✓')} ${label} (${seconds(startedAt)})`);
    return result;
  } catch (error) {
    say(`${colour.red('✗')} ${label} (${seconds(startedAt)})`);
    throw error;
  } finally {
    clearTimeout(announce);
    clearInterval(progress);
  }
}

/** An error that the user can act on: its message is printed without a stack. */
export class UserError extends Error {
  override name = 'UserError';
}

/** For the end of a command: prints the error and exits with code 1. */
export function exitWith(error: unknown): never {
  const text = error instanceof Error && !(error instanceof UserError) ? error.stack : undefined;
  process.stderr.write(`\n${colour.red(text ?? (error instanceof Error ? error.message : String(error)))}\n`);
  process.exit(1);
}
