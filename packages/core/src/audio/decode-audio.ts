/** Decodes an upload in a separate process without access to secrets, which is killed when it exceeds its time limit. */
import { spawn } from 'node:child_process';
import { mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from '@clarion/protocol';
import { z } from 'zod';
import { storageUnavailable } from '@clarion/store/driver';
import type { AudioFormat } from './audio-format.ts';

/** Half an hour of the slowest format takes a fifth of this on one core. */
export const DECODE_TIMEOUT_MS = 60_000;
/** Heap limit of the decoder process. The decoder itself checks its WebAssembly memory. */
const HEAP_MB = 256;
/** The report is a short line of JSON. Longer output is an error. */
const MAX_REPORT_BYTES = 10_000;
/** Concurrent decoders in this process. Other uploads wait. */
const MAX_CONCURRENT = 2;
/** Each waiting upload is held in memory, and each one before it may take up to a minute. */
const MAX_WAITING = 8;
const BUSY_RETRY_SECONDS = 10;

const report = z.union([
  z.strictObject({ durationSeconds: z.number().positive() }),
  z.strictObject({ refused: z.string() }),
  z.strictObject({ disk: z.string() }),
]);

export interface Decoded {
  durationSeconds: number;
  /** Files of 16-bit mono PCM. */
  pcm8k: { path: string; sizeBytes: number };
  pcm48k: { path: string; sizeBytes: number };
}

/**
 * @param use receives the results, which are deleted when it returns
 * @returns the result of `use`, or the reason why the file was rejected, as text that follows the field's name
 * @throws storage_unavailable when there is no space for decoding or too many uploads are waiting
 */
export async function decodeAudio<T>(
  bytes: Uint8Array,
  kind: AudioFormat,
  use: (decoded: Decoded) => Promise<T>,
  options: { timeoutMs?: number; program?: string } = {},
): Promise<{ result: T } | { refused: string }> {
  const folder = await room();
  try {
    const input = join(folder, 'input');
    await writeFile(input, bytes).catch(noSpace);
    const output = await withDecoderSlot(() => runDecoder([kind, input, folder], folder, options));
    if ('refused' in output) return output;
    if ('disk' in output) return noSpace(new Error(output.disk));
    const [pcm8k, pcm48k] = await Promise.all([
      sized(join(folder, '8k.pcm')),
      sized(join(folder, '48k.pcm')),
    ]);
    return { result: await use({ durationSeconds: output.durationSeconds, pcm8k, pcm48k }) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const noSpace = (error: unknown): never => {
  throw storageUnavailable(error);
};
const room = async () => realpath(await mkdtemp(join(tmpdir(), 'clarion-sound-'))).catch(noSpace);
const sized = async (path: string) => ({ path, sizeBytes: (await stat(path)).size });

let running = 0;
const waiting: (() => void)[] = [];

async function withDecoderSlot<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= MAX_WAITING) {
    throw new ApiError('storage_unavailable', {
      message: 'Too many audio files are being processed. Try again in a few seconds.',
      retryAfterSeconds: BUSY_RETRY_SECONDS,
    });
  }
  if (running >= MAX_CONCURRENT) await new Promise<void>((turn) => waiting.push(turn));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

const here = dirname(fileURLToPath(import.meta.url));
const PROGRAM = join(here, 'decoder', 'main.ts');

function runDecoder(
  args: string[],
  folder: string,
  { timeoutMs = DECODE_TIMEOUT_MS, program = PROGRAM }: { timeoutMs?: number; program?: string },
): Promise<z.output<typeof report>> {
  const source = resolve(here, '..', '..');
  const limits = [
    `--max-old-space-size=${HEAP_MB}`,
    '--disable-warning=ExperimentalWarning',
    // The process may read its own code and the upload, may write its results, and may start no other process.
    '--permission',
    `--allow-fs-read=${source}`,
    `--allow-fs-read=${resolve(source, '..', '..', 'node_modules')}`,
    `--allow-fs-read=${resolve(source, '..', '..', 'package.json')}`,
    `--allow-fs-read=${folder}`,
    `--allow-fs-write=${folder}`,
  ];
  return new Promise((resolveReport, reject) => {
    const child = spawn(process.execPath, [...limits, program, ...args], {
      cwd: folder,
      env: { NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MAX_REPORT_BYTES) child.kill('SIGKILL');
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (signal !== null) return resolveReport({ refused: 'takes too much time or memory to decode' });
      if (code !== 0) return reject(new Error(`the decoder exited with code ${code}`));
      resolveReport(report.parse(JSON.parse(output)));
    });
  });
}
