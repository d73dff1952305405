/**
 * The offset between the two channels of a recording: both ends send short pulses at the same times, in a call that is handed over
 * between the local endpoint and mediasoup meanwhile. Then the pulses are located in the file.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { encode, FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE } from '@clarion/test-phone/rtp/g711';
import { fetchRecording, RECORDING_RATE } from './recorded.ts';
import type { RtpStream } from '@clarion/test-phone/rtp/port';
import type { ScriptedAgent } from '../agents/scripted-agent.ts';
import type { CallCentreFixture } from '../stack/call-centre.ts';
import type { TestStack } from '../stack/stack.ts';

const PULSE_EVERY_MS = 1_000;
const PULSE_MS = 20;
const PULSE_HZ = 1_000;
const AMPLITUDE = 16_000;
/** A pulse begins where the signal first exceeds this share of full scale. */
const ONSET_LEVEL = 0.1;
/** The length of each hold. One side is silent during it, and its leg is handed over twice. */
const HOLD_MS = 1_500;

export interface Skew {
  seconds: number;
  /** Pulses that were found in both channels. */
  pulses: number;
  /** Offset between the channels for the same pulse. */
  worstMs: number;
  meanMs: number;
}

/** Sends pulses at whole seconds of this process's clock, so that those of all streams coincide. */
export function sayPulses(audio: RtpStream): void {
  const from = performance.now();
  let frame = 0;
  audio.sendFrom(() => {
    const at = from + frame * FRAME_MS;
    frame += 1;
    const samples = Int16Array.from({ length: FRAME_SAMPLES }, (_, index) => {
      const ms = (at + (index * 1000) / SAMPLE_RATE) % PULSE_EVERY_MS;
      return ms < PULSE_MS ? Math.round(AMPLITUDE * Math.sin((2 * Math.PI * PULSE_HZ * ms) / 1000)) : 0;
    });
    return encode(audio.law, samples);
  });
}

/** Where each pulse begins, in ms. */
export function onsetsMs(channel: Float32Array): number[] {
  const found: number[] = [];
  for (let at = 0; at < channel.length; at += 1) {
    if (Math.abs(channel[at] ?? 0) < ONSET_LEVEL) continue;
    found.push((at * 1000) / RECORDING_RATE);
    at += (PULSE_EVERY_MS / 2 / 1000) * RECORDING_RATE;
  }
  return found;
}

export function skewOf(left: Float32Array, right: Float32Array): Pick<Skew, 'pulses' | 'worstMs' | 'meanMs'> {
  const others = onsetsMs(right);
  const apart = onsetsMs(left).flatMap((at) => {
    const nearest = Math.min(...others.map((other) => Math.abs(other - at)));
    return nearest < PULSE_EVERY_MS / 2 ? [nearest] : [];
  });
  return {
    pulses: apart.length,
    worstMs: Math.max(...apart),
    meanMs: apart.reduce((sum, each) => sum + each, 0) / apart.length,
  };
}

/**
 * Measures one call of `agent`, whose tenant records calls. Every `unrestSeconds` the carrier changes its SSRC and the agent puts the
 * customer on hold briefly.
 */
export async function measureSkew(
  t: TestStack,
  shop: CallCentreFixture,
  agent: ScriptedAgent,
  { seconds, unrestSeconds }: { seconds: number; unrestSeconds: number },
): Promise<Skew> {
  const phone = await t.phone();
  const call = await phone.call(shop.main, t.sip);
  const { callId } = await agent.incoming();
  const leg = await agent.accept(callId);
  await call.answered();
  for (const audio of [call.audio, leg]) {
    audio.keep = false;
    sayPulses(audio);
  }
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    await sleep(Math.min(unrestSeconds * 1000, until - performance.now()));
    if (performance.now() + HOLD_MS + 1_000 > until) continue;
    call.audio.changeSsrc();
    await agent.send('call:hold', { callId, held: true });
    await sleep(HOLD_MS);
    await agent.send('call:hold', { callId, held: false });
  }
  await agent.hangUp(callId);
  const recorded = await fetchRecording(t, callId, 120_000);
  return { seconds: recorded.seconds, ...skewOf(recorded.left, recorded.right) };
}
