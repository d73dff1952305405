/** MP3 (MPEG 1, 2 and 2.5, layer III): this module finds and checks the frames, mpg123 decodes them. */
import { MPEGDecoder } from 'mpg123-decoder';
import { assertPlayable, InvalidAudio } from './decoded-audio.ts';
import type { DecodedAudio } from './decoded-audio.ts';

const HEADER_BYTES = 4;
const LAYER_III = 1;
/** kbit/s by the header's index. 0 is "free format", which is rarely used, and 15 is reserved. */
const KBITS_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0];
const KBITS_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0];
const RATES_MPEG1 = [44_100, 48_000, 32_000];
/** Divisor by the version's two bits: 2.5, reserved, 2, 1. */
const RATE_DIVISORS = [4, 0, 2, 1];
const ID3_HEADER_BYTES = 10;
const ID3_FOOTER_FLAG = 0x10;
/** Tags that may follow the last frame. */
const TRAILERS = ['TAG', 'APETAGEX', 'LYRICSBEGIN', 'ID3', '3DI', '\0'];
/** Bytes decoded at a time: about 20,000 samples at the highest bit rate, 360,000 at the lowest. */
const PIECE_BYTES = 16_384;

export async function readMp3(bytes: Uint8Array): Promise<DecodedAudio> {
  const { start, end, sampleRate } = framesOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  assertPlayable(sampleRate, 2);
  const decoder = new MPEGDecoder();
  await decoder.ready;
  return { sampleRate, pieces: pieces(decoder, bytes.subarray(start, end)) };
}

function* pieces(decoder: MPEGDecoder, frames: Uint8Array): Iterable<Float32Array[]> {
  for (let at = 0; at < frames.length; at += PIECE_BYTES) {
    const { channelData, errors } = decoder.decode(frames.subarray(at, at + PIECE_BYTES));
    if (errors.length > 0) throw new InvalidAudio('is a damaged MP3 file');
    yield channelData;
  }
  decoder.free();
}

/** The byte ranges of the frames. */
function framesOf(bytes: Buffer): { start: number; end: number; sampleRate: number } {
  const start = afterTags(bytes);
  const first = headerAt(bytes, start);
  if (!first) throw new InvalidAudio('is not an MP3 file: no valid first frame was found');
  let at = start;
  while (at < bytes.length) {
    const header = headerAt(bytes, at);
    if (!header) {
      if (isTrailer(bytes, at)) break;
      throw new InvalidAudio(`is a damaged MP3 file: no frame was found at byte ${at}`);
    }
    if (header.sampleRate !== first.sampleRate)
      throw new InvalidAudio('is an MP3 file whose sample rate changes');
    if (at + header.frameBytes > bytes.length)
      throw new InvalidAudio('is truncated: its last MP3 frame is incomplete');
    at += header.frameBytes;
  }
  return { start, end: at, sampleRate: first.sampleRate };
}

/** Skips ID3v2 tags. Their size is stored in four bytes of seven bits (id3.org, ID3v2.4 section 3.1). */
function afterTags(bytes: Buffer): number {
  let at = 0;
  while (bytes.toString('latin1', at, at + 3) === 'ID3' && at + ID3_HEADER_BYTES <= bytes.length) {
    const size = [6, 7, 8, 9].reduce((sum, offset) => (sum << 7) | ((bytes[at + offset] ?? 0) & 0x7f), 0);
    const footer = (bytes[at + 5] ?? 0) & ID3_FOOTER_FLAG ? ID3_HEADER_BYTES : 0;
    at += ID3_HEADER_BYTES + size + footer;
  }
  return at;
}

/** Null if no frame begins there. */
function headerAt(bytes: Buffer, at: number): { sampleRate: number; frameBytes: number } | null {
  if (at + HEADER_BYTES > bytes.length) return null;
  const header = bytes.readUInt32BE(at);
  if (header >>> 21 !== 0x7ff) return null;
  const version = (header >> 19) & 3;
  const divisor = RATE_DIVISORS[version] ?? 0;
  const rate = RATES_MPEG1[(header >> 10) & 3];
  const kbits = (version === 3 ? KBITS_MPEG1 : KBITS_MPEG2)[(header >> 12) & 15] ?? 0;
  if (divisor === 0 || rate === undefined || kbits === 0 || ((header >> 17) & 3) !== LAYER_III) return null;
  const sampleRate = rate / divisor;
  const padding = (header >> 9) & 1;
  const bytesPerKbit = version === 3 ? 144_000 : 72_000;
  return { sampleRate, frameBytes: Math.floor((bytesPerKbit * kbits) / sampleRate) + padding };
}

const isTrailer = (bytes: Buffer, at: number): boolean =>
  TRAILERS.some((trailer) => bytes.toString('latin1', at, at + trailer.length) === trailer);
