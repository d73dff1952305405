/** What a waveform is drawn from: for each channel, the loudest sample of each of `count` equal parts, from 0 to 1. */
export type Peaks = readonly (readonly number[])[];

/** Enough to draw from, and little enough that an hour of stereo needs under 100 MB while it is read. */
const DECODE_RATE_HZ = 3_000;
/** Longer sounds are played without being drawn. */
export const DRAWN_SECONDS_MAX = 2 * 3600;

export interface DecodedSound {
  peaks: Peaks;
  durationSeconds: number;
}

/** Reads a sound file. Rejects when the browser cannot. */
export async function decodeSound(data: ArrayBuffer, count: number): Promise<DecodedSound> {
  const context = new OfflineAudioContext({ numberOfChannels: 2, length: 1, sampleRate: DECODE_RATE_HZ });
  const sound = await context.decodeAudioData(data);
  const peaks = Array.from({ length: sound.numberOfChannels }, (_, channel) =>
    peaksOf(sound.getChannelData(channel), count),
  );
  return { peaks, durationSeconds: sound.duration };
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

/** As loud as it gets fills the height, unless it is nearly silent: then silence should look like silence. */
const QUIET = 0.1;

/** An SVG path of upright strokes in a box of `peaks.length` × 100. */
export function pathOf(peaks: readonly number[]): string {
  const loudest = Math.max(QUIET, ...peaks);
  return peaks
    .map((peak, index) => {
      const half = Math.max(1, (peak / loudest) * 46);
      return `M${index + 0.5},${(50 - half).toFixed(1)}V${(50 + half).toFixed(1)}`;
    })
    .join('');
}
