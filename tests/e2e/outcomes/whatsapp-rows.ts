/** What can happen to a call only on WhatsApp: the customer's permission, errors of the Graph API, and an end that Meta never reports. */
import assert from 'node:assert/strict';
import type { CallView } from '@clarion/protocol/call';
import type { Happened, Row, Scene } from './scene.ts';

const FAILED = { status: 'FAILED', by: 'PROVIDER', wire: null, agentRef: 'ada', channelRef: 'main' } as const;

/** Starts a call to a new customer, who has allowed calls unless `allowed` is false. */
async function placed(
  scene: Scene,
  { allowed = true, onCall = 'ignore' }: { allowed?: boolean; onCall?: 'ignore' | 'manual' } = {},
) {
  const number = await scene.line('main', {});
  const customer = scene.t.meta.addCustomer({ behaviour: { onCall } });
  if (allowed) customer.allow(number);
  const ada = await scene.agent('ada');
  const taken = customer.nextCall(number);
  taken.catch(() => undefined); // of a call that never reaches the customer
  const { call } = await scene.t.v1.ok<{ call: CallView }>('POST', scene.at('/calls'), {
    channel_ref: 'main',
    agent_ref: 'ada',
    customer: { address: `+${customer.waId}` },
  });
  await ada.start(call.callId);
  return { ada, callId: call.callId, customer, number, taken };
}

export const whatsAppRows: Row[] = [
  {
    how: 'the webhook of the end is lost: the loss of the media path ends the call',
    ends: {
      status: 'FAILED',
      reason: 'NETWORK_ERROR',
      by: 'SYSTEM',
      wire: ['bye-sent', null],
      answered: true,
      agentRef: 'ada',
    },
    async run(scene) {
      const ada = await scene.agent('ada');
      const phoneNumberId = await scene.shared(['ada']);
      const lost = { kind: 'lost', events: ['terminate'], times: 1, phoneNumberId } as const;
      scene.t.meta.simulator.control.addWebhookFault(lost);
      const far = await scene.dialIn(phoneNumberId);
      const { callId } = await ada.incoming();
      await ada.accept(callId);
      await scene.moved(callId, 'ANSWERED');
      await far.hangUp();
      return { callId, far };
    },
  },
  {
    how: 'the customer declines',
    ends: {
      reason: 'REJECTED',
      by: 'CUSTOMER',
      wire: ['cancelled', null],
      agentRef: 'ada',
      channelRef: 'main',
    },
    async run(scene) {
      const { callId, taken } = await placed(scene, { onCall: 'manual' });
      const far = await taken;
      await scene.moved(callId, 'RINGING');
      far.decline();
      return { callId, far };
    },
  },
  {
    how: 'the customer has not allowed calls',
    ends: { ...FAILED, reason: 'PROVIDER_TRIGGER_FAILED', providerCode: 138006, failure: 'whatsapp_refused' },
    async run(scene): Promise<Happened> {
      const { callId } = await placed(scene, { allowed: false });
      return { callId, far: null };
    },
  },
  {
    how: 'the customer cannot be reached on WhatsApp',
    ends: { ...FAILED, reason: 'PROVIDER_TRIGGER_FAILED', providerCode: 138001 },
    async run(scene): Promise<Happened> {
      await scene.line('main', {});
      const ada = await scene.agent('ada');
      const { call } = await scene.t.v1.ok<{ call: CallView }>('POST', scene.at('/calls'), {
        channel_ref: 'main',
        agent_ref: 'ada',
        customer: { address: '+447700999999' },
      });
      await ada.start(call.callId);
      return { callId: call.callId, far: null };
    },
  },
  {
    how: 'the call fails at Meta while it rings',
    ends: { ...FAILED, reason: 'PROVIDER_ERROR', wire: ['unanswered', null] },
    async run(scene) {
      const { callId, taken } = await placed(scene);
      const far = await taken;
      await scene.moved(callId, 'RINGING');
      scene.t.meta.simulator.control.fail(far.id, 138019);
      return { callId, far };
    },
  },
  {
    how: 'the customer is known by a user ID only',
    ends: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], answered: true, agentRef: 'ada' },
    async run(scene) {
      const ada = await scene.agent('ada');
      const customer = scene.t.meta.addCustomer({ hidesNumber: true });
      const far = await customer.call(await scene.shared(['ada']));
      const { callId, customer: shown } = await ada.incoming();
      assert.equal(shown.address, customer.userId);
      await ada.accept(callId);
      await scene.moved(callId, 'ANSWERED');
      await far.hangUp();
      return { callId, far };
    },
  },
];
