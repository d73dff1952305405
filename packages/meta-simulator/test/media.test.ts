import { afterEach, beforeEach, expect, test } from 'vitest';
import { realMedia } from '../src/index.ts';
import { BusinessPeer } from './business-peer.ts';
import { answer as emptyAnswer, CUSTOMER, openScene, type Scene } from './scene.ts';

let scene: Scene;
let business: BusinessPeer;
beforeEach(async () => {
  scene = await openScene({ media: realMedia() });
  scene.control.setAudio(CUSTOMER, { kind: 'tone', hz: 440 });
});
afterEach(async () => {
  business.close();
  await scene.close();
});

const connected = async (id: string): Promise<void> => {
  await expect.poll(() => scene.control.call(id).mediaConnected).toBe(true);
};
/** Both hear the tone of the other, within 10 Hz and 20 dB above the rest. */
async function hearEachOther(id: string): Promise<void> {
  const tone = (hz: number): object => ({
    hz: expect.closeTo(hz, -1) as number,
    overRestDb: expect.toSatisfy((db: number) => db > 20) as number,
  });
  await expect.poll(() => business.ears.heard()).toMatchObject(tone(440));
  await expect.poll(() => scene.control.heard(id)).toMatchObject(tone(700));
}

test('a user-initiated call: ICE and DTLS at pre_accept, audio both ways after accept', async () => {
  business = await BusinessPeer.open();
  const { id } = await scene.control.placeCall(CUSTOMER);
  const { value } = await scene.receiver.call('connect');
  const session = await business.answer(value.calls?.[0]?.session?.sdp ?? '');
  await scene.calls({ action: 'pre_accept', call_id: id, session });
  await connected(id);
  expect(scene.control.call(id).media.packetsSent).toBe(0);
  expect((await scene.calls({ action: 'accept', call_id: id, session })).status).toBe(200);
  business.speak({ kind: 'tone', hz: 700 });
  await hearEachOther(id);
  expect(scene.control.call(id)).toMatchObject({
    violations: [],
    media: { iceUnauthorized: 0, iceRoleConflicts: 0, earlyPackets: 0 },
  });
});

test('a business-initiated call: Meta is the DTLS client, and audio flows after the answer', async () => {
  business = await BusinessPeer.open('0');
  scene.control.decidePermission(CUSTOMER, 'accept');
  const id = await scene.connect({ session: await business.offer() });
  const { value } = await scene.receiver.call('connect');
  business.apply(value.calls?.[0]?.session?.sdp ?? '');
  await connected(id);
  await scene.receiver.status('RINGING');
  expect(scene.control.call(id).media.packetsSent).toBe(0);
  scene.control.answer(id);
  business.speak({ kind: 'tone', hz: 700 });
  await hearEachOther(id);
});

test('digits go both ways as telephone events', async () => {
  business = await BusinessPeer.open();
  const { id } = await scene.control.placeCall(CUSTOMER);
  const { value } = await scene.receiver.call('connect');
  const session = await business.answer(value.calls?.[0]?.session?.sdp ?? '');
  await scene.calls({ action: 'accept', call_id: id, session });
  await connected(id);
  business.speak({ kind: 'silence' });
  await Promise.all([scene.control.sendDigits(id, '12#'), business.speaker.digits('9*0')]);
  await expect.poll(() => business.ears.digits).toBe('12#');
  await expect.poll(() => scene.control.call(id).media.digits).toBe('9*0');
});

test('audio before the accept is reported as a violation', async () => {
  business = await BusinessPeer.open();
  const { id } = await scene.control.placeCall(CUSTOMER);
  const { value } = await scene.receiver.call('connect');
  const session = await business.answer(value.calls?.[0]?.session?.sdp ?? '');
  await scene.calls({ action: 'pre_accept', call_id: id, session });
  await connected(id);
  business.speak({ kind: 'tone', hz: 700 });
  await expect
    .poll(() => scene.control.call(id).violations)
    .toEqual(['sent audio before the call was accepted']);
});

test('a call whose business never sends a check ends with 138023', async () => {
  business = await BusinessPeer.open();
  const { id } = await scene.control.placeCall(CUSTOMER);
  await scene.calls({ action: 'accept', call_id: id, session: emptyAnswer });
  scene.control.advance(21_000);
  expect(scene.control.call(id)).toMatchObject({
    state: 'ended',
    errorCode: 138_023,
    media: { iceChecks: 0, packetsSent: 0 },
  });
});

test('consent: checks that stay unanswered for a while do not end a call whose business goes on', async () => {
  business = await BusinessPeer.open();
  const { id } = await scene.control.placeCall(CUSTOMER);
  const { value } = await scene.receiver.call('connect');
  const session = await business.answer(value.calls?.[0]?.session?.sdp ?? '');
  await scene.calls({ action: 'accept', call_id: id, session });
  await connected(id);
  scene.control.interrupt(id, 'consent', true);
  business.speak({ kind: 'tone', hz: 700 });
  const { iceChecks } = scene.control.call(id).media;
  await hearEachOther(id);
  expect(scene.control.call(id).media.iceChecks).toBe(iceChecks);
  scene.control.interrupt(id, 'consent', false);
  await expect.poll(() => scene.control.call(id).media.iceChecks).toBeGreaterThan(iceChecks);
});

test('the speech of the customer stops on request, and a tone can follow silence', async () => {
  business = await BusinessPeer.open();
  const { id } = await scene.control.placeCall(CUSTOMER);
  const { value } = await scene.receiver.call('connect');
  const session = await business.answer(value.calls?.[0]?.session?.sdp ?? '');
  await scene.calls({ action: 'accept', call_id: id, session });
  await expect.poll(() => business.ears.heard()).toMatchObject({ hz: expect.closeTo(440, -1) as number });
  scene.control.interrupt(id, 'media', true);
  await expect.poll(() => business.ears.heard()).toMatchObject({ hz: null });
  scene.control.interrupt(id, 'media', false);
  scene.control.play(id, { kind: 'tone', hz: 1000 });
  await expect.poll(() => business.ears.heard()).toMatchObject({ hz: expect.closeTo(1000, -1) as number });
});
