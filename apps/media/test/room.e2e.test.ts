/** Who hears whom in a room of three, measured by the tone each one sends. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { decode } from '@clarion/test-phone/rtp/g711';
import { tonePower } from '@clarion/test-phone/audio/goertzel';
import { streamQuality, toSamples, type Heard } from '@clarion/test-phone/rtp/port';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { Bench } from './bench.ts';
import { bridgedCall, type Bridged } from './calls.ts';
import { eventually } from './fake-realtime.ts';

const CUSTOMER_HZ = 440;
const AGENT_HZ = 1_000;
const SUPERVISOR_HZ = 1_700;
/** As sent: amplitude 8000 of 32768. */
const SENT_DB = 20 * Math.log10(8_000 / 32_768) - 3;
/** The bar for "not heard", against full scale. */
const NOTHING_DB = -50;
const SECOND_PACKETS = 50;

let bench: Bench;
let bridged: Bridged;
let supervisor: WebRtcLeg;
let supervisorId: string;

beforeAll(async () => {
  bench = await Bench.start();
});
afterEach(async () => {
  supervisor.close();
  await bridged.close();
});
afterAll(() => bench.close());

async function room(): Promise<void> {
  bridged = await bridgedCall(bench);
  supervisorId = `supervisor-${bridged.callId}`;
  supervisor = await bench.agent(bridged.callId, supervisorId, { as: 'monitor' });
  supervisor.sendTone(SUPERVISOR_HZ);
}

type Name = 'customer' | 'agent' | 'supervisor';

/** Everyone hears these. */
async function hear(matrix: Record<Name, Name[]>): Promise<void> {
  const ids: Record<Name, string> = {
    customer: bridged.carrierLegId,
    agent: bridged.agentLegId,
    supervisor: supervisorId,
  };
  const route = Object.fromEntries(
    Object.entries(matrix).map(([listener, heard]) => [
      ids[listener as Name],
      heard.map((name) => ({ kind: 'leg', legId: ids[name] })),
    ]),
  );
  await bench.route(bridged.callId, route);
}

const ears = (): Record<Name, Heard[]> => ({
  customer: bridged.call.audio.heard,
  agent: bridged.agent.heard,
  supervisor: supervisor.heard,
});

/** Of the last second, the median of its tenths: a jitter buffer that adapts in one of them shifts the tone there. */
function levelDb(packets: readonly Heard[], hz: number): number {
  const samples = toSamples(packets.slice(-SECOND_PACKETS), 'PCMA');
  const levels: number[] = [];
  for (let at = 0; at + 800 <= samples.length; at += 800) {
    levels.push(tonePower(samples.subarray(at, at + 800), 8_000, hz) / 32_768 ** 2);
  }
  const median = levels.toSorted((a, b) => a - b)[Math.floor(levels.length / 2)] ?? 0;
  return 10 * Math.log10(median + 1e-12);
}

const HZ: Record<Name, number> = { customer: CUSTOMER_HZ, agent: AGENT_HZ, supervisor: SUPERVISOR_HZ };

/** Waits until everybody has heard a whole second since, and then measures who hears whom. */
async function measured(): Promise<Record<Name, Name[]>> {
  const from = Object.values(ears()).map((packets) => packets.length);
  const heard: Partial<Record<Name, Name[]>> = {};
  await eventually('a second is heard', () =>
    Object.values(ears()).every(
      (packets, index) => packets.length >= (from[index] ?? 0) + SECOND_PACKETS + 10,
    ),
  );
  for (const listener of ['customer', 'agent', 'supervisor'] as const) {
    heard[listener] = [];
    for (const speaker of ['customer', 'agent', 'supervisor'] as const) {
      const level = levelDb(ears()[listener], HZ[speaker]);
      if (level > NOTHING_DB) {
        heard[listener].push(speaker);
        expect(Math.abs(level - SENT_DB)).toBeLessThan(1.5);
      }
    }
  }
  return heard as Record<Name, Name[]>;
}

const LISTEN: Record<Name, Name[]> = {
  customer: ['agent'],
  agent: ['customer'],
  supervisor: ['customer', 'agent'],
};
const WHISPER: Record<Name, Name[]> = { ...LISTEN, agent: ['customer', 'supervisor'] };
const BARGE: Record<Name, Name[]> = { ...WHISPER, customer: ['agent', 'supervisor'] };

describe('a supervisor', () => {
  test('listens, whispers, barges and listens again, and each time exactly those are heard who should be', async () => {
    await room();
    for (const matrix of [LISTEN, WHISPER, BARGE, WHISPER, LISTEN]) {
      await hear(matrix);
      expect(await measured()).toEqual(matrix);
    }
    expect(bridged.leg.handedTo).not.toBeNull();
    // Nobody was sent a gap: what was mixed, relayed and handed over was numbered without a hole, one per move at most.
    expect(streamQuality(bridged.call.audio.heard).lost).toBeLessThanOrEqual(2);
    expect(streamQuality(supervisor.heard)).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
  }, 30_000);

  test('who listens or whispers is not noticed by the customer: one stream, no packet missing', async () => {
    await room();
    const { call, leg } = bridged;
    const moves = async (): Promise<number> => Number((await leg.stats())['moves']);
    const before = { moves: await moves(), packets: call.audio.heard.length };
    for (const matrix of [LISTEN, WHISPER, LISTEN]) {
      await hear(matrix);
      expect(await measured()).toEqual(matrix);
    }
    const since = call.audio.heard.slice(before.packets);
    expect(new Set(since.map((packet) => packet.ssrc)).size).toBe(1);
    expect(streamQuality(since)).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
    expect(await moves()).toBe(before.moves);
    await hear(BARGE);
    await eventually('the call is held', () => leg.handedTo === null);
    await hear(LISTEN);
    await eventually('the call is handed over', () => leg.handedTo !== null);
  });

  test('hears no click and no jump in the numbering while what they hear is relayed and mixed by turns', async () => {
    await room();
    const hz = 300;
    const amplitude = 8_000;
    bridged.call.audio.sendTone(hz, { amplitude });
    bridged.agent.silence();
    const alone: Record<Name, Name[]> = { ...LISTEN, supervisor: ['customer'] };
    await hear(alone);
    await eventually('the caller is heard', () => levelDb(supervisor.heard, hz) > NOTHING_DB);
    const from = supervisor.heard.length;
    for (let turn = 0; turn < 12; turn += 1) {
      await hear(turn % 2 === 0 ? LISTEN : alone);
      const turned = supervisor.heard.length;
      await eventually('it goes on', () => supervisor.heard.length > turned + 10);
    }
    const packets = supervisor.heard.slice(from);
    expect(streamQuality(packets)).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
    const samples = decode('PCMA', Buffer.concat(packets.map((packet) => packet.payload)));
    const steps = Array.from(samples, (sample, index) => Math.abs(sample - (samples[index - 1] ?? sample)));
    // The steepest step of the tone itself, and what A-law makes of it at that level.
    const steepest = (amplitude * 2 * Math.PI * hz) / 8_000;
    expect(Math.max(...steps)).toBeLessThan(steepest * 1.4);
  });

  test('does not keep keys from being sent, and is heard again after them', async () => {
    await room();
    await hear(BARGE);
    await eventually(
      'the supervisor is heard',
      () => levelDb(bridged.call.audio.heard, SUPERVISOR_HZ) > NOTHING_DB,
    );
    await bench.realtime.command('leg:dtmf', {
      callId: bridged.callId,
      legId: bridged.carrierLegId,
      digits: '42',
    });
    const keys = () => bridged.call.audio.heard.filter((packet) => packet.payloadType === 101);
    await eventually(
      'both keys are sent',
      () => new Set(keys().map((packet) => packet.timestamp)).size === 2,
    );
    expect(new Set(keys().map((packet) => packet.payload[0]))).toEqual(new Set([4, 2]));
    expect(await measured()).toEqual(BARGE);
    expect(streamQuality(bridged.call.audio.heard)).toMatchObject({ duplicates: 0, outOfOrder: 0 });
  });

  test('is told of as a monitor, from its summary to its end', async () => {
    await room();
    const summary = bench.media.calls.summaries().find((leg) => leg.legId === supervisorId);
    expect(summary).toMatchObject({ kind: 'monitor', state: 'CONNECTED' });
    await bench.realtime.command('leg:hangup', { callId: bridged.callId, legId: supervisorId });
    expect(await bench.realtime.fact('leg:ended', supervisorId)).toMatchObject({ kind: 'monitor' });
  });

  test('is never one of a pair, even where the route would make them one', async () => {
    await room();
    await bench.route(bridged.callId, {
      [bridged.carrierLegId]: [{ kind: 'leg', legId: supervisorId }],
      [supervisorId]: [{ kind: 'leg', legId: bridged.carrierLegId }],
    });
    await eventually('the supervisor is heard', () => {
      return levelDb(bridged.call.audio.heard, SUPERVISOR_HZ) > NOTHING_DB;
    });
    expect(bridged.leg.handedTo).toBeNull();
  });
});
