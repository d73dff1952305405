/** Calls whose webhooks arrive late, more than once, in another order, together, or not at all: each is one call with the right outcome. */
import assert from 'node:assert/strict';
import type { NewFault } from '@clarion/meta-simulator';
import type { CallView } from '@clarion/protocol/call';
import type { WhatsAppCall } from '@clarion/testkit/peers/whatsapp-customer';
import type { WhatsAppScene } from '../outcomes/whatsapp-scene.ts';
import { callOut, talkIn, talkOut, type Ends, type FaultRow } from './fault-row.ts';

const BY_CUSTOMER = {
  reason: 'COMPLETED',
  by: 'CUSTOMER',
  wire: ['bye-sent', null],
  answered: true,
} satisfies Ends;
const MISSED = {
  reason: 'CANCELLED',
  by: 'CUSTOMER',
  wire: ['cancelled', null],
  agentRef: null,
} satisfies Ends;
/** Longer than the events that a row waits for take. */
const MAX_HOLD_MS = 10_000;
const APPEARS_WITHIN_MS = 10_000;

async function customerHangsUp({ callId, far }: { callId: number; far: WhatsAppCall }) {
  await far.hangUp();
  return { callId, far };
}

/** The customer hangs up before we have heard of the call. The only agent is idle, and must not be rung. */
async function missed(scene: WhatsAppScene) {
  const ada = await scene.agent('ada');
  const far = await scene.dialIn(await scene.shared(['ada']));
  await far.hangUp();
  const isIt = ({ event }: { event: { event_type: string; data: Record<string, unknown> } }) =>
    event.event_type === 'call.created' && (event.data.call as CallView).tenantRef === scene.tenant;
  const { event } = await scene.t.webhooks.waitFor(isIt, APPEARS_WITHIN_MS);
  const { callId } = event.data.call as CallView;
  await scene.t.webhooks.waitFor(
    ({ event: { event_type, data } }) =>
      event_type === 'call.ended' && (data.call as CallView).callId === callId,
    APPEARS_WITHIN_MS,
  );
  await ada.send('resync', {});
  assert.equal(
    ada.received.some((message) => message.event === 'call:incoming'),
    false,
    'an agent was rung',
  );
  return { callId, far };
}

const inOneRequest = (shape: 'entries' | 'changes' | 'values', size: number): NewFault => ({
  kind: 'batch',
  events: 'all',
  size,
  windowMs: MAX_HOLD_MS,
  shape,
  times: size,
});

const behind = (
  event: 'connect' | 'ringing' | 'accepted',
  other: 'terminate' | 'accepted' | 'connect',
): NewFault => ({ kind: 'reorder', events: [event], behind: other, maxHoldMs: MAX_HOLD_MS, times: 1 });

export const webhookRows: FaultRow[] = [
  {
    how: 'each webhook of an inbound call is repeated, also after the end of the call',
    webhooks: [{ kind: 'duplicate', events: 'all', copies: 2, gapMs: 400, times: null }],
    ends: { ...BY_CUSTOMER, agentRef: 'ada' },
    async run(scene) {
      const call = await customerHangsUp(await talkIn(scene));
      await delivered(scene, call.far, 'terminate', 3);
      return call;
    },
  },
  {
    how: 'each webhook of an outbound call is repeated, also after the end of the call',
    webhooks: [{ kind: 'duplicate', events: 'all', copies: 2, gapMs: 400, times: null }],
    ends: { ...BY_CUSTOMER, agentRef: 'ada' },
    async run(scene) {
      const call = await customerHangsUp(await talkOut(scene));
      await delivered(scene, call.far, 'terminate', 3);
      return call;
    },
  },
  {
    how: 'the connect webhook arrives two seconds late',
    webhooks: [{ kind: 'late', events: ['connect'], delayMs: 2_000, times: 1 }],
    ends: { ...BY_CUSTOMER, agentRef: 'ada' },
    run: async (scene) => customerHangsUp(await talkIn(scene)),
  },
  {
    how: 'terminate arrives before connect',
    webhooks: [behind('connect', 'terminate')],
    ends: MISSED,
    run: missed,
  },
  ...(['entries', 'changes', 'values'] as const).map((shape): FaultRow => ({
    how: `connect and terminate arrive in one request, as ${shape}`,
    webhooks: [inOneRequest(shape, 2)],
    ends: MISSED,
    run: missed,
  })),
  {
    how: 'all webhooks of an outbound call until the answer arrive in one request',
    webhooks: [inOneRequest('values', 3)],
    ends: { ...BY_CUSTOMER, agentRef: 'ada' },
    run: async (scene) => customerHangsUp(await talkOut(scene)),
  },
  {
    how: 'RINGING arrives after ACCEPTED',
    webhooks: [behind('ringing', 'accepted')],
    ends: { ...BY_CUSTOMER, agentRef: 'ada' },
    run: async (scene) => customerHangsUp(await talkOut(scene)),
  },
  {
    how: 'ACCEPTED arrives before the SDP answer',
    webhooks: [behind('connect', 'accepted')],
    ends: { ...BY_CUSTOMER, agentRef: 'ada' },
    run: async (scene) => customerHangsUp(await talkOut(scene)),
  },
  {
    how: 'RINGING and ACCEPTED are lost: the first audio of the customer answers the call',
    webhooks: [{ kind: 'lost', events: ['ringing', 'accepted'], times: 2 }],
    ends: { ...BY_CUSTOMER, agentRef: 'ada' },
    run: async (scene) => customerHangsUp(await talkOut(scene)),
  },
  {
    how: 'the customer declines, and the status is lost',
    webhooks: [{ kind: 'lost', events: ['rejected'], times: 1 }],
    ends: { reason: 'NO_ANSWER', by: 'CUSTOMER', wire: ['cancelled', null], agentRef: 'ada' },
    async run(scene) {
      const { callId, taken } = await callOut(scene, 'ignore');
      const far = await taken;
      await far.rings();
      far.decline();
      return { callId, far };
    },
  },
];

/** Waits until this webhook of the call was delivered this many times. */
async function delivered(
  { t }: WhatsAppScene,
  { id }: WhatsAppCall,
  kind: 'terminate',
  times: number,
): Promise<void> {
  const { journal } = t.meta.simulator.control;
  const count = () =>
    journal.entries.filter(
      (entry) =>
        entry.type === 'delivery' &&
        entry.delivery.kinds.includes(kind) &&
        entry.delivery.subjects.includes(id) &&
        entry.delivery.status === 200,
    ).length;
  await journal.when(() => count() >= times, MAX_HOLD_MS);
}
