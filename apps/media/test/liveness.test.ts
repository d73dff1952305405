/** What counts as activity of a carrier leg, and how comfort noise is handled. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { toSamples } from '@clarion/test-phone/rtp/port';
import { buildSenderReport } from '../src/rtp/rtcp.ts';
import { Bench } from './bench.ts';
import { bridgedCall, ENDPOINTS, hears, type Bridged } from './calls.ts';
import { eventually } from './fake-realtime.ts';

/** The far ends run in the process of the node, so it is longer than a busy machine may stall it. */
const RTP_TIMEOUT_MS = 2_000;
/** For longer than a silent leg may last. */
const KEPT_UP_MS = 1.5 * RTP_TIMEOUT_MS;
const COMFORT_NOISE = 13;

let bench: Bench;
let bridged: Bridged;

beforeAll(async () => {
  bench = await Bench.start({ rtpTimeoutMs: RTP_TIMEOUT_MS, watchIntervalMs: 40 });
});
afterEach(() => bridged.close());
afterAll(() => bench.close());

const ended = () => bench.realtime.count('leg:ended', bridged.carrierLegId) > 0;

/** Sends something every 100 ms. */
async function keepAlive(send: () => void): Promise<void> {
  const until = performance.now() + KEPT_UP_MS;
  let sentAt = 0;
  await eventually('the time is over', () => {
    const now = performance.now();
    if (now - sentAt >= 100) {
      sentAt = now;
      send();
    }
    return now >= until || ended();
  });
}

describe.each(ENDPOINTS)('a leg that is %s', (_name, ownEndpoint) => {
  test('is kept up by comfort noise, which is heard as silence and not counted as loss, and hears the voice that follows', async () => {
    bridged = await bridgedCall(bench, { ownEndpoint });
    const { call, agent, leg } = bridged;
    call.audio.silence();
    const lost = (await leg.stats()).lostPackets;
    agent.heard = [];
    await keepAlive(() => {
      call.audio.timestamp += 800;
      call.audio.sendPacket(Buffer.from([60]), COMFORT_NOISE);
    });
    expect(ended()).toBe(false);
    const loudest = Math.max(0, ...toSamples(agent.heard.slice(5), 'PCMA').map(Math.abs));
    expect(loudest).toBeLessThan(10);
    expect((await leg.stats()).lostPackets).toBe(lost);
    call.audio.sendTone(440);
    await eventually('the voice is heard', () => hears(agent.heard, 'PCMA', 440));
  });

  test('is kept up by RTCP', async () => {
    bridged = await bridgedCall(bench, { ownEndpoint });
    const { call, leg } = bridged;
    call.audio.silence();
    const reports = { ...call.audio.remote, port: leg.port + 1, address: '127.0.0.1' };
    call.audio.remote = reports;
    await keepAlive(() =>
      call.audio.sendRaw(
        buildSenderReport({
          ssrc: call.audio.ssrc,
          timestamp: call.audio.timestamp,
          unixMs: Date.now(),
          packets: call.audio.sent,
          bytes: call.audio.sent * 160,
          cname: 'far end',
          report: null,
        }),
      ),
    );
    expect(ended()).toBe(false);
  });

  test('ends when nothing arrives', async () => {
    bridged = await bridgedCall(bench, { ownEndpoint });
    bridged.call.audio.silence();
    const { end } = await bench.realtime.fact('leg:ended', bridged.carrierLegId);
    expect(end.cause).toBe('rtp-timeout');
  });
});
