/** A call during which Meta's webhooks or its Graph API misbehave, and how it ends. */
import assert from 'node:assert/strict';
import type { GraphFault, NewFault } from '@clarion/meta-simulator';
import type { WhatsAppCall } from '@clarion/testkit/peers/whatsapp-customer';
import type { TestStack } from '@clarion/testkit/stack/stack';
import { expectRow, type Happened, type Row } from '../outcomes/scene.ts';
import { WhatsAppScene } from '../outcomes/whatsapp-scene.ts';

/** Of a call that has ended here. */
const ENDED_AT_META_WITHIN_MS = 10_000;

export type Ends = Row['ends'];

export interface FaultRow {
  how: string;
  webhooks?: NewFault[];
  graph?: GraphFault[];
  ends: Ends;
  run: (scene: WhatsAppScene) => Promise<Happened<WhatsAppCall>>;
}

/** The faults apply to the numbers of the row only, so that other rows may run beside it. */
export async function playFaultRow(t: TestStack, row: FaultRow): Promise<void> {
  const { control } = t.meta.simulator;
  const scene = await WhatsAppScene.open(t);
  scene.onNumber = (phoneNumberId) => {
    for (const fault of row.webhooks ?? []) control.addWebhookFault({ ...fault, phoneNumberId });
    for (const fault of row.graph ?? []) control.addGraphFault({ ...fault, phoneNumberId });
  };
  await expectRow(scene, row, await row.run(scene));
  await expectNothingLeft(scene);
}

/** The tenant has had one call, and none of its calls goes on at Meta. */
async function expectNothingLeft(scene: WhatsAppScene): Promise<void> {
  const { calls } = await scene.t.v1.ok<{ calls: object[] }>('GET', scene.at('/calls'));
  assert.equal(calls.length, 1, 'calls of the tenant');
  const { control } = scene.t.meta.simulator;
  const left = () =>
    control
      .calls()
      .filter(({ phoneNumberId, state }) => scene.numbers.includes(phoneNumberId) && state !== 'ended');
  if (left().length > 0) await control.journal.when(() => left().length === 0, ENDED_AT_META_WITHIN_MS);
}

/** The customer calls, and `ada` accepts. */
export async function talkIn(scene: WhatsAppScene) {
  const ada = await scene.agent('ada');
  const far = await scene.dialIn(await scene.shared(['ada']));
  const { callId } = await ada.incoming();
  await ada.accept(callId);
  await scene.moved(callId, 'ANSWERED');
  return { ada, callId, far };
}

/** `ada` calls the customer. */
export async function callOut(scene: WhatsAppScene, behaviour: 'answer' | 'ignore' = 'answer') {
  const ada = await scene.agent('ada', { shift: 'OFFLINE' });
  const { callId, taken } = await scene.intend(behaviour === 'answer' ? { do: 'answer' } : { do: 'ring' });
  await ada.start(callId);
  return { ada, callId, taken };
}

export async function talkOut(scene: WhatsAppScene) {
  const { ada, callId, taken } = await callOut(scene);
  const far = await taken;
  await scene.moved(callId, 'ANSWERED');
  return { ada, callId, far };
}
