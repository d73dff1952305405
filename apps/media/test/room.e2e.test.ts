/** Which parties hear each other in a room of three, measured by the tone that each one sends. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { decode } from '@clarion/test-phone/rtp/g711';
import { tonePower } from '@clarion/test-phone/audio/goertzel';
import { streamQuality, toSamples, type Heard } from '@clarion/test-phone/rtp/port';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall, type Bridged } from './support/calls.ts';
import { eventually } from './support/fake-realtime.ts';

const CUSTOMER_HZ = 440;
const AGENT_HZ = 1_000;
const SUPERVISOR_HZ = 1_700;
/** As sent: amplitude 8000 of 32768. */
const SENT_DB = 20 * Math.log10(8_000 / 32_768) - 3;
/** Below this level against full scale a tone counts as not heard. */
const SILENCE_DB = -50;
const SECOND_PACKETS = 50;

let fixture: MediaFixture;
let bridged: Bridged;
let supervisor: WebRtcLeg;
let supervisorId: string;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  supervisor.close();
  await bridged.close();
});
afterAll(() => fixture.close());

async function room(): Promise<void> {
  bridged = await bridgedCall(fixture);
  supervisorId = `supervisor-${bridged.callId}`;
  supervisor = await fixture.agent(bridged.callId, supervisorId, { as: 'monitor' });
  supervisor.sendTone(SUPERVISOR_HZ);
}

type Name = 'customer' | 'agent' | 'supervisor';

/** Sets a route: each party hears these. */
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
  await fixture.route(bridged.callId, route);
}

const received = (): Record<Name, Heard[]> => ({
  customer: bridged.call.audio.heard,
  agent: bridged.agent.heard,
  supervisor: supervisor.heard,
});

/** The median of the tenths of the last second: an adapting jitter buffer shifts the tone in one of them. */
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

/** Waits until every party has heard one more second, and then measures which parties they hear. */
async function measured(): Promise<Record<Name, Name[]>> {
  const from = Object.values(received()).map((packets) => packets.length);
  const heard: Partial<Record<Name, Name[]>> = {};
  await eventually('a second is heard', () =>
    Object.values(received()).every(
      (packets, index) => packets.length >= (from[index] ?? 0) + SECOND_PACKETS + 10,
    ),
  );
  for (const listener of ['customer', 'agent', 'supervisor'] as const) {
    heard[listener] = [];
    for (const speaker of ['customer', 'agent', 'supervisor'] as const) {
      const level = levelDb(received()[listener], HZ[speaker]);
      if (level > SILENCE_DB) {
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
  test('listens, whispers, barges and listens again, and every party hears exactly the right ones each time', async () => {
    await room();
    for (const matrix of [LISTEN, WHISPER, BARGE, WHISPER, LISTEN]) {
      await hear(matrix);
      expect(await measured()).toEqual(matrix);
    }
    expect(bridged.leg.handedOverTo).not.toBeNull();
    // What was mixed, relayed and handed over was numbered without gaps, except for one per hand-over at most.
    expect(streamQuality(bridged.call.audio.heard).lost).toBeLessThanOrEqual(2);
    expect(streamQuality(supervisor.heard)).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
  }, 30_000);

  test('who listens or whispers is not noticed by the customer: one stream without a missing packet', async () => {
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
    await eventually('the call is on the local endpoint', () => leg.handedOverTo === null);
    await hear(LISTEN);
    await eventually('the call is handed over', () => leg.handedOverTo !== null);
  });

  test('hears no click and no jump in numbering when a voice alternates between relayed and mixed', async () => {
    await room();
    const hz = 300;
    const amplitude = 8_000;
    bridged.call.audio.sendTone(hz, { amplitude });
    bridged.agent.silence();
    const alone: Record<Name, Name[]> = { ...LISTEN, supervisor: ['customer'] };
    await hear(alone);
    await eventually('the caller is heard', () => levelDb(supervisor.heard, hz) > SILENCE_DB);
    const from = supervisor.heard.length;
    for (let turn = 0; turn < 12; turn += 1) {
      await hear(turn % 2 === 0 ? LISTEN : alone);
      const turned = supervisor.heard.length;
      await eventually('it continues', () => supervisor.heard.length > turned + 10);
    }
    const packets = supervisor.heard.slice(from);
    expect(streamQuality(packets)).toMatchObject({ lost: 0, duplicates: 0, outOfOrder: 0 });
    const samples = decode('PCMA', Buffer.concat(packets.map((packet) => packet.payload)));
    const steps = Array.from(samples, (sample, index) => Math.abs(sample - (samples[index - 1] ?? sample)));
    // The steepest step of the tone itself, with the distortion of A-law at that level.
    const steepest = (amplitude * 2 * Math.PI * hz) / 8_000;
    expect(Math.max(...steps)).toBeLessThan(steepest * 1.4);
  });

  test('does not prevent DTMF from being sent, and is heard again afterwards', async () => {
    await room();
    await hear(BARGE);
    await eventually(
      'the supervisor is heard',
      () => levelDb(bridged.call.audio.heard, SUPERVISOR_HZ) > SILENCE_DB,
    );
    await fixture.realtime.command('leg:dtmf', {
      callId: bridged.callId,
      legId: bridged.carrierLegId,
      digits: '42',
    });
    const keys = () => bridged.call.audio.heard.filter((packet) => packet.payloadType === 101);
    await eventually(
      'both digits are sent',
      () => new Set(keys().map((packet) => packet.timestamp)).size === 2,
    );
    expect(new Set(keys().map((packet) => packet.payload[0]))).toEqual(new Set([4, 2]));
    expect(await measured()).toEqual(BARGE);
    expect(streamQuality(bridged.call.audio.heard)).toMatchObject({ duplicates: 0, outOfOrder: 0 });
  });

  test('is reported as a monitor from its summary to its end', async () => {
    await room();
    const summary = fixture.media.calls.summaries().find((leg) => leg.legId === supervisorId);
    expect(summary).toMatchObject({ kind: 'monitor', state: 'CONNECTED' });
    await fixture.realtime.command('leg:hangup', { callId: bridged.callId, legId: supervisorId });
    expect(await fixture.realtime.fact('leg:ended', supervisorId)).toMatchObject({ kind: 'monitor' });
  });

  test('is never part of a direct pair, even if the route would allow it', async () => {
    await room();
    await fixture.route(bridged.callId, {
      [bridged.carrierLegId]: [{ kind: 'leg', legId: supervisorId }],
      [supervisorId]: [{ kind: 'leg', legId: bridged.carrierLegId }],
    });
    await eventually('the supervisor is heard', () => {
      return levelDb(bridged.call.audio.heard, SUPERVISOR_HZ) > SILENCE_DB;
    });
    expect(bridged.leg.handedOverTo).toBeNull();
  });
});
