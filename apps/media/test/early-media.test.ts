/**
 * What an agent hears while the remote phone rings, for every order of its provisional responses, with and without
 * audio.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MediaFixture } from './support/media-fixture.ts';
import { containsTone } from './support/calls.ts';
import { dialled, type Dialled } from './support/dialled.ts';
import { eventually } from './support/fake-realtime.ts';

const RINGBACK_HZ = 425;
const EARLY_HZ = 700;
/** Ringback pauses for 4 s (ITU-T E.180). */
const WITHIN_MS = 6_000;
const COMFORT_NOISE = 13;

let fixture: MediaFixture;
let dial: Dialled;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(() => dial.close());
afterAll(() => fixture.close());

const hearsRingback = () =>
  eventually('ringback is heard', () => containsTone(dial.agent.heard, 'PCMA', RINGBACK_HZ, 200), WITHIN_MS);
const hearsEarlyMedia = () =>
  eventually('early media is heard', () => containsTone(dial.agent.heard, 'PCMA', EARLY_HZ));
const ringingFacts = () =>
  fixture.realtime.facts.filter((one) => one.fact === 'leg:ringing' && one.payload.legId === dial.legId);

describe('an agent hears our ringback', () => {
  test('after a 183 with SDP without audio, and the carrier once audio follows', async () => {
    dial = await dialled(fixture);
    dial.respond(183, dial.call.sdp());
    await fixture.realtime.fact('leg:ringing', dial.legId);
    await hearsRingback();
    dial.call.audio.sendTone(EARLY_HZ);
    await hearsEarlyMedia();
  });

  test('after a 183 with SDP that is followed by comfort noise only', async () => {
    dial = await dialled(fixture);
    dial.respond(183, dial.call.sdp());
    dial.call.audio.sendPacket(Buffer.from([60]), COMFORT_NOISE);
    await hearsRingback();
  });

  test('after a 180, and the carrier once a 183 with audio follows', async () => {
    dial = await dialled(fixture);
    dial.respond(180);
    await hearsRingback();
    dial.respond(183, dial.call.sdp());
    dial.call.audio.sendTone(EARLY_HZ);
    await hearsEarlyMedia();
    expect(ringingFacts()).toHaveLength(1);
  });

  test('again when the audio of a 183 has ended and a 180 follows', async () => {
    dial = await dialled(fixture);
    dial.respond(183, dial.call.sdp());
    dial.call.audio.sendTone(EARLY_HZ);
    await hearsEarlyMedia();
    dial.respond(180);
    dial.call.audio.silence();
    await eventually(
      'ringback is heard',
      () => containsTone(dial.agent.heard, 'PCMA', RINGBACK_HZ, 200),
      12_000,
    );
    expect(ringingFacts()).toHaveLength(1);
  }, 20_000);
});
