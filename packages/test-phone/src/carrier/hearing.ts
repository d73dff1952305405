/** Whether a tone is heard, for any packet length, law and payload type. */
import { setTimeout as sleep } from 'node:timers/promises';
import { decode, payloadTypes, SAMPLE_RATE, type Law } from '../rtp/g711.ts';
import { measureTone, tonePower, meanPower } from '../audio/goertzel.ts';
import type { Heard, RtpStream } from '../rtp/port.ts';

const WINDOW_MS = 200;
const POLL_MS = 20;
const SAMPLES_PER_MS = SAMPLE_RATE / 1000;
/** The least share of a window that received packets must cover to count as a stream. */
const FILLED = 0.7;
/** On a bad network, lost packets are ignored; most of the received ones must contain the tone. */
const ROUGH_FRAME = 160;
const ROUGH_SHARE = 0.6;
const AUDIBLE_POWER = 2_000; // of 16-bit samples, squared: about -57 dBFS

export interface Listening {
  /** Packets may be missing or late. The tone need only be in most of those received. */
  rough?: boolean;
  /** Payload types of the laws, in addition to the static ones. */
  types?: Partial<Record<Law, number>>;
}

function lawOf({ payloadType }: Heard, { types }: Listening): Law | null {
  const means = (law: Law) => payloadType === payloadTypes[law] || payloadType === types?.[law];
  return means('PCMA') ? 'PCMA' : means('PCMU') ? 'PCMU' : null;
}

/** The samples in order of timestamp. Only the newest SSRC counts, because the phase of a tone jumps between two streams. */
function samplesOf(packets: readonly Heard[], how: Listening): Int16Array {
  const newest = packets.at(-1)?.ssrc;
  const voice = packets.filter((packet) => packet.ssrc === newest && lawOf(packet, how) !== null);
  const ordered = voice.toSorted((a, b) => (a.timestamp - b.timestamp) | 0);
  const first = ordered[0]?.timestamp ?? 0;
  const frames = ordered.map((packet) => ({
    at: (packet.timestamp - first) >>> 0,
    samples: decode(lawOf(packet, how) ?? 'PCMA', packet.payload),
  }));
  const length = Math.min(SAMPLE_RATE, Math.max(0, ...frames.map(({ at, samples }) => at + samples.length)));
  const all = new Int16Array(length);
  for (const { at, samples } of frames) if (at + samples.length <= length) all.set(samples, at);
  return all;
}

function isHeard(packets: readonly Heard[], hz: number, how: Listening): boolean {
  const samples = samplesOf(packets, how);
  const filled = packets.reduce((sum, packet) => sum + (lawOf(packet, how) ? packet.payload.length : 0), 0);
  if (how.rough) {
    let pure = 0;
    let all = 0;
    for (let at = 0; at + ROUGH_FRAME <= samples.length; at += ROUGH_FRAME) {
      const frame = samples.subarray(at, at + ROUGH_FRAME);
      all += 1;
      // 20 ms distinguish tones that are 50 Hz apart: most of the power must be in the expected one.
      if (meanPower(frame) > AUDIBLE_POWER && tonePower(frame, SAMPLE_RATE, hz) > meanPower(frame) * 0.8)
        pure += 1;
    }
    return all >= (WINDOW_MS / 20) * 0.5 && pure / all >= ROUGH_SHARE;
  }
  return filled >= WINDOW_MS * SAMPLES_PER_MS * FILLED && measureTone(samples, SAMPLE_RATE, hz).heard;
}

const newest = (stream: RtpStream, from: number): Heard[] => stream.heard.filter(({ at }) => at > from);

/** Resolves once the newest 200 ms contain the tone; packets before `since` do not count. */
export async function hears(
  stream: RtpStream,
  hz: number,
  options: Listening & { who: string; withinMs: number; since?: number },
): Promise<void> {
  const since = options.since ?? performance.now();
  for (;;) {
    const now = performance.now();
    const recent = newest(stream, Math.max(since, now - WINDOW_MS - POLL_MS));
    if (isHeard(recent, hz, options)) return;
    if (now > since + options.withinMs) {
      const measure = measureTone(samplesOf(recent, options), SAMPLE_RATE, hz);
      throw new Error(
        `${options.who} did not hear ${hz} Hz within ${options.withinMs} ms: ${recent.length} packets ` +
          `(${[...new Set(recent.map(({ payloadType }) => payloadType))].join(', ')}) in the last ${WINDOW_MS} ms, ` +
          `${measure.overRestDb.toFixed(0)} dB over the rest, level ${measure.levelDb.toFixed(0)} dB`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** Listens for a while and expects not to hear the tone. Packets in flight at the start are ignored. */
export async function hearsNothing(
  stream: RtpStream,
  hz: number,
  options: Listening & { who: string; forMs: number; settleMs: number },
): Promise<void> {
  await sleep(options.settleMs);
  const since = performance.now();
  await sleep(options.forMs);
  const packets = newest(stream, since);
  for (let from = since; from + WINDOW_MS <= since + options.forMs; from += WINDOW_MS / 2) {
    const window = packets.filter(({ at }) => at >= from && at < from + WINDOW_MS);
    if (isHeard(window, hz, options)) throw new Error(`${options.who} still heard ${hz} Hz`);
  }
}

/** Whether the last window is louder than silence. */
export function isSounding(stream: RtpStream, how: Listening = {}): boolean {
  const samples = samplesOf(newest(stream, performance.now() - WINDOW_MS), how);
  return samples.length >= WINDOW_MS * SAMPLES_PER_MS * FILLED && meanPower(samples) > AUDIBLE_POWER;
}
