/**
 * The decoder process: decodes untrusted uploads without access to secrets or the network, under limits of memory and time. Arguments:
 * kind, file, output directory. It prints its result as one line of JSON (see decode-sound.ts).
 */
import { readFileSync } from 'node:fs';
import type { SoundKind } from '../sound-kind.ts';
import { BadSound } from './sound.ts';
import { transcode } from './transcode.ts';

/** The decoders allocate WebAssembly memory, which Node's heap limit does not include. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

const [, , kind = '', file = '', folder = ''] = process.argv;

function assertMemory(): void {
  if (process.memoryUsage.rss() > MAX_MEMORY_BYTES) throw new BadSound('takes too much memory to decode');
}

async function run(): Promise<object> {
  const bytes = readFileSync(file);
  try {
    // The parent process detected the format.
    return { durationSeconds: await transcode(bytes, kind as SoundKind, folder, { onPiece: assertMemory }) };
  } catch (error) {
    if (error instanceof BadSound) return { refused: error.message };
    // A full disk is not the file's fault. Any other error means that the file cannot be decoded.
    if (error instanceof Error && 'syscall' in error) return { disk: error.message };
    return { refused: 'cannot be decoded' };
  }
}

process.stdout.write(`${JSON.stringify(await run())}\n`);
