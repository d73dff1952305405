/** A customer calls an agent in a browser, who answers. Most tests of a connected call begin with this. */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { isSteady, measureSteadyTone } from '@clarion/test-phone/audio/goertzel';
import { HEARD_WITHIN_MS, hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { SAMPLE_RATE } from '@clarion/test-phone/rtp/g711';
import { toSamples, type RtpStream } from '@clarion/test-phone/rtp/port';
import { LONGEST_GAP_MS, type Customers, type LongestGapsMs } from '../peers/customers.ts';
import type { FarCall } from '../peers/far-call.ts';
import type { BrowserPage } from './browser.ts';
import type { SdkAgent } from './sdk-page.ts';

export interface Tones {
  customerHz: number;
  agentHz: number;
}

/** Resolves once both sides send their tone and hear the other's. */
export async function converse(
  customers: Pick<Customers, 'call'>,
  agent: SdkAgent,
  number: string,
  { customerHz, agentHz }: Tones,
): Promise<{ callId: number; call: FarCall }> {
  const seen = await agent.watchFor('incoming');
  const call = await customers.call(number);
  const { callId } = await seen();
  await agent.accept(callId);
  await call.answered();
  call.audio.sendTone(customerHz);
  await Promise.all([
    hearsTone(call.audio, agentHz),
    agent.browserPage.hearsTone(customerHz, { withinMs: HEARD_WITHIN_MS }),
  ]);
  return { callId, call };
}

/** Measures both sides for `ms`: each must hear the other's tone, and no packet to the agent may be lost. */
export async function hearEachOther(
  page: BrowserPage,
  audio: RtpStream,
  tones: { customerHz: number; agentHz: number },
  ms: number,
  longestGapMs: LongestGapsMs = LONGEST_GAP_MS.SIP,
): Promise<void> {
  const from = performance.now();
  const lostBefore = await page.packetsLost();
  const heardByAgent = await page.listen(tones.customerHz, ms);
  assert.equal(await page.packetsLost(), lostBefore, 'packets to the agent were lost');
  const packets = audio.heard.filter((packet) => packet.at > from).slice(0, ms / 20);
  const samples = toSamples(packets, audio.law);
  assert.ok(heardByAgent.recordedMs > ms * 0.98, `the agent heard ${heardByAgent.recordedMs} of ${ms} ms`);
  assert.ok(isSteady(heardByAgent, longestGapMs.agent), `the agent heard ${JSON.stringify(heardByAgent)}`);
  assert.ok(samples.length / 8 > ms * 0.95, `the customer heard ${samples.length / 8} of ${ms} ms`);
  const heardByCustomer = measureSteadyTone(samples, SAMPLE_RATE, tones.agentHz);
  const steady = isSteady(heardByCustomer, longestGapMs.customer);
  assert.ok(steady, `the customer heard ${JSON.stringify(heardByCustomer)}`);
}
