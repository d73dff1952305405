/**
 * Encodes a spool as a stereo Ogg Opus file. Uses synchronous I/O, because it runs in its own process
 * (encoder-process.ts).
 */
import { randomInt } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { PRIVATE_FILE_MODE } from '@clarion/store/private-folder';
import { Application, createEncoder, loadLibopus } from 'libopus-wasm';
import { FRAME_SAMPLES, SAMPLE_RATE } from '../rtp/g711.ts';
import { Assembler } from './assembler.ts';
import { GRANULE_RATE, OggOpusWriter } from './ogg-opus.ts';
import { MAX_RECORD_BYTES, readRecords, SPOOL_MAGIC } from './spool-format.ts';

/**
 * Two G.711 channels take 128 kbit/s. At 48 kbit/s Opus codes the channels almost independently (crosstalk below −70
 * dB); at 32 kbit/s and less it predicts one from the other, with crosstalk at −45 dB.
 */
export const OPUS_BITRATE = 48_000;
/** 0 to 10. Above 5 the encoder takes no more time at this rate; below, quality decreases at the same bit rate. */
export const OPUS_COMPLEXITY = 5;
const GRANULES_PER_SAMPLE = GRANULE_RATE / SAMPLE_RATE;
const GRANULES_PER_FRAME = FRAME_SAMPLES * GRANULES_PER_SAMPLE;
const READ_BYTES = 256 * 1024;
/** Pages are written in batches of this size. */
const WRITE_BYTES = 64 * 1024;

export interface EncodedFile {
  durationMs: number;
  sizeBytes: number;
}

/** Stereo at 8 kHz with 20 ms frames, as recorded from calls. */
export const createRecordingEncoder = () =>
  createEncoder({
    application: Application.Audio,
    sampleRate: SAMPLE_RATE,
    channels: 2,
    frameSize: FRAME_SAMPLES,
    bitrate: OPUS_BITRATE,
    complexity: OPUS_COMPLEXITY,
  });

/**
 * Encodes a spool that a crash has truncated up to its last complete record.
 *
 * @param comments `NAME=value` tags of the file
 * @throws if it is not a spool, or a file cannot be read or written
 */
export async function encodeSpool(
  spoolPath: string,
  targetPath: string,
  comments: readonly `${string}=${string}`[] = [],
): Promise<EncodedFile> {
  const { version } = await loadLibopus();
  const encoder = await createRecordingEncoder();
  const file = new BufferedFile(targetPath);
  try {
    const preSkip = encoder.getLookahead() * GRANULES_PER_SAMPLE;
    const ogg = new OggOpusWriter({
      serial: randomInt(0, 0x7fffffff),
      channels: 2,
      preSkip,
      inputSampleRate: SAMPLE_RATE,
      vendor: version,
      comments,
      write: (page) => file.write(page),
    });
    let encoded = 0;
    const put = (pcm: Int16Array): void => {
      ogg.packet(encoder.encode(pcm), GRANULES_PER_FRAME);
      encoded += GRANULES_PER_FRAME;
    };
    const assembler = new Assembler(put);
    readSpool(spoolPath, assembler);
    const samples = assembler.finish();
    const granules = samples * GRANULES_PER_SAMPLE;
    // The encoder has a lookahead: silence flushes its last samples.
    const silence = new Int16Array(FRAME_SAMPLES * 2);
    while (encoded < preSkip + granules) put(silence);
    ogg.end(granules);
    return { durationMs: Math.round((samples * 1000) / SAMPLE_RATE), sizeBytes: file.finish() };
  } finally {
    file.close();
    encoder.free();
  }
}

export function readSpool(path: string, assembler: Assembler): void {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(READ_BYTES + MAX_RECORD_BYTES);
    let filled = readSync(fd, bytes, 0, SPOOL_MAGIC.length, null);
    if (!bytes.subarray(0, filled).equals(SPOOL_MAGIC)) throw new Error('the file is not a spool file');
    filled = 0;
    for (;;) {
      const count = readSync(fd, bytes, filled, READ_BYTES, null);
      if (count === 0) return;
      filled += count;
      const { offset, damaged } = readRecords(bytes.subarray(0, filled), 0, assembler);
      if (damaged) return;
      bytes.copyWithin(0, offset, filled);
      filled -= offset;
    }
  } finally {
    closeSync(fd);
  }
}

class BufferedFile {
  #fd: number | null;
  #pages: Buffer[] = [];
  #waiting = 0;
  #written = 0;

  constructor(path: string) {
    this.#fd = openSync(path, 'w', PRIVATE_FILE_MODE);
  }

  write(page: Buffer): void {
    this.#pages.push(page);
    this.#waiting += page.length;
    if (this.#waiting >= WRITE_BYTES) this.#flush();
  }

  /** Flushes to the disk. @returns the size in bytes */
  finish(): number {
    this.#flush();
    if (this.#fd !== null) fsyncSync(this.#fd);
    return this.#written;
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #flush(): void {
    if (this.#fd === null) return;
    const bytes = Buffer.concat(this.#pages);
    for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
    this.#written += bytes.length;
    this.#pages = [];
    this.#waiting = 0;
  }
}
