/** What every decoder returns: the audio in pieces, so that no file is held in memory as a whole. */

export interface DecodedAudio {
  sampleRate: number;
  /** One array per channel for each piece, all of the same length, values −1 … 1. */
  pieces: AsyncIterable<Float32Array[]> | Iterable<Float32Array[]>;
}

/** The file is invalid. The message follows the field's name ("content_base64 …"). */
export class InvalidAudio extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidAudio';
  }
}

export const SAMPLE_RATE_HZ = { min: 4_000, max: 192_000 };
export const MAX_CHANNELS = 8;

export function assertPlayable(sampleRate: number, channels: number): void {
  if (!(sampleRate >= SAMPLE_RATE_HZ.min && sampleRate <= SAMPLE_RATE_HZ.max)) {
    throw new InvalidAudio(`has a sample rate of ${sampleRate} Hz; 4,000 to 192,000 Hz are supported`);
  }
  if (!(channels >= 1 && channels <= MAX_CHANNELS)) {
    throw new InvalidAudio(`has ${channels} channels; 1 to ${MAX_CHANNELS} are supported`);
  }
}
