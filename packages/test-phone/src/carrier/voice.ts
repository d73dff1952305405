/** Audio of carriers other than a continuous stream of 20 ms packets. */
import { encode, FRAME_MS, SAMPLE_RATE } from '../rtp/g711.ts';
import { sine } from '../audio/goertzel.ts';
import { pacer } from '../rtp/pacer.ts';
import type { RtpStream } from '../rtp/port.ts';

/** RFC 3389, section 4. */
const COMFORT_NOISE = 13;
const NOISE_LEVEL = 60; // -dBov
const SAMPLES_PER_MS = SAMPLE_RATE / 1000;

/** Sends a tone in packets of `ptimeMs`. @returns a function that stops it */
export function toneOf(stream: RtpStream, hz: number, ptimeMs: number): () => void {
  stream.silence();
  const size = ptimeMs * SAMPLES_PER_MS;
  let startSample = 0;
  let dueMs = 0;
  return pacer.add(() => {
    for (dueMs += FRAME_MS; dueMs >= ptimeMs; dueMs -= ptimeMs) {
      stream.sendPacket(encode(stream.law, sine(hz, SAMPLE_RATE, size, { startSample })));
      stream.timestamp = (stream.timestamp + size) >>> 0;
      startSample += size;
    }
  });
}

/** Voice activity detection (RFC 3389, section 4): alternates `talkMs` of the tone with a comfort noise packet and silence for `pauseMs`. */
export function toneWithPauses(stream: RtpStream, hz: number, talkMs: number, pauseMs: number): void {
  let frame = 0;
  const talk = talkMs / FRAME_MS;
  const all = (talkMs + pauseMs) / FRAME_MS;
  let startSample = 0;
  stream.sendFrom(() => {
    const at = frame++ % all;
    const samples = sine(hz, SAMPLE_RATE, FRAME_MS * SAMPLES_PER_MS, { startSample });
    startSample += samples.length;
    if (at < talk) return encode(stream.law, samples);
    if (at === talk) stream.sendPacket(Uint8Array.of(NOISE_LEVEL), COMFORT_NOISE);
    return null;
  });
}

/** Comfort noise alone, every 20 ms. */
export function comfortNoise(stream: RtpStream): void {
  stream.sendFrom(() => {
    stream.sendPacket(Uint8Array.of(NOISE_LEVEL), COMFORT_NOISE);
    return null;
  });
}
