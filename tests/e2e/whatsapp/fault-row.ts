/** A call during which Meta's webhooks or its Graph API misbehave, and how it ends. */
import type { GraphFault, NewFault } from '@clarion/meta-simulator';
import type { WhatsAppCall } from '@clarion/testkit/peers/whatsapp-customer';
import type { TestStack } from '@clarion/testkit/stack/stack';
import { expectRow, type Happened, type Row } from '../outcomes/scene.ts';
import { WhatsAppScene } from '../outcomes/whatsapp-scene.ts';

export interface FaultRow {
  how: string;
  webhooks?: NewFault[];
  graph?: GraphFault[];
  ends: Row['ends'];
  run: (scene: WhatsAppScene) => Promise<Happened<WhatsAppCall>>;
}

/** The faults apply to the whole simulator, so that rows cannot run concurrently. */
export async function playFaultRow(t: TestStack, row: FaultRow): Promise<void> {
  const { control } = t.meta.simulator;
  const scene = await WhatsAppScene.open(t);
  for (const fault of row.webhooks ?? []) control.addWebhookFault(fault);
  for (const fault of row.graph ?? []) control.addGraphFault(fault);
  try {
    await expectRow(scene, row, await row.run(scene));
  } finally {
    control.clearWebhookFaults();
    control.clearGraphFaults();
  }
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
