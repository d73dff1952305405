/** G.711 octets → 16-bit linear samples (ITU-T G.711 tables 1a and 2a). */

const SEGMENT_MASK = 0x70;
const STEP_MASK = 0x0f;
const SIGN_BIT = 0x80;
/** G.711 inverts the even bits for transmission. */
const A_LAW_TOGGLE = 0x55;
const MU_LAW_BIAS = 0x84;

export function aLawToLinear(octet: number): number {
  const value = octet ^ A_LAW_TOGGLE;
  const segment = (value & SEGMENT_MASK) >> 4;
  const step = ((value & STEP_MASK) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return value & SIGN_BIT ? magnitude : -magnitude;
}

export function muLawToLinear(octet: number): number {
  const value = ~octet & 0xff;
  const magnitude =
    ((((value & STEP_MASK) << 3) + MU_LAW_BIAS) << ((value & SEGMENT_MASK) >> 4)) - MU_LAW_BIAS;
  return value & SIGN_BIT ? -magnitude : magnitude;
}
