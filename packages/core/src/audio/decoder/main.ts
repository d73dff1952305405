/**
 * The decoder's own process: what strangers upload is taken apart here, without our secrets, our network of files or our time.
 * Arguments: kind, file, folder for the results. One line of JSON on standard output says how it went (see decode-sound.ts).
 */
import { readFileSync } from 'node:fs';
import type { SoundKind } from '../sound-kind.ts';
import { BadSound } from './sound.ts';
import { transcode } from './transcode.ts';

/** Decoders live in WebAssembly memory, which Node's own limit does not count. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

const [, , kind = '', file = '', folder = ''] = process.argv;

function assertMemory(): void {
  if (process.memoryUsage.rss() > MAX_MEMORY_BYTES) throw new BadSound('takes too much memory to decode');
}

async function run(): Promise<object> {
  const bytes = readFileSync(file);
  try {
    // The parent sniffed it.
    return { durationSeconds: await transcode(bytes, kind as SoundKind, folder, { onPiece: assertMemory }) };
  } catch (error) {
    if (error instanceof BadSound) return { refused: error.message };
    // A disk that is full is not the file's fault; a decoder that stumbles has met a file that it cannot decode.
    if (error instanceof Error && 'syscall' in error) return { disk: error.message };
    return { refused: 'cannot be decoded' };
  }
}

process.stdout.write(`${JSON.stringify(await run())}\n`);
