/** G.711 (ITU-T G.711) by table: 16-bit linear PCM to and from A-law and µ-law, and one law to the other. Pure. */

export type Law = 'PCMU' | 'PCMA';

/** RFC 3551 table 4. */
export const LAW_PAYLOAD_TYPE: Readonly<Record<Law, number>> = { PCMU: 0, PCMA: 8 };
export const LAWS: readonly Law[] = ['PCMU', 'PCMA'];

/** Samples per second. */
export const SAMPLE_RATE = 8_000;
export const FRAME_MS = 20;
/** Samples, and bytes of G.711, in one frame. */
export const FRAME_SAMPLES = 160;

/** The code of (nearly) zero: µ-law 0, A-law +8. */
export const SILENCE: Readonly<Record<Law, number>> = { PCMU: 0xff, PCMA: 0xd5 };

/** A shared frame of silence; must not be modified. */
export const SILENT: Readonly<Record<Law, Buffer>> = {
  PCMU: Buffer.alloc(FRAME_SAMPLES, SILENCE.PCMU),
  PCMA: Buffer.alloc(FRAME_SAMPLES, SILENCE.PCMA),
};

const MU_BIAS = 0x84;
const MU_CLIP = 32_635;
const A_XOR = 0x55;

function decodeMu(byte: number): number {
  const inverted = ~byte & 0xff;
  const exponent = (inverted >> 4) & 7;
  const magnitude = ((((inverted & 0x0f) << 3) + MU_BIAS) << exponent) - MU_BIAS;
  return inverted & 0x80 ? -magnitude : magnitude;
}

function encodeMu(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), MU_CLIP) + MU_BIAS;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

function decodeA(byte: number): number {
  const code = byte ^ A_XOR;
  const exponent = (code >> 4) & 7;
  let magnitude = ((code & 0x0f) << 4) + 8;
  if (exponent > 0) magnitude = (magnitude + 0x100) << (exponent - 1);
  return code & 0x80 ? magnitude : -magnitude;
}

function encodeA(sample: number): number {
  const sign = sample >= 0 ? 0x80 : 0;
  const magnitude = Math.min(sample >= 0 ? sample : -sample - 1, 32_767);
  const exponent = magnitude < 256 ? 0 : 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f;
  return (sign | (exponent << 4) | mantissa) ^ A_XOR;
}

function bytes(of: (index: number) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, index) => of(index));
}

/** Samples by code. */
export const decodeTable: Readonly<Record<Law, Int16Array>> = {
  PCMU: Int16Array.from({ length: 256 }, (_, byte) => decodeMu(byte)),
  PCMA: Int16Array.from({ length: 256 }, (_, byte) => decodeA(byte)),
};
const muToA = bytes((byte) => encodeA(decodeMu(byte)));
const aToMu = bytes((byte) => encodeMu(decodeA(byte)));

/** Codes by the 16 bits of a sample, read as unsigned. */
export const encodeTable: Readonly<Record<Law, Uint8Array>> = {
  PCMU: Uint8Array.from({ length: 65_536 }, (_, bits) => encodeMu((bits << 16) >> 16)),
  PCMA: Uint8Array.from({ length: 65_536 }, (_, bits) => encodeA((bits << 16) >> 16)),
};

/** Encodes one sample, −32768 to 32767. */
export function encodeSample(law: Law, sample: number): number {
  return encodeTable[law][sample & 0xffff] ?? 0;
}

export function decode(law: Law, payload: Buffer): Int16Array {
  const table = decodeTable[law];
  const pcm = new Int16Array(payload.length);
  for (let index = 0; index < payload.length; index += 1) pcm[index] = table[payload[index] ?? 0] ?? 0;
  return pcm;
}

export function encode(law: Law, pcm: Int16Array): Buffer {
  const payload = Buffer.allocUnsafe(pcm.length);
  encodeInto(law, pcm, payload, 0);
  return payload;
}

/** Encodes samples into `target` from `offset` on. */
export function encodeInto(law: Law, pcm: Int16Array, target: Uint8Array, offset: number): void {
  const table = encodeTable[law];
  for (let index = 0; index < pcm.length; index += 1) {
    target[offset + index] = table[(pcm[index] ?? 0) & 0xffff] ?? 0;
  }
}

/** Converts between the laws. Returns the payload itself if nothing changes. */
export function transcode(payload: Buffer, from: Law, to: Law): Buffer {
  if (from === to) return payload;
  const table = from === 'PCMU' ? muToA : aToMu;
  const converted = Buffer.allocUnsafe(payload.length);
  for (let index = 0; index < payload.length; index += 1) converted[index] = table[payload[index] ?? 0] ?? 0;
  return converted;
}

export function lawOf(payloadType: number): Law | null {
  if (payloadType === LAW_PAYLOAD_TYPE.PCMU) return 'PCMU';
  return payloadType === LAW_PAYLOAD_TYPE.PCMA ? 'PCMA' : null;
}

export const lawNamed = (codec: string): Law | null => LAWS.find((law) => law === codec) ?? null;
