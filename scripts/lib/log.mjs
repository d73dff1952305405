/** What the scripts say on the terminal: one line per step, a sign of life for anything slow, colour only on a terminal. */

const SILENT_MS = 2_000; // a step that takes longer says that it is running
const SIGN_OF_LIFE_MS = 20_000;

const useColour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (useColour ? `\u001b[${code}m${text}\u001b[0m` : text);

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

let out = process.stdout;

/** For a command whose standard output belongs to what it runs (`npm run clarion -- … --json`). */
export function sayOn(stream) {
  out = stream;
}

export function say(line) {
  out.write(`${line}\n`);
}

const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Runs `work`; prints nothing when it is quick, else what is going on, how long it has taken, and that it is done. */
export async function step(label, work) {
  const startedAt = Date.now();
  let announced = false;
  let signOfLife;
  const announce = setTimeout(() => {
    announced = true;
    say(`… ${label}`);
    signOfLife = setInterval(() => say(`… ${label}: ${seconds(startedAt)} so far`), SIGN_OF_LIFE_MS);
  }, SILENT_MS);
  try {
    const result = await work((line) => say(`  ${colour.dim(line)}`));
    if (announced) say(`${colour.green('✓')} ${label} (${seconds(startedAt)})`);
    return result;
  } catch (error) {
    say(`${colour.red('✗')} ${label} (${seconds(startedAt)})`);
    throw error;
  } finally {
    clearTimeout(announce);
    clearInterval(signOfLife);
  }
}

/** A failure whose text is all that the person needs: printed without a stack. */
export class Sorry extends Error {
  name = 'Sorry';
}

/** For the top of a command: prints the error as a person wants to read it and ends with code 1. */
export function exitWith(error) {
  process.stderr.write(
    `\n${colour.red(error instanceof Sorry ? error.message : (error?.stack ?? String(error)))}\n`,
  );
  process.exit(1);
}
