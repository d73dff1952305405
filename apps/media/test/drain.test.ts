/** A node that is about to stop waits for the calls that it has, and takes no others. tests/e2e/nodes.e2e.test.ts drains one of two nodes. */
import { afterEach, expect, test } from 'vitest';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { MediaFixture } from './support/media-fixture.ts';
import { acceptance } from './support/fake-realtime.ts';

/** Longer than a test. */
const LONG_MS = 60_000;

let fixture: MediaFixture;
let phone: SipPhone;

afterEach(async () => {
  phone.close();
  await fixture.close();
});

/** A caller whose call rings on the node. */
async function ringingCall() {
  fixture = await MediaFixture.start();
  phone = await SipPhone.open();
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId);
  const call = await phone.call('4930123', fixture.sip);
  await call.rings();
  return { call, callId, legId: fixture.realtime.invites.at(-1)?.legId ?? '' };
}

const readiness = async () => {
  const response = await fetch(`http://127.0.0.1:${fixture.media.port}/readyz`);
  return { code: response.status, ...((await response.json()) as { status: string }) };
};

test('a draining node gets no new INVITE, is not ready, and has drained when the call that rang before has been answered and has ended', async () => {
  const { call, callId, legId } = await ringingCall();
  expect(await readiness()).toMatchObject({ code: 200, status: 'ok' });
  const drained = fixture.media.drain(LONG_MS);
  await fixture.realtime.draining();
  expect(await readiness()).toMatchObject({ code: 503, status: 'draining' });

  const { length } = fixture.realtime.invites;
  // Rejected by the SIP server, because no other node is connected to it.
  const rejected = await phone.call('4930124', fixture.sip);
  expect(await rejected.ended()).toMatchObject({ how: 'refused', status: 503 });
  expect(fixture.realtime.invites).toHaveLength(length);

  await fixture.realtime.command('carrier:answer', { callId, legId });
  await call.answered();
  await call.hangUp();
  expect(await drained).toBe(true);
});

test('a realtime node that connects meanwhile is told that the node drains', async () => {
  const { call } = await ringingCall();
  void fixture.media.drain(LONG_MS);
  await fixture.realtime.draining();
  const { length } = fixture.realtime.loads;
  fixture.realtime.dropConnection();
  await expect.poll(() => fixture.realtime.loads.slice(length)[0]).toMatchObject({ draining: true });
  await call.hangUp();
});

test.for(['before', 'after'] as const)(
  'a node that begins to drain %s it loses the SIP server gets no INVITE from the one that returns',
  async (when) => {
    fixture = await MediaFixture.start();
    phone = await SipPhone.open();
    const { controlPort } = fixture.gateway;
    if (when === 'before') void fixture.media.drain(LONG_MS);
    await fixture.loseGateway();
    await expect.poll(readiness).toMatchObject({ dependencies: { sip: false } });
    if (when === 'after') void fixture.media.drain(LONG_MS);
    await fixture.restartGateway(controlPort);
    await expect.poll(readiness).toMatchObject({ status: 'draining', dependencies: { sip: true } });
    const call = await phone.call('4930123', fixture.sip);
    expect(await call.ended()).toMatchObject({ how: 'refused', status: 503 });
    expect(fixture.realtime.invites).toEqual([]);
  },
);

test('a call that is longer than the limit is ended when the node stops', async () => {
  const { call } = await ringingCall();
  expect(await fixture.media.drain(1)).toBe(false);
  expect(call.state).toBe('ringing');
  await fixture.media.close();
  expect(await call.ended()).toMatchObject({ how: 'refused', status: 503 });
});
