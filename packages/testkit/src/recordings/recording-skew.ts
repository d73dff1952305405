/**
 * How far a recording's two sides are apart: both ends say a short pulse at the same moments, over a call that changes hands between
 * media's own endpoint and mediasoup meanwhile, and the file is searched for them.
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
/** Of full scale: where a pulse is said to begin. */
const ONSET_LEVEL = 0.1;
/** A hold in a call that is unrestful: one side is gone for a while, and its leg moves twice. */
const HOLD_MS = 1_500;

export interface Skew {
  seconds: number;
  /** Heard on both sides. */
  pulses: number;
  /** Between the two sides of one pulse. */
  worstMs: number;
  meanMs: number;
}

/** Sends pulses at whole seconds of this process' clock, whichever stream says them. */
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
 * One recorded call of `agent`, whose tenant records. Every `unrestSeconds` the carrier begins a new SSRC, and the agent puts the
 * customer on hold for a moment.
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
