/** Creates WAV files for tests, valid or invalid. */

export interface WavOptions {
  sampleRate?: number;
  channels?: readonly (Int16Array | Float32Array)[];
  /** 1 PCM, 3 float, 6 A-law, 7 µ-law. */
  format?: number;
  bits?: number;
  /** The encoded samples, instead of `channels`. */
  data?: Uint8Array;
  channelCount?: number;
  frameBytes?: number;
  /** Header fields with wrong values. */
  dataSize?: number;
  /** Written as WAVE_FORMAT_EXTENSIBLE. */
  extensible?: boolean;
}

export function wavOf(options: WavOptions): Buffer {
  const { sampleRate = 8000, channels = [], format = 1, bits = 16, extensible = false } = options;
  const data = options.data ?? interleaved(channels);
  const channelCount = options.channelCount ?? Math.max(1, channels.length);
  const header = Buffer.alloc(extensible ? 40 : 16);
  header.writeUInt16LE(extensible ? 0xfffe : format, 0);
  header.writeUInt16LE(channelCount, 2);
  header.writeUInt32LE(sampleRate, 4);
  header.writeUInt16LE(options.frameBytes ?? (channelCount * bits) / 8, 12);
  header.writeUInt16LE(bits, 14);
  if (extensible) header.writeUInt16LE(format, 24);
  const chunks = [
    Buffer.from('WAVE', 'latin1'),
    chunk('fmt ', header),
    chunk('LIST', Buffer.from('odd')),
    chunk('data', Buffer.from(data), options.dataSize),
  ];
  return chunk('RIFF', Buffer.concat(chunks));
}

/** 16-bit samples, interleaved. */
function interleaved(channels: NonNullable<WavOptions['channels']>): Buffer {
  const frames = channels[0]?.length ?? 0;
  const bytes = Buffer.alloc(frames * channels.length * 2);
  channels.forEach((samples, channel) => {
    samples.forEach((sample, i) => bytes.writeInt16LE(sample, (i * channels.length + channel) * 2));
  });
  return bytes;
}

function chunk(id: string, body: Uint8Array, size = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}
