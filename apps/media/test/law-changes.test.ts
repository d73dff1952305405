/**
 * A far end that takes up the other law that was agreed. mediasoup begins a stream at a packet of a producer's first codec only,
 * so the law that is heard first after a hand-over need not be the one that was heard last before it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { offerlessReinvite, reinvite } from '@clarion/test-phone/carrier/dialog';
import { hears as hearsTone } from '@clarion/test-phone/carrier/hearing';
import { pressKeys } from '@clarion/test-phone/rtp/telephone-event';
import { Bench } from './bench.ts';
import { bridgedCall, type Bridged } from './calls.ts';
import { eventually } from './fake-realtime.ts';

const WITHIN_MS = 1_000;
const COMFORT_NOISE = 13;

let bench: Bench;
const open: Bridged[] = [];

beforeAll(async () => {
  bench = await Bench.start();
});
afterEach(async () => {
  for (const call of open.splice(0)) await call.close();
});
afterAll(() => bench.close());

async function bridge(): Promise<Bridged> {
  const call = await bridgedCall(bench, { laws: ['PCMA', 'PCMU'] });
  open.push(call);
  return call;
}

/** Both are heard, from now on. */
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

const handedOver = ({ leg }: Bridged) => eventually('it is handed over', () => leg.handedTo !== null);

/** On hold and back, without a packet of the far end until the leg is handed over again. */
async function resumeInSilence(call: Bridged): Promise<void> {
  expect((await reinvite(call.call, { direction: 'inactive' })).status).toBe(200);
  call.call.audio.silence();
  await eventually('it is held', () => call.leg.handedTo === null);
  expect((await reinvite(call.call)).status).toBe(200);
  await handedOver(call);
}

describe.each([
  ['under the same SSRC', false],
  ['under a new SSRC', true],
])('a far end that goes over to the other law %s', (_how, newSsrc) => {
  function goOver({ call }: Bridged, law: 'PCMA' | 'PCMU', hz: number): void {
    if (newSsrc) call.audio.changeSsrc();
    call.audio.law = law;
    call.audio.sendTone(hz);
  }

  test('is heard when its first packet after a hand-over is the first of that law', async () => {
    const call = await bridge();
    await resumeInSilence(call);
    goOver(call, 'PCMU', 700);
    await expectBoth(call, 700);
    await handedOver(call);
    await expectBoth(call, 700);
  });

  test('is heard when that happens while the leg is being handed over', async () => {
    const call = await bridge();
    for (const [law, hz] of [
      ['PCMU', 500],
      ['PCMA', 600],
      ['PCMU', 700],
      ['PCMA', 800],
    ] as const) {
      expect((await reinvite(call.call, { direction: 'sendonly' })).status).toBe(200);
      await eventually('it is held', () => call.leg.handedTo === null);
      const resumed = reinvite(call.call);
      goOver(call, law, hz);
      await resumed;
      call.call.audio.law = law;
      await expectBoth(call, hz);
    }
  });

  test('is heard when that happens in the middle of a handed-over stretch', async () => {
    const call = await bridge();
    for (const [law, hz] of [
      ['PCMU', 500],
      ['PCMA', 600],
    ] as const) {
      goOver(call, law, hz);
      await expectBoth(call, hz);
    }
    expect(call.leg.handedTo).not.toBeNull();
  });
});

test('our offer in a re-INVITE without one names the law in use first, and the far end is heard after it', async () => {
  const call = await bridge();
  expect((await reinvite(call.call, { direction: 'sendonly' })).status).toBe(200);
  await eventually('it is held', () => call.leg.handedTo === null);
  expect((await offerlessReinvite(call.call)).body).toMatch(/^m=audio \d+ RTP\/AVP 8 0 /m);
  expect(call.call.audio.law).toBe('PCMA');
  await expectBoth(call, 440);
});

test('a far end that changes its law again while its new SSRC is looked for is heard', async () => {
  const call = await bridge();
  const { audio } = call.call;
  audio.changeSsrc();
  audio.sendTone(700);
  await packets(call, 5);
  audio.law = 'PCMU';
  await expectBoth(call, 700);
});

test('a far end that first sends comfort noise after a hand-over stays held until it speaks, and is heard', async () => {
  const call = await bridge();
  await resumeInSilence(call);
  const { audio } = call.call;
  const moves = async () => Number((await call.leg.stats())['moves']);
  const before = await moves();
  for (let packet = 0; packet < 5; packet += 1) audio.sendPacket(Buffer.of(40), COMFORT_NOISE);
  await eventually('it is held', () => call.leg.handedTo === null);
  expect(await moves()).toBe(before + 1);
  audio.sendTone(700);
  await expectBoth(call, 700);
  await handedOver(call);
  expect(await moves()).toBe(before + 2);
});

test('a far end whose new SSRC begins with a key is heard', async () => {
  const call = await bridge();
  const { audio } = call.call;
  audio.silence();
  audio.changeSsrc();
  await pressKeys(audio, '5');
  await bench.realtime.fact('leg:dtmf', call.carrierLegId);
  audio.sendTone(700);
  await expectBoth(call, 700);
});

test('calls whose far ends all change their SSRC at once are heard, each by its own agent', async () => {
  const calls = [];
  for (let count = 0; count < 4; count += 1) calls.push(await bridge());
  calls.forEach(({ call }, index) => {
    call.audio.changeSsrc();
    call.audio.sendTone(500 + 100 * index);
  });
  await Promise.all(calls.map((call, index) => expectBoth(call, 500 + 100 * index)));
  await Promise.all(calls.map(handedOver));
});

test('a far end that changes its SSRC is heard, though another call’s first packets are of another law', async () => {
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
