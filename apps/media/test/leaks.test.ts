import { expect, test } from 'vitest';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { Bench } from './bench.ts';
import { bridgedCall } from './calls.ts';
import { eventually } from './fake-realtime.ts';

/** Open sockets and timers of this process by kind. */
function open(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (/UDP|TCP|Pipe|Process/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

test('calls of every kind leave no port, socket or entry behind, and a stopped node leaves nothing at all', async () => {
  const before = open();
  const bench = await Bench.start();
  const started = open();
  for (const ownEndpoint of [false, true]) {
    const bridged = await bridgedCall(bench, { ownEndpoint });
    await bench.realtime.command('leg:dtmf', {
      callId: bridged.callId,
      legId: bridged.carrierLegId,
      digits: '1',
    });
    await bridged.hold();
    await bridged.close();
  }
  const callId = bench.callId();
  bench.realtime.answer = () => ({ action: 'accept', callId, sourceCidrs: [], ownEndpoint: false });
  const phone = await SipPhone.open();
  const cancelled = await phone.call('1', bench.sip);
  await cancelled.rings();
  await cancelled.hangUp();
  const refused = await phone.call('1', bench.sip);
  await refused.rings();
  await bench.realtime.command('call:release', { callId, status: 486 });
  expect(await refused.ended()).toMatchObject({ status: 486 });
  phone.close();
  await eventually(
    'no leg is left',
    () => bench.media.calls.legCount === 0 && bench.media.calls.all.length === 0,
  );
  await eventually('every socket is closed', () => JSON.stringify(open()) === JSON.stringify(started));
  const metrics = await (await fetch(`http://127.0.0.1:${bench.media.port}/metrics`)).text();
  expect(metrics).toContain('clarion_media_rtp_port_pairs 0');
  expect(metrics).toContain('clarion_media_unreported_facts 0');
  expect((await fetch(`http://127.0.0.1:${bench.media.port}/readyz`)).status).toBe(200);
  await bench.close();
  await eventually('nothing is open', () => JSON.stringify(open()) === JSON.stringify(before));
}, 20_000);
