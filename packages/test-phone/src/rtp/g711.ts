/** G.711 computed as ITU-T specifies it, independently of the service's tables, so that tests detect an error in them. */

export type Law = 'PCMA' | 'PCMU';

/** RTP payload types of RFC 3551, section 6. */
export const payloadTypes = { PCMU: 0, PCMA: 8 } as const satisfies Record<Law, number>;
export const SAMPLE_RATE = 8000;
export const FRAME_MS = 20;
export const FRAME_SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1000;

const ULAW_BIAS = 0x84;
const ULAW_CLIP = 32_635;

function toUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), ULAW_CLIP) + ULAW_BIAS;
  const exponent = 24 - Math.clz32(magnitude); // the highest set bit is 7 … 14
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

function fromUlaw(byte: number): number {
  const code = ~byte & 0xff;
  const exponent = (code >> 4) & 0x07;
  const magnitude = ((((code & 0x0f) << 3) + ULAW_BIAS) << exponent) - ULAW_BIAS;
  return code & 0x80 ? -magnitude : magnitude;
}

function toAlaw(sample: number): number {
  const sign = sample >= 0 ? 0x80 : 0;
  const magnitude = Math.min(sample >= 0 ? sample : -sample - 1, 32_767) >> 3; // 12 bits
  const exponent = Math.max(0, 27 - Math.clz32(magnitude)); // the highest set bit is 5 … 11 → 1 … 7
  const mantissa = (exponent === 0 ? magnitude >> 1 : magnitude >> exponent) & 0x0f;
  return (sign | (exponent << 4) | mantissa) ^ 0x55;
}

function fromAlaw(byte: number): number {
  const code = byte ^ 0x55;
  const exponent = (code >> 4) & 0x07;
  const mantissa = code & 0x0f;
  const magnitude = exponent === 0 ? (mantissa << 4) + 8 : ((mantissa << 4) + 0x108) << (exponent - 1);
  return code & 0x80 ? magnitude : -magnitude;
}

/** Samples are 16-bit linear. */
export function encode(law: Law, samples: Int16Array): Uint8Array {
  return Uint8Array.from(samples, law === 'PCMA' ? toAlaw : toUlaw);
}

export function decode(law: Law, payload: Uint8Array): Int16Array {
  return Int16Array.from(payload, law === 'PCMA' ? fromAlaw : fromUlaw);
}
