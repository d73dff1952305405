/** The data of a waveform: for each channel, the loudest sample of each of `count` equal parts, from 0 to 1. */
export type Peaks = readonly (readonly number[])[];

/** Precise enough for drawing, and low enough that an hour of stereo needs less than 100 MB while it is decoded. */
const DECODE_RATE_HZ = 3_000;
/** Longer audio is played without a waveform. */
export const DRAWN_SECONDS_MAX = 2 * 3600;

export interface DecodedAudio {
  peaks: Peaks;
  durationSeconds: number;
}

/** Decodes an audio file. Rejects if the browser cannot. */
export async function decodeAudio(data: ArrayBuffer, count: number): Promise<DecodedAudio> {
  const context = new OfflineAudioContext({ numberOfChannels: 2, length: 1, sampleRate: DECODE_RATE_HZ });
  const audio = await context.decodeAudioData(data);
  const peaks = Array.from({ length: audio.numberOfChannels }, (_, channel) =>
    peaksOf(audio.getChannelData(channel), count),
  );
  return { peaks, durationSeconds: audio.duration };
}

export function peaksOf(samples: Float32Array, count: number): number[] {
  return Array.from({ length: count }, (_, part) => {
    const end = Math.floor(((part + 1) * samples.length) / count);
    let peak = 0;
    for (let index = Math.floor((part * samples.length) / count); index < end; index += 1)
      peak = Math.max(peak, Math.abs(samples[index] ?? 0));
    return Math.min(1, peak);
  });
}

/** The loudest part fills the height, unless the audio is nearly silent: silence should look like silence. */
const QUIET = 0.1;

/** An SVG path of vertical strokes in a box of `peaks.length` × 100. */
export function pathOf(peaks: readonly number[]): string {
  const loudest = Math.max(QUIET, ...peaks);
  return peaks
    .map((peak, index) => {
      const half = Math.max(1, (peak / loudest) * 46);
      return `M${index + 0.5},${(50 - half).toFixed(1)}V${(50 + half).toFixed(1)}`;
    })
    .join('');
}
