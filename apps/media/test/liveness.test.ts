/** What counts as activity on a carrier leg, and how comfort noise is handled. */
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { toSamples } from '@clarion/test-phone/rtp/port';
import { buildSenderReport } from '../src/rtp/rtcp.ts';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall, ENDPOINTS, containsTone, type Bridged } from './support/calls.ts';
import { eventually } from './support/fake-realtime.ts';

/** The remote parties run in the process of the node, so this is longer than a busy machine may stall it. */
const RTP_TIMEOUT_MS = 2_000;
/** Longer than a silent leg may last. */
const OBSERVED_MS = 1.5 * RTP_TIMEOUT_MS;
const COMFORT_NOISE = 13;

let fixture: MediaFixture;

beforeAll(async () => {
  fixture = await MediaFixture.start({ rtpTimeoutMs: RTP_TIMEOUT_MS, watchdogIntervalMs: 40 });
});
afterAll(() => fixture.close());

let lastCall: Promise<unknown> = Promise.resolve();

/** The tests run concurrently, because most of their time is waiting; their calls are placed one after the other. */
function openCall(
  localEndpointOnly: boolean,
  onTestFinished: TestContext['onTestFinished'],
): Promise<Bridged> {
  const opened = lastCall.then(() => bridgedCall(fixture, { localEndpointOnly }));
  lastCall = opened.then(
    ({ close }) => onTestFinished(close),
    () => undefined,
  );
  return opened;
}

const hasEnded = ({ carrierLegId }: Bridged) => fixture.realtime.count('leg:ended', carrierLegId) > 0;

/** Sends something every 100 ms. */
async function keepAlive(bridged: Bridged, send: () => void): Promise<void> {
  const until = performance.now() + OBSERVED_MS;
  let sentAt = 0;
  await eventually('the time has passed', () => {
    const now = performance.now();
    if (now - sentAt >= 100) {
      sentAt = now;
      send();
    }
    return now >= until || hasEnded(bridged);
  });
}

describe.concurrent.each(ENDPOINTS)('a leg that is %s', (_name, localEndpointOnly) => {
  test('stays up with comfort noise, which is silent and not counted as loss, and then hears the voice that follows', async ({
    onTestFinished,
  }) => {
    const bridged = await openCall(localEndpointOnly, onTestFinished);
    const { call, agent, leg } = bridged;
    call.audio.silence();
    const lost = (await leg.stats()).lostPackets;
    agent.heard = [];
    await keepAlive(bridged, () => {
      call.audio.timestamp += 800;
      call.audio.sendPacket(Buffer.from([60]), COMFORT_NOISE);
    });
    expect(hasEnded(bridged)).toBe(false);
    const loudest = Math.max(0, ...toSamples(agent.heard.slice(5), 'PCMA').map(Math.abs));
    expect(loudest).toBeLessThan(10);
    expect((await leg.stats()).lostPackets).toBe(lost);
    call.audio.sendTone(440);
    await eventually('the voice is heard', () => containsTone(agent.heard, 'PCMA', 440));
  });

  test('stays up with RTCP alone', async ({ onTestFinished }) => {
    const bridged = await openCall(localEndpointOnly, onTestFinished);
    const { call, leg } = bridged;
    call.audio.silence();
    const reports = { ...call.audio.remote, port: leg.port + 1, address: '127.0.0.1' };
    call.audio.remote = reports;
    await keepAlive(bridged, () =>
      call.audio.sendRaw(
        buildSenderReport({
          ssrc: call.audio.ssrc,
          timestamp: call.audio.timestamp,
          unixMs: Date.now(),
          packets: call.audio.sent,
          bytes: call.audio.sent * 160,
          cname: 'remote party',
          report: null,
        }),
      ),
    );
    expect(hasEnded(bridged)).toBe(false);
  });

  test('stays up while the remote party has the call on hold and sends nothing', async ({
    onTestFinished,
  }) => {
    const bridged = await openCall(localEndpointOnly, onTestFinished);
    const { call, leg } = bridged;
    expect((await call.reinvite('sendonly')).status).toBe(200);
    expect(leg.direction).toBe('sendonly');
    call.audio.silence();
    await keepAlive(bridged, () => undefined);
    expect(hasEnded(bridged)).toBe(false);
    // Resumed, it must send again.
    expect((await call.reinvite('sendrecv')).status).toBe(200);
    const { end } = await fixture.realtime.fact('leg:ended', bridged.carrierLegId);
    expect(end.cause).toBe('rtp-timeout');
  });

  test('ends when nothing arrives', async ({ onTestFinished }) => {
    const bridged = await openCall(localEndpointOnly, onTestFinished);
    bridged.call.audio.silence();
    const { end } = await fixture.realtime.fact('leg:ended', bridged.carrierLegId);
    expect(end.cause).toBe('rtp-timeout');
  });
});
