/** A supervisor listens, whispers and barges in: three people with different tones, and what each of them hears. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findGaps, tonePower } from '@clarion/test-phone/audio/goertzel';
import { SdkSite, type SdkAgent } from '@clarion/testkit/agents/sdk-page';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { converse } from '@clarion/testkit/agents/conversation';
import { channels, customersOf, type Customers } from '@clarion/testkit/peers/customers';
import type { FarCall } from '@clarion/testkit/peers/far-call';
import {
  endLiveCalls,
  lifeOf,
  openCallCentre,
  type CallCentreFixture,
} from '@clarion/testkit/stack/call-centre';
import { RtpPort, toSamples } from '@clarion/test-phone/rtp/port';
import type { CallDetail } from '@clarion/protocol/call';

const CUSTOMER_HZ = 600;
const AGENT_HZ = 1000;
const SUPERVISOR_HZ = 1700;
const RATE = 8000;
const FULL_SCALE = 32_768;
/** Voices that must not be heard are below this level. */
const QUIET_DB = -50;
/** The least level of an audible voice; the tones are sent at −13 dB. */
const HEARD_DB = -30;
const MEASURE_MS = 1000;
/** Limit until a change of mode is audible. */
const CHANGED_WITHIN_MS = 3000;
const LONGEST_GAP_MS = 100;
/** Between two packets: less than a phone's jitter buffer bridges. */
const LONGEST_PAUSE_MS = 200;

let t: TestStack;
let browsers: TestBrowser[];
let site: SdkSite;
let shop: CallCentreFixture;
let ada: SdkAgent;
let sue: SdkAgent;

beforeAll(async () => {
  t = await TestStack.share();
  shop = await openCallCentre(t);
  await t.v1.ok('PUT', '/v1/tenants/shop/agents/sue', { name: 'Sue', role: 'SUPERVISOR' });
  browsers = await Promise.all([
    TestBrowser.launch({ microphoneHz: AGENT_HZ }),
    TestBrowser.launch({ microphoneHz: SUPERVISOR_HZ }),
  ]);
  site = await SdkSite.open(t.baseUrl, (ref) =>
    t.token(ref, { role: ref === 'sue' ? 'SUPERVISOR' : 'AGENT' }),
  );
  const [first, second] = browsers as [TestBrowser, TestBrowser];
  ada = await site.agent(first, 'ada', { device: 'laptop' });
  sue = await site.agent(second, 'sue', { device: 'office' });
});
beforeEach(async () => {
  await allow('listen', 'whisper', 'barge');
  await ada.setAvailability('AVAILABLE');
});
afterEach(async () => {
  t.release();
  await endLiveCalls(t);
});
afterAll(async () => {
  site?.close();
  for (const browser of browsers ?? []) await browser.close();
  await t?.stop();
});

const allow = (...modes: string[]) =>
  t.v1.ok('PUT', '/v1/tenants/shop', { name: 'Shop', settings: { monitoring: { modes } } });
const detailOf = (callId: number) => t.v1.ok<CallDetail>('GET', `/v1/calls/${callId}`);

const talking = (customers: Customers, number: string) =>
  converse(customers, ada, number, { customerHz: CUSTOMER_HZ, agentHz: AGENT_HZ });

const decibels = (power: number) => 10 * Math.log10(power / FULL_SCALE ** 2 + 1e-12);

/** Times of packets between two sockets of this process, which pause whenever the process itself does. */
async function referenceStream() {
  const [from, to] = [await RtpPort.open(), await RtpPort.open()];
  from.remote = to;
  from.sendTone(CUSTOMER_HZ);
  onTestFinished(() => [from, to].forEach((port) => port.close()));
  return to.heard;
}

type Arrivals = readonly { at: number }[];

/** The time from each packet to the next, in ms. */
const pausesOf = (heard: Arrivals) =>
  heard.slice(1).map(({ at: end }, index) => ({ start: heard[index]?.at ?? end, end }));

/** The longest pause, without the time for which this process read no packets at all. */
function longestPauseMs(heard: Arrivals, reference: Arrivals): number {
  const own = pausesOf(reference).filter(({ start, end }) => end - start > LONGEST_PAUSE_MS / 4);
  const shared = (pause: { start: number; end: number }) =>
    own.reduce(
      (ms, { start, end }) => ms + Math.max(0, Math.min(end, pause.end) - Math.max(start, pause.start)),
      0,
    );
  return Math.max(...pausesOf(heard).map((pause) => pause.end - pause.start - shared(pause)));
}

/** The level of a tone in the last second that the customer received, in dB of full scale. */
function atCustomer(call: FarCall, hz: number): number {
  const recent = call.audio.heard.filter(({ at }) => at > performance.now() - MEASURE_MS);
  return decibels(tonePower(toSamples(recent, call.audio.law), RATE, hz));
}
/** For a tone, the same of the audio that a page played. */
async function atPage(agent: SdkAgent): Promise<(hz: number) => number> {
  const hearing = await agent.browserPage.hearing();
  if (!hearing) return () => -Infinity;
  const { sampleRate } = hearing;
  const recent = hearing.samples.subarray(-(sampleRate * MEASURE_MS) / 1000);
  return (hz) => decibels(tonePower(recent, sampleRate, hz));
}

type Levels = { customer: Voices; agent: Voices; supervisor: Voices };
type Voices = Record<'customer' | 'agent' | 'supervisor', number>;
const TONES = { customer: CUSTOMER_HZ, agent: AGENT_HZ, supervisor: SUPERVISOR_HZ } as const;

/** The level of each voice at each of the three people. */
async function levels(call: FarCall): Promise<Levels> {
  const voices = (level: (hz: number) => number): Voices => ({
    customer: level(TONES.customer),
    agent: level(TONES.agent),
    supervisor: level(TONES.supervisor),
  });
  return {
    customer: voices((hz) => atCustomer(call, hz)),
    agent: voices(await atPage(ada)),
    supervisor: voices(await atPage(sue)),
  };
}

/** Waits until each person hears exactly these voices above `HEARD_DB`, and the others below `QUIET_DB`. */
async function expectVoices(
  call: FarCall,
  expected: Record<keyof Levels, readonly (keyof Voices)[]>,
): Promise<void> {
  const deadline = performance.now() + CHANGED_WITHIN_MS + MEASURE_MS;
  for (;;) {
    const now = await levels(call);
    const wrong = (Object.keys(expected) as (keyof Levels)[]).flatMap((listener) =>
      (Object.keys(TONES) as (keyof Voices)[]).flatMap((voice) => {
        const level = now[listener][voice];
        const heard = expected[listener].includes(voice);
        const right = heard ? level > HEARD_DB : level < QUIET_DB;
        return right
          ? []
          : [`${voice} at ${listener}: ${level.toFixed(1)} dB, ${heard ? 'not heard' : 'heard'}`];
      }),
    );
    if (wrong.length === 0) return;
    if (performance.now() > deadline) throw new Error(`${wrong.join('\n')}\n${JSON.stringify(now)}`);
    await sleep(100);
  }
}

const LISTENING = { customer: ['agent'], agent: ['customer'], supervisor: ['customer', 'agent'] } as const;
const WHISPERING = { ...LISTENING, agent: ['customer', 'supervisor'] } as const;
const BARGING = { ...WHISPERING, customer: ['agent', 'supervisor'] } as const;

describe.each(channels)('a call on %s', (channel) => {
  let customers: Customers;
  let main: string;

  beforeAll(async () => {
    customers = customersOf(t, channel);
    main = await customers.line('shared', { inbound_queue_ref: 'sales' });
  });

  test('in every mode exactly the right people hear the supervisor, and the customer never hears a gap', async () => {
    const { callId, call } = await talking(customers, main);
    const since = performance.now();
    const reference = await referenceStream();
    await sue.monitor(callId);
    await expectVoices(call, LISTENING);
    await sue.setMode('whisper');
    await expectVoices(call, WHISPERING);
    await sue.setMode('barge');
    await expectVoices(call, BARGING);
    await sue.setMode('whisper');
    await expectVoices(call, WHISPERING);
    await sue.setMode('listen');
    await expectVoices(call, LISTENING);
    await sue.stopMonitor();
    await sleep(MEASURE_MS);

    const heard = call.audio.heard.filter(({ at }) => at > since);
    const gaps = findGaps(toSamples(heard, call.audio.law), RATE, AGENT_HZ);
    expect(gaps.filter(({ lengthMs }) => lengthMs > LONGEST_GAP_MS)).toEqual([]);
    expect(longestPauseMs(heard, reference)).toBeLessThan(LONGEST_PAUSE_MS);
    expect(atCustomer(call, AGENT_HZ)).toBeGreaterThan(HEARD_DB);
    await ada.hangup(callId);

    const { ended } = await lifeOf(t, callId);
    expect(ended).toMatchObject({ agentRef: 'ada', terminationReason: 'COMPLETED', terminatedBy: 'AGENT' });
    const { participants, legs, events } = await detailOf(callId);
    expect(participants).toMatchObject([
      { kind: 'CUSTOMER' },
      { kind: 'AGENT', agentRef: 'ada' },
      { kind: 'SUPERVISOR', agentRef: 'sue', deviceId: 'office', leaveReason: 'MONITOR_STOPPED' },
    ]);
    expect(legs.find(({ type }) => type === 'MONITOR')).toMatchObject({
      deviceId: 'office',
      state: 'DISCONNECTED',
    });
    const log = events.filter(({ type }) => type.startsWith('MONITOR_'));
    expect(log.map(({ type, metadata }) => [type, metadata?.['mode'] ?? metadata?.['reason']])).toEqual([
      ['MONITOR_STARTED', 'LISTEN'],
      ['MONITOR_MODE', 'WHISPER'],
      ['MONITOR_MODE', 'BARGE'],
      ['MONITOR_MODE', 'WHISPER'],
      ['MONITOR_MODE', 'LISTEN'],
      ['MONITOR_STOPPED', 'LEFT'],
    ]);
  });

  test('a mode that the tenant does not allow is refused, and monitoring ends immediately when its mode is disallowed', async () => {
    const { callId, call } = await talking(customers, main);
    await allow('listen');
    await expect(sue.monitor(callId, 'barge')).rejects.toThrow('does not allow');
    await allow('listen', 'barge');
    await sue.monitor(callId, 'barge');
    await expectVoices(call, BARGING);
    const listens = await sue.watchFor('monitorMode', { state: 'listen' });
    await allow('listen');
    await listens();
    await expectVoices(call, LISTENING);
    await expect(sue.setMode('whisper')).rejects.toThrow('does not allow');
    const over = await sue.watchFor('monitorEnded');
    await call.hangUp();
    expect(await over()).toMatchObject({ callId, reason: 'CALL_ENDED' });
  });

  test('a call on the direct path stays on it while a supervisor listens, and leaves it when they whisper', async () => {
    await allow('listen');
    const own = await customers.line('ada-own', { owner_agent_ref: 'ada' });
    const { callId, call } = await talking(customers, own);
    await sue.monitor(callId);
    await expectVoices(call, LISTENING);
    await allow('listen', 'whisper');
    await sue.setMode('whisper');
    await expectVoices(call, WHISPERING);
    await sue.stopMonitor();
    await ada.hangup(callId);
    await lifeOf(t, callId);
    const { events } = await detailOf(callId);
    expect(events.find(({ type }) => type === 'ANSWERED')?.metadata).toMatchObject({ media: 'DIRECT' });
  });
});

test('the board shows a call and its supervisor, and removes the call when it ends', async () => {
  await sue.subscribeBoard();
  const shows = async (fits: (board: Awaited<ReturnType<SdkAgent['board']>>) => boolean) => {
    await expect.poll(async () => fits(await sue.board()), { timeout: CHANGED_WITHIN_MS }).toBe(true);
  };
  const { callId } = await talking(customersOf(t, 'SIP'), shop.main);
  await shows(({ calls }) => calls.some((one) => one.callId === callId && one.agent?.agentRef === 'ada'));
  await shows(({ queues }) => queues.some(({ ref, agents }) => ref === 'sales' && agents.onCall === 1));
  await sue.monitor(callId);
  await shows(({ calls }) => calls.some(({ monitors }) => monitors[0]?.name === 'sue'));
  await ada.hangup(callId);
  await shows(({ calls, queues }) => calls.length === 0 && queues.every(({ agents }) => agents.onCall === 0));
  await sue.unsubscribeBoard();
});
