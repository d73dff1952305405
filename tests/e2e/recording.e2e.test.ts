/** Recorded calls: which setting decides, the contents of the file, and what a consumer receives, with the local store and with S3. */
import { setTimeout as sleep } from 'node:timers/promises';
import { callDetail, type RecordingView } from '@clarion/protocol/call';
import { SdkSite, type SdkAgent } from '@clarion/testkit/agents/sdk-page';
import { TestBrowser } from '@clarion/testkit/agents/browser';
import { TestStack } from '@clarion/testkit/stack/stack';
import { converse } from '@clarion/testkit/agents/conversation';
import { channels, customersOf, type Channel } from '@clarion/testkit/peers/customers';
import { FakeS3 } from '@clarion/testkit/peers/fake-s3';
import { fetchRecording, levelDb, silences } from '@clarion/testkit/recordings/recorded';
import { measureSkew } from '@clarion/testkit/recordings/recording-skew';
import {
  endLiveCalls,
  isOf,
  lifeOf,
  line,
  openCallCentre,
  type CallCentreFixture,
} from '@clarion/testkit/stack/call-centre';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const CUSTOMER_HZ = 440;
const AGENT_HZ = 1000;
/** The highest level of one side's tone on the other side's channel, relative to its own. */
const MAX_CROSSTALK_DB = -40;
const PAUSE_SECONDS = 1.5;
const MAX_SKEW_MS = 40;

let browser: TestBrowser;
beforeAll(async () => {
  browser = await TestBrowser.launch({ microphoneHz: AGENT_HZ });
});
afterAll(() => browser?.close());

describe.each(['local', 's3'] as const)('with the %s store', (provider) => {
  let s3: FakeS3;
  let t: TestStack;
  let site: SdkSite;
  let shop: CallCentreFixture;
  let ada: SdkAgent;

  beforeAll(async () => {
    s3 = await FakeS3.start();
    t = provider === 's3' ? await TestStack.boot({ env: s3.env }) : await TestStack.share();
    site = await SdkSite.open(t.baseUrl, (agentRef) => t.token(agentRef));
    shop = await openCallCentre(t);
    await t.v1.ok('PUT', '/v1/recording-policy', { enabled: true });
    ada = await site.agent(browser, 'ada', { device: 'laptop' });
  });
  beforeEach(() => ada.setAvailability('AVAILABLE'));
  afterEach(async () => {
    t.release();
    await endLiveCalls(t);
  });
  afterAll(async () => {
    site?.close();
    await ada?.browserPage.close(); // a stopping server waits for open connections
    await t?.stop();
    await s3?.stop();
  });

  /** A conversation in which both sides send their tone and hear the other's. */
  const talk = (number = shop.main, channel: Channel = 'SIP') =>
    converse(customersOf(t, channel), ada, number, { customerHz: CUSTOMER_HZ, agentHz: AGENT_HZ });

  const logOf = async (callId: number) =>
    callDetail.parse(await t.v1.ok('GET', `/v1/calls/${callId}`)).events.map(({ type }) => type);

  // The store does not see the customer's channel, so WhatsApp is tested with only one of them.
  const recorded = channels.filter((channel) => channel === 'SIP' || provider === 'local');
  test.each(recorded)(
    'a recording (%s) has the customer left, the agent right and silence during a pause, and can be deleted',
    async (channel) => {
      const number = await customersOf(t, channel).line('recorded', { inbound_queue_ref: 'sales' });
      const { callId } = await talk(number, channel);
      await sleep(2000); // of conversation
      await ada.pauseRecording(callId);
      await sleep(PAUSE_SECONDS * 1000);
      await ada.resumeRecording(callId);
      await sleep(1500); // of conversation
      await ada.hangup(callId);
      const { ended } = await lifeOf(t, callId);

      const { left, right, seconds, url, recording } = await fetchRecording(t, callId);
      const completed = await t.webhooks.waitFor(isOf(callId, 'recording.completed'));
      expect(completed.signatureValid).toBe(true);
      expect(completed.event.data.recording).toEqual({ ...recording, callId });
      expect(recording).toMatchObject({
        status: 'completed',
        format: 'ogg',
        channelMap: { left: 'CUSTOMER', right: 'AGENT' },
        failureReason: null,
      } satisfies Partial<RecordingView>);
      expect(Math.abs(seconds - ended.durations.call)).toBeLessThan(1.5);
      expect(Math.abs((recording.durationSeconds ?? 0) - seconds)).toBeLessThanOrEqual(0.5);

      // One silent section at the same time on both channels; before and after it, each side is only on its own channel.
      const pauses = [left, right].map((channel) => silences(channel, 1).filter(([from]) => from > 1));
      expect(pauses.map((found) => found.length)).toEqual([1, 1]);
      const [[from = 0, to = 0] = [], [otherFrom = 0] = []] = pauses.flat();
      expect(Math.abs(to - from - PAUSE_SECONDS)).toBeLessThan(0.5);
      expect(Math.abs(from - otherFrom)).toBeLessThan(0.1);
      for (const [start, stop] of [
        [from - 1, from - 0.1],
        [to + 0.2, to + 1.1],
      ] as const) {
        expect(levelDb(left, CUSTOMER_HZ, start, stop)).toBeGreaterThan(-20);
        expect(levelDb(right, AGENT_HZ, start, stop)).toBeGreaterThan(-30);
        expect(levelDb(left, AGENT_HZ, start, stop) - levelDb(right, AGENT_HZ, start, stop)).toBeLessThan(
          MAX_CROSSTALK_DB,
        );
        expect(
          levelDb(right, CUSTOMER_HZ, start, stop) - levelDb(left, CUSTOMER_HZ, start, stop),
        ).toBeLessThan(MAX_CROSSTALK_DB);
      }
      expect((await logOf(callId)).filter((type) => type.startsWith('RECORDING_'))).toEqual([
        'RECORDING_STARTED',
        'RECORDING_PAUSED',
        'RECORDING_RESUMED',
      ]);
      const { usage } = await t.v1.ok<{ usage: { callId: number; kind: string; seconds: number }[] }>(
        'GET',
        '/v1/usage',
      );
      expect(usage.filter((each) => each.callId === callId && each.kind === 'RECORDING')).toMatchObject([
        { seconds: recording.durationSeconds },
      ]);

      expect((await t.v1.request('DELETE', `/v1/calls/${callId}`)).status).toBe(204);
      expect((await fetch(url)).status).toBe(404);
      if (provider === 's3') expect([...s3.objects.keys()].filter((key) => key.endsWith('.ogg'))).toEqual([]);
    },
  );

  // Tests that do not depend on the store run with only one of them.
  if (provider === 's3') {
    test('when media is killed during a call, the call is lost but its recording is kept', async () => {
      const { callId } = await talk();
      const talkedFrom = performance.now();
      await sleep(2500); // of conversation
      await t.stack.kill('media', 'SIGKILL');
      const talkedSeconds = (performance.now() - talkedFrom) / 1000;
      await t.stack.waitHealthy('media');
      const { ended } = await lifeOf(t, callId, 30_000);
      expect(ended).toMatchObject({ status: 'FAILED', terminationReason: 'SYSTEM_ERROR' });
      const { left, right, seconds, recording } = await fetchRecording(t, callId, 30_000);
      expect(recording.status).toBe('completed');
      // Only audio that was not written to disk yet is lost with the process: at most half a second.
      expect(seconds).toBeGreaterThan(talkedSeconds - 0.6);
      expect(seconds).toBeLessThan(talkedSeconds + 3);
      const end = seconds - 0.3;
      expect(levelDb(left, CUSTOMER_HZ, end - 1.5, end)).toBeGreaterThan(-20);
      expect(levelDb(right, AGENT_HZ, end - 1.5, end)).toBeGreaterThan(-30);
    });

    test('left and right stay synchronised over new SSRCs and holds (prove recording: over ten minutes)', async () => {
      await ada.setAvailability('OFFLINE');
      await t.v1.ok('PUT', '/v1/tenants/shop/agents/bob', { name: 'Bob' });
      await t.v1.ok('PUT', '/v1/tenants/shop/queues/sales/members', { members: [{ agent_ref: 'bob' }] });
      const bob = await t.agent('bob');
      await bob.available();
      const skew = await measureSkew(t, shop, bob, { seconds: 9, unrestSeconds: 3 });
      expect(skew.pulses).toBeGreaterThanOrEqual(4);
      expect(skew.worstMs).toBeLessThan(MAX_SKEW_MS);
    });
  } else {
    test('the setting of the line overrides that of the tenant, which overrides that of the account; an unrecorded call cannot be paused', async () => {
      const quiet = await line(t, 'quiet', { inbound_queue_ref: 'sales', recording_enabled: false });
      const { callId } = await talk(quiet);
      await expect(ada.pauseRecording(callId)).rejects.toThrow(/not being recorded/);
      await ada.hangup(callId);
      await lifeOf(t, callId);
      expect(callDetail.parse(await t.v1.ok('GET', `/v1/calls/${callId}`)).recording).toBeNull();

      await t.v1.ok('PUT', '/v1/tenants/shop', { name: 'Shop', settings: { recording: { enabled: false } } });
      const { callId: unrecorded } = await talk();
      await ada.hangup(unrecorded);
      await lifeOf(t, unrecorded);
      expect(callDetail.parse(await t.v1.ok('GET', `/v1/calls/${unrecorded}`)).recording).toBeNull();
      await t.v1.ok('PUT', '/v1/tenants/shop', { name: 'Shop', settings: {} });
    });
  }
});
