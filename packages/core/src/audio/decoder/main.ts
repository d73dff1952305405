/**
 * The decoder process: decodes untrusted uploads without access to secrets or the network, under limits of memory and time. Arguments:
 * kind, file, output directory. It prints its result as one line of JSON (see decode-audio.ts).
 */
import { readFileSync } from 'node:fs';
import type { AudioFormat } from '../audio-format.ts';
import { InvalidAudio } from './decoded-audio.ts';
import { transcode } from './transcode.ts';

/** The decoders allocate WebAssembly memory, which Node's heap limit does not include. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

const [, , kind = '', file = '', folder = ''] = process.argv;

function assertMemory(): void {
  if (process.memoryUsage.rss() > MAX_MEMORY_BYTES) throw new InvalidAudio('takes too much memory to decode');
}

async function run(): Promise<object> {
  const bytes = readFileSync(file);
  try {
    // The parent process detected the format.
    return {
      durationSeconds: await transcode(bytes, kind as AudioFormat, folder, { onPiece: assertMemory }),
    };
  } catch (error) {
    if (error instanceof InvalidAudio) return { refused: error.message };
    // A full disk is not the file's fault. Any other error means that the file cannot be decoded.
    if (error instanceof Error && 'syscall' in error) return { disk: error.message };
    return { refused: 'cannot be decoded' };
  }
}

process.stdout.write(`${JSON.stringify(await run())}\n`);
