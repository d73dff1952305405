/**
 * A call without a network, for tests and measurements: tones or pulses in G.711, with clock drift, jitter, loss and
 * SSRC changes.
 */
import { encode, FRAME_SAMPLES, SAMPLE_RATE, type Law } from '../../src/rtp/g711.ts';
import type { SpooledPacket } from '../../src/record/spool-format.ts';

export interface SyntheticVoice {
  law: Law;
  /** The sample at a time of the sender, in seconds. */
  signal: (seconds: number) => number;
  /** How much faster its clock runs than ours, in parts per million. */
  drift?: number;
  /** Network delay of packet `n`, in ms. */
  delayMs?: (n: number) => number;
  loses?: (n: number) => boolean;
  /** The number of packets after which it starts a new SSRC with new numbering. */
  newSsrcEvery?: number;
}

export const tone =
  (hz: number, amplitude = 8_000) =>
  (seconds: number): number =>
    amplitude * Math.sin(2 * Math.PI * hz * seconds);

/** A short burst at the start of each second. */
export const pulses =
  (hz = 1_000, ms = 20) =>
  (seconds: number): number =>
    seconds % 1 < ms / 1000 ? tone(hz, 16_000)(seconds) : 0;

/** The packets of one voice in order of arrival. Signals occur at the same real time for every voice. */
export function packetsOf(voice: number, shape: SyntheticVoice, seconds: number): SpooledPacket[] {
  const { law, signal, drift = 0, delayMs = () => 0, loses = () => false, newSsrcEvery } = shape;
  const rate = SAMPLE_RATE * (1 + drift / 1e6);
  const packets: SpooledPacket[] = [];
  for (let n = 0; ((n + 1) * FRAME_SAMPLES) / rate <= seconds; n += 1) {
    if (loses(n)) continue;
    const epoch = newSsrcEvery === undefined ? 0 : Math.floor(n / newSsrcEvery);
    const pcm = new Int16Array(FRAME_SAMPLES);
    for (let index = 0; index < FRAME_SAMPLES; index += 1) {
      pcm[index] = Math.round(signal((n * FRAME_SAMPLES + index) / rate));
    }
    const sentAt = ((n + 1) * FRAME_SAMPLES) / rate;
    packets.push({
      at: Math.round((sentAt + delayMs(n) / 1000) * SAMPLE_RATE),
      voice,
      law,
      sequenceNumber: (n + epoch * 777) & 0xffff,
      timestamp: (0xffff_ff00 + n * FRAME_SAMPLES + epoch * 123_456) >>> 0,
      ssrc: 1000 * (voice + 1) + epoch,
      payload: encode(law, pcm),
    });
  }
  return packets.sort((a, b) => a.at - b.at);
}
