/**
 * Mixes voices into one frame: adds them, prevents clipping with a soft limiter, and encodes by table. Pure; allocates
 * nothing.
 */
import { decodeTable, encodeTable, FRAME_SAMPLES, type Law } from '../rtp/g711.ts';

/** Up to this level (−2.7 dBFS) the mix is unchanged; above, it is compressed towards full scale. */
const KNEE = 24_000;
const HEADROOM = 32_767 - KNEE;

const sum = new Int32Array(FRAME_SAMPLES);

/** The slope is 1 at the knee, so that the transition is inaudible. */
export function softLimit(sample: number): number {
  if (sample > KNEE) {
    const over = sample - KNEE;
    return KNEE + (over * HEADROOM) / (over + HEADROOM);
  }
  if (sample < -KNEE) {
    const over = -sample - KNEE;
    return -KNEE - (over * HEADROOM) / (over + HEADROOM);
  }
  return sample;
}

/** Fades from the last mixed frame to a payload, for a voice that leaves the mix. */
export function fadeInto(from: Int16Array, payload: Uint8Array, of: Law, law: Law, target: Uint8Array): void {
  const decoding = decodeTable[of];
  const encoding = encodeTable[law];
  for (let index = 0; index < FRAME_SAMPLES; index += 1) {
    const weight = index / FRAME_SAMPLES;
    const next = decoding[payload[index] ?? 0] ?? 0;
    target[index] = encoding[((from[index] ?? 0) * (1 - weight) + next * weight) & 0xffff] ?? 0;
  }
}

/** The range of the table below: four voices at full scale, as 18 bits of two's complement. */
const TABLE_BITS = 18;
const TABLE_MASK = 2 ** TABLE_BITS - 1;
const TABLE_MAX = 2 ** (TABLE_BITS - 1) - 1;

/**
 * Encoded byte of the limited sum, indexed by the 18 bits of the sum: one lookup instead of two comparisons per sample.
 */
const softLimitTable: Readonly<Record<Law, Uint8Array>> = {
  PCMU: tableOf('PCMU'),
  PCMA: tableOf('PCMA'),
};

function tableOf(law: Law): Uint8Array {
  const encoding = encodeTable[law];
  const shift = 32 - TABLE_BITS;
  return Uint8Array.from(
    { length: 2 ** TABLE_BITS },
    (_, bits) => encoding[softLimit((bits << shift) >> shift) & 0xffff] ?? 0,
  );
}

/** Writes the mix of the first `count` frames to `target` as G.711. */
export function mixInto(frames: readonly Int16Array[], count: number, law: Law, target: Uint8Array): void {
  const table = softLimitTable[law];
  const first = frames[0];
  const second = frames[1];
  if (count === 2 && first && second) {
    for (let index = 0; index < FRAME_SAMPLES; index += 1) {
      target[index] = table[((first[index] ?? 0) + (second[index] ?? 0)) & TABLE_MASK] ?? 0;
    }
    return;
  }
  sum.fill(0);
  for (let frame = 0; frame < count; frame += 1) {
    const samples = frames[frame];
    if (!samples) continue;
    for (let index = 0; index < FRAME_SAMPLES; index += 1) {
      sum[index] = (sum[index] ?? 0) + (samples[index] ?? 0);
    }
  }
  for (let index = 0; index < FRAME_SAMPLES; index += 1) {
    const added = Math.max(-TABLE_MAX, Math.min(TABLE_MAX, sum[index] ?? 0));
    target[index] = table[added & TABLE_MASK] ?? 0;
  }
}
