/** DTMF in both directions, for each way in which a remote party sends or receives it. */
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pressKeys } from '@clarion/test-phone/rtp/telephone-event';
import type { Heard, RtpPort } from '@clarion/test-phone/rtp/port';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall, ENDPOINTS, containsTone, type Bridged } from './support/calls.ts';
import { dialled, type Dialled } from './support/dialled.ts';
import { eventually } from './support/fake-realtime.ts';

const KEY = 101;

let fixture: MediaFixture;
let open: Bridged | Dialled | null = null;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  await open?.close();
  open = null;
});
afterAll(() => fixture.close());

const reportedDigits = (legId: string): string =>
  fixture.realtime.facts
    .flatMap((one) =>
      one.fact === 'leg:dtmf' && one.payload.legId === legId && 'digit' in one.payload
        ? [one.payload.digit]
        : [],
    )
    .join('');

/** The digits in the telephone events among these packets. */
const eventsOf = (packets: readonly Heard[], payloadType = KEY): number[] => [
  ...new Map(
    packets
      .filter((packet) => packet.payloadType === payloadType)
      .map((packet) => [packet.timestamp, packet.payload[0] ?? -1]),
  ).values(),
];

describe.each(ENDPOINTS)('on a leg that is %s', (_name, localEndpointOnly) => {
  test('a key reported by an event and by INFO is reported once, and twice if it is pressed twice', async () => {
    const bridged = await bridgedCall(fixture, { localEndpointOnly });
    open = bridged;
    const { call, carrierLegId } = bridged;
    await pressKeys(call.audio, '5');
    await call.sendInfo('Signal=5\r\nDuration=100\r\n');
    await pressKeys(call.audio, '5');
    await call.sendInfo('Signal=5\r\nDuration=100\r\n');
    await pressKeys(call.audio, '#');
    await eventually('the last digit is reported', () => reportedDigits(carrierLegId).endsWith('#'));
    expect(reportedDigits(carrierLegId)).toBe('55#');
  });

  test('DTMF with its own SSRC is reported, and the voice continues', async () => {
    const bridged = await bridgedCall(fixture, { localEndpointOnly });
    open = bridged;
    const { call, carrierLegId, agent, leg } = bridged;
    const voice = { ssrc: call.audio.ssrc, changes: Number((await leg.stats())['ssrcChanges']) };
    const keys = dtmfStreamBeside(call.audio);
    for (const digit of '1239') await keys.press(digit);
    await eventually('the digits are reported', () => reportedDigits(carrierLegId) === '1239');
    expect(call.audio.ssrc).toBe(voice.ssrc);
    agent.heard = [];
    await eventually('the voice is still heard', () => containsTone(agent.heard, 'PCMA', 440));
    expect(Number((await leg.stats())['ssrcChanges'])).toBe(voice.changes);
    if (!localEndpointOnly) expect(leg.handedOverTo).not.toBeNull();
  });
});

/** Sends events from the socket of `voice` with another SSRC, while the voice continues. */
function dtmfStreamBeside(voice: RtpPort): { press: (digit: string) => Promise<void> } {
  const ssrc = (voice.ssrc + 1) >>> 0;
  let sequence = 1;
  let timestamp = 1_000_000;
  return {
    press: async (digit) => {
      timestamp += 1_600;
      for (let packet = 0; packet < 8; packet += 1) {
        const own = { ssrc: voice.ssrc, sequence: voice.sequence, timestamp: voice.timestamp };
        voice.ssrc = ssrc;
        voice.sequence = sequence++;
        voice.timestamp = timestamp;
        voice.sendPacket(Buffer.from([Number(digit), packet > 4 ? 0x8a : 0x0a, 0, 160]), KEY);
        voice.ssrc = own.ssrc;
        voice.sequence = own.sequence;
        voice.timestamp = own.timestamp;
        const sent = voice.sent;
        await eventually('the voice has sent its next packet', () => voice.sent > sent);
      }
    },
  };
}

test('a digit that is requested during a hand-over is sent, and the leg is handed over again', async () => {
  const bridged = await bridgedCall(fixture);
  open = bridged;
  const { call, agent, leg } = bridged;
  await bridged.hold();
  await eventually('it is taken back', () => leg.handedOverTo === null);
  const requested = requestDuringHandOver();
  await bridged.bridge();
  await requested;
  await eventually('it is sent', () => eventsOf(call.audio.heard).length > 0);
  await eventually('it is handed over again', () => leg.handedOverTo !== null);
  expect(eventsOf(call.audio.heard)).toEqual([7]);
  await eventually(
    'both hear each other',
    () => containsTone(agent.heard, 'PCMA', 440) && containsTone(call.audio.heard, 'PCMA', 1_000),
  );

  /** In the turn in which the hand-over has begun, and waits for mediasoup. */
  async function requestDuringHandOver(): Promise<void> {
    while (leg.handedOverTo === null) await setImmediate();
    void leg.sendDigits('7', async () => undefined);
  }
});

const withoutEvents = (sdp: string): string =>
  sdp.replace(/^(m=audio .*) 101\r$/m, '$1\r').replace(/^a=(rtpmap|fmtp):101.*\r\n/gm, '');

test('an answer may change the payload type of events: both are received, and ours are sent with the new one', async () => {
  const dial = await dialled(fixture);
  open = dial;
  const { call, legId, agent } = dial;
  dial.respond(180);
  await dial.bridge();
  dial.respond(200, call.sdp().replaceAll('101', '96'));
  await fixture.realtime.fact('leg:connected', legId);
  call.audio.sendTone(440);
  const leg = fixture.media.calls.carrier(dial.callId, legId);
  await eventually('the agent hears', () => containsTone(agent.heard, 'PCMA', 440));
  await eventually('it is handed over', () => leg?.handedOverTo !== null);
  const event = (digit: number, payloadType: number) => {
    call.audio.timestamp += 1_600;
    call.audio.sendPacket(Buffer.from([digit, 0x8a, 0, 160]), payloadType);
  };
  event(1, KEY);
  event(2, 96);
  await eventually('both are reported', () => reportedDigits(legId).length >= 2);
  expect(reportedDigits(legId)).toBe('12');
  await fixture.realtime.command('leg:dtmf', { callId: dial.callId, legId, digits: '7' });
  await eventually('ours is sent', () => eventsOf(call.audio.heard, 96).length > 0);
  expect(eventsOf(call.audio.heard, 96)).toEqual([7]);
});

test('digits are sent by INFO if the remote party does not support telephone events', async () => {
  const dial = await dialled(fixture);
  open = dial;
  const { call, legId } = dial;
  dial.respond(180);
  dial.respond(200, withoutEvents(call.sdp()));
  await fixture.realtime.fact('leg:connected', legId);
  await fixture.realtime.command('leg:dtmf', { callId: dial.callId, legId, digits: '4,a' });
  const infos = () =>
    call.received.flatMap((message) =>
      'method' in message && message.method === 'INFO' ? [message.body] : [],
    );
  await eventually('both digits have arrived', () => infos().length === 2);
  expect(infos()).toEqual(['Signal=4\r\nDuration=100\r\n', 'Signal=A\r\nDuration=100\r\n']);
  expect(eventsOf(call.audio.heard)).toEqual([]);
});

test('a repeated command sends nothing, and one without an ID always does', async () => {
  const dial = await dialled(fixture);
  open = dial;
  const { callId, legId, call } = dial;
  dial.respond(200, call.sdp());
  await fixture.realtime.fact('leg:connected', legId);
  const digits = (sent: string, id?: string) =>
    fixture.realtime.command('leg:dtmf', { callId, legId, digits: sent, ...(id !== undefined && { id }) });
  await digits('5', '1');
  await digits('5', '1');
  await digits('6', '2');
  await digits('5', '1');
  await digits('7');
  await digits('7');
  await digits('8', '3');
  await eventually('the last digit is sent', () => eventsOf(call.audio.heard).includes(8));
  expect(eventsOf(call.audio.heard)).toEqual([5, 6, 7, 7, 8]);
});

describe('digits before the answer', () => {
  test('are sent into early media', async () => {
    const dial = await dialled(fixture);
    open = dial;
    const { call, legId } = dial;
    dial.respond(183, call.sdp());
    await fixture.realtime.fact('leg:ringing', legId);
    await fixture.realtime.command('leg:dtmf', { callId: dial.callId, legId, digits: '12' });
    await eventually('they are sent', () => eventsOf(call.audio.heard).length === 2);
    expect(eventsOf(call.audio.heard)).toEqual([1, 2]);
  });

  test('wait for the answer if there is no early media', async () => {
    const dial = await dialled(fixture);
    open = dial;
    const { call, legId } = dial;
    dial.respond(180);
    await fixture.realtime.fact('leg:ringing', legId);
    await fixture.realtime.command('leg:dtmf', { callId: dial.callId, legId, digits: '34' });
    dial.respond(200, call.sdp());
    await eventually('they are sent', () => eventsOf(call.audio.heard).length === 2);
    expect(eventsOf(call.audio.heard)).toEqual([3, 4]);
  });

  test('from the remote party in early media are reported', async () => {
    const dial = await dialled(fixture);
    open = dial;
    dial.respond(183, dial.call.sdp());
    await fixture.realtime.fact('leg:ringing', dial.legId);
    await pressKeys(dial.call.audio, '8');
    await eventually('the digit is reported', () => reportedDigits(dial.legId) === '8');
  });
});
