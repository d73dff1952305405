/** Generates audio of 20 ms frames at 48 kHz, and measures the strongest frequency in audio. Pure. */
import type { CustomerAudio, Heard } from './customer-media.ts';

export const SAMPLE_RATE = 48_000;
export const FRAME_SAMPLES = 960;
const TONE_AMPLITUDE = 8000; // about -12 dBFS
const FULL_SCALE = 32_768;
const FLOOR_DB = -120;
const SILENCE_DB = -70;
const SCAN_FROM_HZ = 100;
const SCAN_TO_HZ = 3800;
const COARSE_STEP_HZ = 10;
const FINE_STEP_HZ = 1;

/** The frame of this audio that begins `position` samples after its start. */
export function frameAt(audio: CustomerAudio, position: number): Int16Array {
  const frame = new Int16Array(FRAME_SAMPLES);
  if (audio.kind === 'tone') {
    for (let i = 0; i < frame.length; i += 1)
      frame[i] = TONE_AMPLITUDE * Math.sin((2 * Math.PI * audio.hz * (position + i)) / SAMPLE_RATE);
  } else if (audio.kind === 'pcm' && audio.samples.length > 0) {
    for (let i = 0; i < frame.length; i += 1)
      frame[i] = audio.samples[(position + i) % audio.samples.length] ?? 0;
  }
  return frame;
}

export function measure(samples: Int16Array): Heard {
  let power = 0;
  for (const sample of samples) power += (sample / FULL_SCALE) ** 2;
  power = samples.length === 0 ? 0 : power / samples.length;
  const levelDb = power === 0 ? FLOOR_DB : Math.max(FLOOR_DB, 10 * Math.log10(power));
  if (levelDb < SILENCE_DB) return { levelDb, hz: null, overRestDb: FLOOR_DB };
  const strongest = (from: number, to: number, step: number): { hz: number; power: number } => {
    let best = { hz: from, power: 0 };
    for (let hz = from; hz <= to; hz += step) {
      const at = powerAt(samples, hz);
      if (at > best.power) best = { hz, power: at };
    }
    return best;
  };
  const coarse = strongest(SCAN_FROM_HZ, SCAN_TO_HZ, COARSE_STEP_HZ);
  const fine = strongest(coarse.hz - COARSE_STEP_HZ, coarse.hz + COARSE_STEP_HZ, FINE_STEP_HZ);
  const rest = Math.max(power - fine.power, 1e-12);
  return { levelDb, hz: fine.hz, overRestDb: 10 * Math.log10(fine.power / rest) };
}

/** Mean power at one frequency relative to full scale, by the Goertzel algorithm. */
function powerAt(samples: Int16Array, hz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / SAMPLE_RATE);
  let previous = 0;
  let beforePrevious = 0;
  for (const sample of samples) {
    const current = sample / FULL_SCALE + coefficient * previous - beforePrevious;
    beforePrevious = previous;
    previous = current;
  }
  const squared = previous ** 2 + beforePrevious ** 2 - coefficient * previous * beforePrevious;
  return (2 * squared) / samples.length ** 2;
}
