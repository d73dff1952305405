import { tonePower } from '@clarion/test-phone/audio/goertzel';
import { toWidebandSamples } from '@clarion/test-phone/rtp/port';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { inboundCall, outboundCall } from './support/carrier-call.ts';
import { eventually } from './support/fake-realtime.ts';
import { MediaFixture } from './support/media-fixture.ts';

let fixture: MediaFixture;
let phone: SipPhone;

beforeAll(async () => {
  fixture = await MediaFixture.start();
});
afterEach(async () => {
  phone.close();
  await eventually('no leg is left', () => fixture.media.calls.legCount === 0);
});
afterAll(() => fixture.close());

const WIDE = ['G722', 'PCMA', 'PCMU'] as const;

describe('a carrier with G.722', () => {
  test('is heard and hears in an inbound call, and the agent has G.711', async () => {
    phone = await SipPhone.open({ laws: ['PCMA'], g722: true });
    const call = await inboundCall(fixture, phone, fixture.sip, { codecs: [...WIDE] });
    expect(call.call.audio.wideband).toBe(true);
    expect(call.leg.codec).toBe('G722');
    expect(call.agent.law).toBe('PCMU');
    expect(await fixture.realtime.fact('leg:connected', call.legId)).toMatchObject({ codec: 'G722' });
    await call.heardByBoth();
    // The mirror image of the agent's tone, which the doubled sample rate would have without a filter.
    const heard = toWidebandSamples(call.call.audio.heard).subarray(-6_400);
    expect(tonePower(heard, 16_000, 7_000)).toBeLessThan(tonePower(heard, 16_000, 1_000) / 10_000);
    expect(await call.leg.stats()).toMatchObject({ codec: 'G722', handedOverPackets: 0, lostPackets: 0 });
    await call.close();
  });

  test('is heard and hears in an outbound call', async () => {
    phone = await SipPhone.open({ laws: ['PCMA'], g722: true });
    const call = await outboundCall(fixture, phone, { codecs: [...WIDE] });
    expect(call.call.remoteSdp).toContain('a=rtpmap:9 G722/8000');
    expect(call.leg.codec).toBe('G722');
    await call.heardByBoth();
    await call.close();
  });

  test('may ask for packets of 40 ms', async () => {
    phone = await SipPhone.open({ laws: ['PCMA'], g722: true });
    const call = await inboundCall(
      fixture,
      phone,
      fixture.sip,
      { codecs: [...WIDE] },
      { sdp: (one) => one.sdp().replace('a=ptime:20', 'a=ptime:40') },
    );
    expect(call.call.audio.heard.at(-1)?.payload.length).toBe(320);
    await call.close();
  });

  test('may change to G.711 during the call, and back', async () => {
    phone = await SipPhone.open({ laws: ['PCMA'], g722: true });
    const call = await inboundCall(fixture, phone, fixture.sip, { codecs: [...WIDE] });
    const { audio } = call.call;
    for (const wideband of [false, true]) {
      audio.wideband = wideband;
      audio.sendTone(440);
      await call.heardByBoth();
      // What we send stays G.722, the first codec of our answer.
      expect(audio.heard.at(-1)?.payloadType).toBe(9);
    }
    await call.close();
  });

  test('gets G.711 if the trunk prefers it, and the call is handed over', async () => {
    phone = await SipPhone.open({ laws: ['PCMA'], g722: true });
    const call = await inboundCall(fixture, phone, fixture.sip, { codecs: ['PCMA', 'G722'] });
    expect(call.call.audio.wideband).toBe(false);
    await eventually('the leg is handed over', () => call.leg.handedOverTo !== null);
    await call.heardByBoth();
    await call.close();
  });

  test('gets no G.722 from a trunk without a list of codecs', async () => {
    phone = await SipPhone.open({ laws: ['PCMU'], g722: true });
    const call = await inboundCall(fixture, phone, fixture.sip);
    expect(call.leg.codec).toBe('PCMU');
    await call.close();
  });
});
