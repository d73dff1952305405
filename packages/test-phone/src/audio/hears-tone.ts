/** Measures what the carrier's side hears; `BrowserPage` does the same for the agent's. */
import { performance } from 'node:perf_hooks';
import { measureTone } from './goertzel.ts';
import { toSamples, type RtpStream } from '../rtp/port.ts';

const RATE = 8000;
const MEASURE_MS = 200;
const POLL_MS = 20;
/** Audio must be heard within 2 s of the answer, in both directions. */
export const HEARD_WITHIN_MS = 2000;

/** Resolves once the newest 200 ms of the stream contain the tone. */
export async function hearsTone(audio: RtpStream, hz: number, withinMs = HEARD_WITHIN_MS): Promise<void> {
  const deadline = performance.now() + withinMs;
  let last = 'no packet';
  while (performance.now() < deadline) {
    const recent = audio.heard.filter((packet) => packet.at > performance.now() - MEASURE_MS);
    if (recent.length >= (MEASURE_MS / 20) * 0.8) {
      const measure = measureTone(toSamples(recent, audio.law), RATE, hz);
      if (measure.heard) return;
      last = `${measure.hz} Hz, ${measure.overRestDb.toFixed(1)} dB over the rest, level ${measure.levelDb.toFixed(0)} dB`;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(
    `the carrier did not hear ${hz} Hz within ${withinMs} ms: ${last}; ${audio.heard.length} packets in total`,
  );
}
