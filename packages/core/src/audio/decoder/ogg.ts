/** Ogg with one Opus or Vorbis stream: this module finds and checks the pages (RFC 3533), libopus and libvorbis decode them. */
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import { assertPlayable, InvalidAudio } from './decoded-audio.ts';
import type { DecodedAudio } from './decoded-audio.ts';

const HEADER_BYTES = 27;
const FLAG_LAST = 4;
const CRC_AT = 22;
const CRC_POLYNOMIAL = 0x04c11db7;
/** Opus always decodes at this rate (RFC 7845 section 5.1). */
const OPUS_RATE_HZ = 48_000;
/** Channels in OpusHead; channels and rate in Vorbis' identification header (Vorbis I section 4.2.2). */
const OPUS_CHANNELS_AT = 9;
const VORBIS_CHANNELS_AT = 11;
const VORBIS_RATE_AT = 12;

interface Piece {
  channelData: Float32Array[];
  errors: unknown[];
}
interface OggDecoder {
  decode(pages: Uint8Array): Promise<Piece> | Piece;
  flush(): Promise<Piece>;
}

export async function readOgg(bytes: Uint8Array, codec: 'opus' | 'vorbis'): Promise<DecodedAudio> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pages = pagesOf(buffer);
  const [first] = pages;
  if (!first) throw new InvalidAudio('is an Ogg file without audio');
  const packet = buffer.subarray(first.start + HEADER_BYTES + first.segments, first.end);
  const enough = packet.length > (codec === 'opus' ? OPUS_CHANNELS_AT : VORBIS_RATE_AT + 3);
  if (!enough) throw new InvalidAudio('is an Ogg file with an incomplete header');
  const channels = packet[codec === 'opus' ? OPUS_CHANNELS_AT : VORBIS_CHANNELS_AT] ?? 0;
  const sampleRate = codec === 'opus' ? OPUS_RATE_HZ : packet.readUInt32LE(VORBIS_RATE_AT);
  assertPlayable(sampleRate, channels);
  const decoder =
    codec === 'opus' ? new OggOpusDecoder({ forceStereo: channels > 2 }) : new OggVorbisDecoder();
  await decoder.ready;
  return { sampleRate, pieces: pieces(decoder, buffer, pages) };
}

/** Decodes page by page: a page has at most 255 packets, whatever their duration. */
async function* pieces(
  decoder: OggDecoder,
  bytes: Buffer,
  pages: readonly Page[],
): AsyncIterable<Float32Array[]> {
  const whole = ({ channelData, errors }: Piece): Float32Array[] => {
    if (errors.length > 0) throw new InvalidAudio('is a damaged Ogg file');
    return channelData;
  };
  for (const { start, end } of pages) yield whole(await decoder.decode(bytes.subarray(start, end)));
  // The decoder looks one page ahead.
  yield whole(await decoder.flush());
}

interface Page {
  start: number;
  end: number;
  segments: number;
}

function pagesOf(bytes: Buffer): Page[] {
  const pages: Page[] = [];
  let serial: number | null = null;
  let ended = false;
  for (let start = 0; start < bytes.length;) {
    if (bytes.toString('latin1', start, start + 4) !== 'OggS' || start + HEADER_BYTES > bytes.length) {
      throw new InvalidAudio(`is a damaged Ogg file: byte ${start} is no page`);
    }
    const segments = bytes[start + HEADER_BYTES - 1] ?? 0;
    const lacing = bytes.subarray(start + HEADER_BYTES, start + HEADER_BYTES + segments);
    const end = start + HEADER_BYTES + segments + lacing.reduce((sum, length) => sum + length, 0);
    if (lacing.length < segments || end > bytes.length) {
      throw new InvalidAudio('is truncated: its last Ogg page is incomplete');
    }
    if (checksum(bytes, start, end) !== bytes.readUInt32LE(start + CRC_AT)) {
      throw new InvalidAudio(`is a damaged Ogg file: the page at byte ${start} has another checksum`);
    }
    const pageSerial = bytes.readUInt32LE(start + 14);
    serial ??= pageSerial;
    if (pageSerial !== serial || ended) throw new InvalidAudio('is an Ogg file with more than one stream');
    ended = ((bytes[start + 5] ?? 0) & FLAG_LAST) !== 0;
    pages.push({ start, end, segments });
    start = end;
  }
  if (!ended) throw new InvalidAudio('is truncated: the Ogg file has no last page');
  return pages;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit += 1)
    value = value & 0x80000000 ? (value << 1) ^ CRC_POLYNOMIAL : value << 1;
  return value >>> 0;
});

/** RFC 3533 section 6: the checksum field itself counts as zero. */
function checksum(bytes: Buffer, start: number, end: number): number {
  let crc = 0;
  for (let at = start; at < end; at += 1) {
    const byte = at >= start + CRC_AT && at < start + CRC_AT + 4 ? 0 : (bytes[at] ?? 0);
    crc = ((crc << 8) ^ (CRC_TABLE[((crc >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0;
  }
  return crc;
}
