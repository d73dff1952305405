import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JournalEntry, PageStep } from '../src/index.ts';
import { BusinessPeer } from './business-peer.ts';
import { CUSTOMER, openScene, type Scene } from './scene.ts';

let scene: Scene;
let business: BusinessPeer;
/** A full WebRTC agent like the business's; what matters is that it is behind the relay. */
let page: BusinessPeer;
beforeEach(async () => {
  scene = await openScene();
  scene.control.changeCustomer(CUSTOMER, { speaksInPage: true });
  business = await BusinessPeer.open();
  page = await BusinessPeer.open('0');
});
afterEach(async () => {
  page.close();
  business.close();
  await scene.close();
});

type MediaEntry = Extract<JournalEntry, { type: 'media' }>;
const step = (name: PageStep): Promise<MediaEntry> =>
  scene.control.journal.when(
    (entry): entry is MediaEntry => entry.type === 'media' && entry.step === name,
    10_000,
  );

async function hearEachOther(): Promise<void> {
  business.speak({ kind: 'tone', hz: 700 });
  await expect.poll(() => page.ears.heard()).toMatchObject({ hz: expect.closeTo(700, -1) as number });
  await expect.poll(() => business.ears.heard()).toMatchObject({ hz: expect.closeTo(440, -1) as number });
}

test('a page plays the customer who calls; its microphone is not heard before the accept', async () => {
  const placed = scene.control.placeCall(CUSTOMER);
  const { callId } = await step('make-offer');
  scene.control.fromPage(callId, (await page.offer()).sdp);
  expect((await placed).id).toBe(callId);
  const { value } = await scene.receiver.call('connect');
  const session = await business.answer(value.calls?.[0]?.session?.sdp ?? '');
  await scene.calls({ action: 'pre_accept', call_id: callId, session });
  page.apply((await step('apply-answer')).sdp ?? '');
  page.speak({ kind: 'tone', hz: 440 });
  await expect.poll(() => scene.control.call(callId).mediaConnected).toBe(true);
  expect(scene.control.call(callId).media.packetsSent).toBe(0);
  await scene.calls({ action: 'accept', call_id: callId, session });
  await hearEachOther();
});

test('a page plays the customer who is called', async () => {
  scene.control.decidePermission(CUSTOMER, 'accept');
  page.close();
  page = await BusinessPeer.open();
  const id = await scene.connect({ session: await business.offer() });
  const { sdp } = await step('answer-offer');
  scene.control.fromPage(id, (await page.answer(sdp ?? '')).sdp);
  business.apply((await scene.receiver.call('connect')).value.calls?.[0]?.session?.sdp ?? '');
  await scene.receiver.status('RINGING');
  scene.control.answer(id);
  page.speak({ kind: 'tone', hz: 440 });
  await hearEachOther();
});

test('a call whose page is gone ends with 138019', async () => {
  scene.control.decidePermission(CUSTOMER, 'accept');
  const id = await scene.connect({ session: await business.offer() });
  await step('answer-offer');
  scene.control.fromPage(id, 'no SDP');
  const { value } = await scene.receiver.call('terminate');
  expect(value.errors?.[0]?.code).toBe(138_019);
  expect(scene.receiver.order).toEqual(['permission', 'terminate']);
});
