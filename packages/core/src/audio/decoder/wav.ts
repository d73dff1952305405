/** WAV: PCM of 8, 16, 24 and 32 bits, floats of 32 and 64, G.711 A-law and µ-law. RIFF as in Microsoft's Multimedia Programming Interface. */
import { aLawToLinear, muLawToLinear } from './g711.ts';
import { assertPlayable, InvalidAudio } from './decoded-audio.ts';
import type { DecodedAudio } from './decoded-audio.ts';

const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
const FORMAT_A_LAW = 6;
const FORMAT_MU_LAW = 7;
/** The actual format is in the first two bytes of a GUID at this offset of the chunk. */
const FORMAT_EXTENSIBLE = 0xfffe;
const SUBFORMAT_AT = 24;
/** Size field of a writer that could not seek back to fill it in: the data extends to the end of the file. */
const UNKNOWN_SIZE = 0xffffffff;
const FRAMES_PER_PIECE = 16_384;

interface Format {
  format: number;
  channels: number;
  sampleRate: number;
  frameBytes: number;
  bits: number;
}
type ReadSample = (view: DataView, at: number) => number;

/** Format and bits per sample → how to read one sample as −1 … 1. */
const READERS: Readonly<Record<string, ReadSample>> = {
  [`${FORMAT_PCM}/8`]: (view, at) => (view.getUint8(at) - 128) / 128,
  [`${FORMAT_PCM}/16`]: (view, at) => view.getInt16(at, true) / 32_768,
  [`${FORMAT_PCM}/24`]: (view, at) =>
    (view.getUint8(at) | (view.getUint8(at + 1) << 8) | (view.getInt8(at + 2) << 16)) / 8_388_608,
  [`${FORMAT_PCM}/32`]: (view, at) => view.getInt32(at, true) / 2_147_483_648,
  [`${FORMAT_FLOAT}/32`]: (view, at) => view.getFloat32(at, true),
  [`${FORMAT_FLOAT}/64`]: (view, at) => view.getFloat64(at, true),
  [`${FORMAT_A_LAW}/8`]: (view, at) => aLawToLinear(view.getUint8(at)) / 32_768,
  [`${FORMAT_MU_LAW}/8`]: (view, at) => muLawToLinear(view.getUint8(at)) / 32_768,
};

export function readWav(bytes: Uint8Array): DecodedAudio {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { format, data } = chunksOf(view);
  const read = READERS[`${format.format}/${format.bits}`];
  if (!read)
    throw new InvalidAudio(
      `has WAV format ${format.format} with ${format.bits} bits, which is not supported`,
    );
  assertPlayable(format.sampleRate, format.channels);
  if (format.frameBytes !== (format.channels * format.bits) / 8) {
    throw new InvalidAudio('is a WAV file with an inconsistent header');
  }
  return { sampleRate: format.sampleRate, pieces: pieces(view, data, format, read) };
}

function* pieces(
  view: DataView,
  data: { start: number; end: number },
  { channels, frameBytes, bits }: Format,
  read: ReadSample,
): Iterable<Float32Array[]> {
  const frames = Math.floor((data.end - data.start) / frameBytes);
  for (let first = 0; first < frames; first += FRAMES_PER_PIECE) {
    const count = Math.min(FRAMES_PER_PIECE, frames - first);
    yield Array.from({ length: channels }, (_, channel) => {
      const from = data.start + first * frameBytes + (channel * bits) / 8;
      return Float32Array.from({ length: count }, (_frame, i) => read(view, from + i * frameBytes));
    });
  }
}

function chunksOf(view: DataView): { format: Format; data: { start: number; end: number } } {
  let format: Format | null = null;
  for (let at = 12; at + 8 <= view.byteLength;) {
    const id = view.getUint32(at, false);
    const size = view.getUint32(at + 4, true);
    const start = at + 8;
    if (id === FMT) {
      if (size < 16 || start + size > view.byteLength)
        throw new InvalidAudio('is a WAV file with an incomplete header');
      format = formatOf(view, start, size);
    } else if (id === DATA) {
      if (!format) throw new InvalidAudio('is a WAV file without a header');
      const end = size === UNKNOWN_SIZE ? view.byteLength : start + size;
      if (end > view.byteLength)
        throw new InvalidAudio('is truncated: it is shorter than its WAV header states');
      return { format, data: { start, end } };
    }
    at = start + size + (size % 2);
  }
  throw new InvalidAudio('is a WAV file without audio');
}

/** `fmt ` and `data` as big-endian integers. */
const FMT = 0x666d7420;
const DATA = 0x64617461;

function formatOf(view: DataView, at: number, size: number): Format {
  const format = view.getUint16(at, true);
  return {
    format:
      format === FORMAT_EXTENSIBLE && size >= SUBFORMAT_AT + 2
        ? view.getUint16(at + SUBFORMAT_AT, true)
        : format,
    channels: view.getUint16(at + 2, true),
    sampleRate: view.getUint32(at + 4, true),
    frameBytes: view.getUint16(at + 12, true),
    bits: view.getUint16(at + 14, true),
  };
}
