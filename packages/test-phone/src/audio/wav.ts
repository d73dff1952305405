/** Reads and writes WAV files for tests: 16-bit PCM, mono. */

const HEADER_BYTES = 44;
const PCM = 1;

export interface Sound {
  sampleRate: number;
  samples: Int16Array;
}

export function encodeWav({ sampleRate, samples }: Sound): Buffer {
  const dataBytes = samples.length * 2;
  const wav = Buffer.alloc(HEADER_BYTES + dataBytes);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(PCM, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(sampleRate, 24);
  wav.writeUInt32LE(sampleRate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(dataBytes, 40);
  samples.forEach((sample, i) => wav.writeInt16LE(sample, HEADER_BYTES + 2 * i));
  return wav;
}

/** @throws if it is not a 16-bit mono PCM file */
export function decodeWav(wav: Buffer): Sound {
  if (wav.toString('latin1', 0, 4) !== 'RIFF' || wav.toString('latin1', 8, 12) !== 'WAVE')
    throw new Error('not a WAV file');
  let sampleRate = 0;
  for (let at = 12; at + 8 <= wav.length;) {
    const id = wav.toString('latin1', at, at + 4);
    const size = wav.readUInt32LE(at + 4);
    const body = at + 8;
    if (id === 'fmt ') {
      if (
        wav.readUInt16LE(body) !== PCM ||
        wav.readUInt16LE(body + 2) !== 1 ||
        wav.readUInt16LE(body + 14) !== 16
      )
        throw new Error('only 16-bit mono PCM is supported');
      sampleRate = wav.readUInt32LE(body + 4);
    } else if (id === 'data') {
      const count = Math.floor(Math.min(size, wav.length - body) / 2);
      return {
        sampleRate,
        samples: Int16Array.from({ length: count }, (_, i) => wav.readInt16LE(body + 2 * i)),
      };
    }
    at = body + size + (size % 2);
  }
  throw new Error('the WAV file has no data');
}
