/** Measures what the carrier's side hears, as `BrowserPage` does for the agent's. */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import type { BrowserPage } from './browser.ts';
import { measureSteadyTone, measureTone } from './goertzel.ts';
import { toSamples, type RtpStream } from './rtp-tone.ts';

const RATE = 8000;
const MEASURE_MS = 200;
const POLL_MS = 20;
/** "Heard within 2 s of answering" (issue): both directions. */
export const HEARD_WITHIN_MS = 2000;

/** Resolves once the newest 200 ms of the stream are the tone. */
export async function hearsTone(audio: RtpStream, hz: number, withinMs = HEARD_WITHIN_MS): Promise<void> {
  const deadline = performance.now() + withinMs;
  let last = 'not a packet';
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
    `the carrier did not hear ${hz} Hz within ${withinMs} ms: ${last}; ${audio.heard.length} packets in all`,
  );
}

/** Both sides listen for `ms`: each hears the other's tone, all the time. */
export async function hearEachOther(
  page: BrowserPage,
  audio: RtpStream,
  tones: { customerHz: number; agentHz: number },
  ms: number,
): Promise<void> {
  const from = performance.now();
  const heardByAgent = await page.listen(tones.customerHz, ms);
  const packets = audio.heard.filter((packet) => packet.at > from).slice(0, ms / 20);
  const samples = toSamples(packets, audio.law);
  assert.ok(heardByAgent.recordedMs > ms * 0.98, `the agent heard ${heardByAgent.recordedMs} of ${ms} ms`);
  assert.ok(heardByAgent.steady, `the agent heard ${JSON.stringify(heardByAgent)}`);
  assert.ok(samples.length / 8 > ms * 0.95, `the carrier heard ${samples.length / 8} of ${ms} ms`);
  const heardByCarrier = measureSteadyTone(samples, RATE, tones.agentHz);
  assert.ok(heardByCarrier.steady, `the carrier heard ${JSON.stringify(heardByCarrier)}`);
}
