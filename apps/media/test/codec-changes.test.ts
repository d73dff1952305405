/**
 * A remote party that switches to the other negotiated codec. mediasoup starts a stream only at a packet of the
 * producer's first codec, so the codec after a hand-over may differ from the last one before it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { offerlessReinvite, reinvite } from '@clarion/test-phone/carrier/dialog';
import { hears as hearsTone } from '@clarion/test-phone/carrier/hearing';
import { pressKeys } from '@clarion/test-phone/rtp/telephone-event';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall, type Bridged } from './support/calls.ts';
import { eventually } from './support/fake-realtime.ts';

const WITHIN_MS = 1_000;
const COMFORT_NOISE = 13;

let fixture: MediaFixture;
const open: Bridged[] = [];

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  for (const call of open.splice(0)) await call.close();
});
afterAll(() => fixture.close());

async function bridge(): Promise<Bridged> {
  const call = await bridgedCall(fixture, { laws: ['PCMA', 'PCMU'] });
  open.push(call);
  return call;
}

/** Both parties are heard from now on. */
async function expectBoth({ agent, call }: Bridged, hz: number): Promise<void> {
  await Promise.all([
    hearsTone(agent, hz, { who: 'the agent', withinMs: WITHIN_MS }),
    hearsTone(call.audio, 1_000, { who: 'the carrier', withinMs: WITHIN_MS }),
  ]);
}

async function packets({ call }: Bridged, count: number): Promise<void> {
  const until = call.audio.sent + count;
  await eventually(`${count} packets are sent`, () => call.audio.sent >= until);
}

const handedOver = ({ leg }: Bridged) => eventually('it is handed over', () => leg.handedOverTo !== null);

/** Puts the call on hold and resumes it, without a packet of the remote party until the leg is handed over again. */
async function resumeInSilence(call: Bridged): Promise<void> {
  expect((await reinvite(call.call, { direction: 'inactive' })).status).toBe(200);
  call.call.audio.silence();
  await eventually('it is on the local endpoint', () => call.leg.handedOverTo === null);
  expect((await reinvite(call.call)).status).toBe(200);
  await handedOver(call);
}

describe.each([
  ['with the same SSRC', false],
  ['with a new SSRC', true],
])('a remote party that switches codecs %s', (_how, newSsrc) => {
  function switchCodec({ call }: Bridged, law: 'PCMA' | 'PCMU', hz: number): void {
    if (newSsrc) call.audio.changeSsrc();
    call.audio.law = law;
    call.audio.sendTone(hz);
  }

  test('is heard if its first packet after a hand-over has the other codec', async () => {
    const call = await bridge();
    await resumeInSilence(call);
    switchCodec(call, 'PCMU', 700);
    await expectBoth(call, 700);
    await handedOver(call);
    await expectBoth(call, 700);
  });

  test('is heard if it switches during a hand-over', async () => {
    const call = await bridge();
    for (const [law, hz] of [
      ['PCMU', 500],
      ['PCMA', 600],
      ['PCMU', 700],
      ['PCMA', 800],
    ] as const) {
      expect((await reinvite(call.call, { direction: 'sendonly' })).status).toBe(200);
      await eventually('it is on the local endpoint', () => call.leg.handedOverTo === null);
      const resumed = reinvite(call.call);
      switchCodec(call, law, hz);
      await resumed;
      call.call.audio.law = law;
      await expectBoth(call, hz);
    }
  });

  test('is heard if it switches while the leg is handed over', async () => {
    const call = await bridge();
    for (const [law, hz] of [
      ['PCMU', 500],
      ['PCMA', 600],
    ] as const) {
      switchCodec(call, law, hz);
      await expectBoth(call, hz);
    }
    expect(call.leg.handedOverTo).not.toBeNull();
  });
});

test('our offer in a re-INVITE without one names the current codec first, and the remote party is heard afterwards', async () => {
  const call = await bridge();
  expect((await reinvite(call.call, { direction: 'sendonly' })).status).toBe(200);
  await eventually('it is on the local endpoint', () => call.leg.handedOverTo === null);
  expect((await offerlessReinvite(call.call)).body).toMatch(/^m=audio \d+ RTP\/AVP 8 0 /m);
  expect(call.call.audio.law).toBe('PCMA');
  await expectBoth(call, 440);
});

test('a remote party that switches codecs again during the search for its new SSRC is heard', async () => {
  const call = await bridge();
  const { audio } = call.call;
  audio.changeSsrc();
  audio.sendTone(700);
  await packets(call, 5);
  audio.law = 'PCMU';
  await expectBoth(call, 700);
});

test('a leg whose remote party first sends comfort noise after a hand-over stays local until there is voice', async () => {
  const call = await bridge();
  await resumeInSilence(call);
  const { audio } = call.call;
  const moves = async () => Number((await call.leg.stats())['moves']);
  const before = await moves();
  for (let packet = 0; packet < 5; packet += 1) audio.sendPacket(Buffer.of(40), COMFORT_NOISE);
  await eventually('it is on the local endpoint', () => call.leg.handedOverTo === null);
  expect(await moves()).toBe(before + 1);
  audio.sendTone(700);
  await expectBoth(call, 700);
  await handedOver(call);
  expect(await moves()).toBe(before + 2);
});

test('a remote party whose new SSRC starts with DTMF is heard', async () => {
  const call = await bridge();
  const { audio } = call.call;
  audio.silence();
  audio.changeSsrc();
  await pressKeys(audio, '5');
  await fixture.realtime.fact('leg:dtmf', call.carrierLegId);
  audio.sendTone(700);
  await expectBoth(call, 700);
});

test('remote parties that all change their SSRC at the same time are each heard by their own agent', async () => {
  const calls = [];
  for (let count = 0; count < 4; count += 1) calls.push(await bridge());
  calls.forEach(({ call }, index) => {
    call.audio.changeSsrc();
    call.audio.sendTone(500 + 100 * index);
  });
  await Promise.all(calls.map((call, index) => expectBoth(call, 500 + 100 * index)));
  await Promise.all(calls.map(handedOver));
});

test('a remote party that changes its SSRC is heard although the first packets of another call have another codec', async () => {
  const other = await bridge();
  const call = await bridge();
  await resumeInSilence(other);
  other.call.audio.law = 'PCMU';
  other.call.audio.sendTone(500);
  await packets(other, 2);
  call.call.audio.changeSsrc();
  call.call.audio.sendTone(700);
  await Promise.all([expectBoth(other, 500), expectBoth(call, 700)]);
});
