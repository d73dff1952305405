import { expect, test } from 'vitest';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { MediaFixture } from './support/media-fixture.ts';
import { bridgedCall } from './support/calls.ts';
import { acceptance, eventually } from './support/fake-realtime.ts';
import { accept, inboundWhatsApp, outboundWhatsApp } from './support/whatsapp-calls.ts';

/** Open sockets and timers of this process by kind. */
function open(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (/UDP|TCP|Pipe|Process/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

test('calls of every kind release their ports, sockets and table entries, and a stopped node releases everything', async () => {
  const before = open();
  const fixture = await MediaFixture.start();
  const started = open();
  for (const localEndpointOnly of [false, true]) {
    const bridged = await bridgedCall(fixture, { localEndpointOnly });
    await fixture.realtime.command('leg:dtmf', {
      callId: bridged.callId,
      legId: bridged.carrierLegId,
      digits: '1',
    });
    await bridged.hold();
    await bridged.close();
  }
  for (const start of [inboundWhatsApp, outboundWhatsApp]) {
    const whatsApp = await accept(fixture, await start(fixture));
    await fixture.realtime.command('leg:dtmf', {
      callId: whatsApp.callId,
      legId: whatsApp.legId,
      digits: '1',
    });
    await whatsApp.close();
  }
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId);
  const phone = await SipPhone.open();
  const cancelled = await phone.call('1', fixture.sip);
  await cancelled.rings();
  await cancelled.hangUp();
  const refused = await phone.call('1', fixture.sip);
  await refused.rings();
  await fixture.realtime.command('call:release', { callId, status: 486 });
  expect(await refused.ended()).toMatchObject({ status: 486 });
  phone.close();
  await eventually(
    'no leg is left',
    () => fixture.media.calls.legCount === 0 && fixture.media.calls.all.length === 0,
  );
  await eventually('every socket is closed', () => JSON.stringify(open()) === JSON.stringify(started));
  const metrics = await (await fetch(`http://127.0.0.1:${fixture.media.port}/metrics`)).text();
  expect(metrics).toContain('clarion_media_rtp_port_pairs 0');
  expect(metrics).toContain('clarion_media_unreported_facts 0');
  expect((await fetch(`http://127.0.0.1:${fixture.media.port}/readyz`)).status).toBe(200);
  await fixture.close();
  await eventually('nothing is open', () => JSON.stringify(open()) === JSON.stringify(before));
}, 20_000);
