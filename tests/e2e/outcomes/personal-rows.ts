/** Inbound calls to personal lines, and to lines without a route. */
import assert from 'node:assert/strict';
import type { Happened, Row, Scene } from './scene.ts';

/** Every outcome of a personal line includes the owner and the line (docs/requirements.md#call-outcomes). */
const OWN = { agentRef: 'ada', channelRef: 'own' } as const;

async function ringing(scene: Scene, shift: 'AVAILABLE' | 'OFFLINE' = 'AVAILABLE') {
  const ada = await scene.agent('ada', { shift });
  const far = await scene.dialIn(await scene.personal('ada'));
  const { callId, assignmentType } = await ada.incoming();
  assert.equal(assignmentType, 'DIRECT');
  return { ada, callId, far };
}

/** A call that is rejected immediately, without ringing. */
async function refusedAtOnce(scene: Scene, number: string): Promise<Happened> {
  const far = await scene.dialIn(number);
  await far.ended(2000);
  assert.ok(!far.log.includes(180));
  return { callId: await scene.newestId(), far };
}

export const personalRows: Row[] = [
  {
    how: 'it rings the owner on every device, even while OFFLINE, and one of them answers',
    ends: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], answered: true, ...OWN },
    async run(scene) {
      const desk = await scene.agent('ada', { shift: 'OFFLINE' });
      const mobile = await scene.agent('ada', { shift: 'OFFLINE', deviceId: 'mobile' });
      const far = await scene.dialIn(await scene.personal('ada'));
      const { callId } = await desk.incoming();
      await mobile.incoming();
      await mobile.accept(callId);
      await far.answered();
      const { payload } = await desk.waitFor(({ event }) => event === 'call:withdrawn');
      assert.equal(payload.reason, 'ANSWERED_ELSEWHERE');
      await far.hangUp();
      return { callId, far };
    },
  },
  {
    how: 'answered, then the owner hangs up',
    ends: { reason: 'COMPLETED', by: 'AGENT', wire: ['bye-received', null], answered: true, ...OWN },
    async run(scene) {
      const { ada, callId, far } = await ringing(scene, 'OFFLINE');
      await ada.accept(callId);
      await far.answered();
      await ada.hangUp(callId);
      return { callId, far };
    },
  },
  {
    how: 'the owner is on a call',
    ends: { reason: 'BUSY', by: 'SYSTEM', wire: ['refused', 486], ...OWN },
    async run(scene) {
      const { ada, callId } = await ringing(scene);
      await ada.accept(callId);
      await ada.waitFor(({ event, payload }) => event === 'call:updated' && payload.call?.state === 'active');
      return refusedAtOnce(scene, await scene.personal('ada'));
    },
  },
  {
    how: 'the owner has no connected device and no push token',
    ends: { reason: 'NO_ANSWER', by: 'SYSTEM', wire: ['refused', 480], ...OWN },
    async run(scene) {
      await scene.put('/agents/ada', { name: 'ada' });
      return refusedAtOnce(scene, await scene.personal('ada'));
    },
  },
  {
    how: 'the owner has a push token but no connected device',
    ends: { reason: 'NO_ANSWER', by: 'SYSTEM', wire: ['refused', 480], ...OWN },
    async run(scene) {
      const { t, tenant } = scene;
      await scene.put('/agents/ada', { name: 'ada' });
      const { id: agentId } = await t.db.agent.findFirstOrThrow({
        where: { ref: 'ada', tenant: { ref: tenant } },
      });
      const token = {
        deviceId: 'mobile',
        platform: 'ANDROID',
        provider: 'FCM',
        tokenSealed: 'sealed',
        tokenHash: tenant,
      };
      await t.db.pushToken.create({ data: { agentId, ...token } });
      return refusedAtOnce(scene, await scene.personal('ada'));
    },
  },
  {
    how: 'the owner has do not disturb on',
    ends: { reason: 'NO_ANSWER', by: 'SYSTEM', wire: ['refused', 480], ...OWN },
    async run(scene) {
      await scene.agent('ada');
      await scene.put('/agents/ada/do-not-disturb', { enabled: true });
      return refusedAtOnce(scene, await scene.personal('ada'));
    },
  },
  {
    how: 'the owner does not answer within ring_timeout_seconds',
    ends: { reason: 'NO_ANSWER', by: 'SYSTEM', wire: ['refused', 480], ...OWN },
    run: (scene) => ringing(scene, 'OFFLINE'),
  },
  {
    how: 'the owner declines',
    ends: { reason: 'REJECTED', by: 'AGENT', wire: ['refused', 603], ...OWN },
    async run(scene) {
      const { ada, callId, far } = await ringing(scene);
      await ada.send('call:decline', { callId });
      return { callId, far };
    },
  },
  {
    how: 'the caller hangs up before the answer',
    ends: { reason: 'CANCELLED', by: 'CUSTOMER', wire: ['cancelled', 487], ...OWN },
    async run(scene) {
      const { callId, far } = await ringing(scene);
      await far.hangUp();
      return { callId, far };
    },
  },
  {
    how: 'terminated while it rings',
    ends: { reason: 'CANCELLED', by: 'CONSUMER', wire: ['refused', 603], ...OWN },
    async run(scene) {
      const { callId, far } = await ringing(scene);
      await scene.terminate(callId);
      return { callId, far };
    },
  },
];

export const deadEndRows: Row[] = [
  {
    how: 'a line without a route',
    ends: { reason: 'REJECTED', by: 'SYSTEM', wire: ['refused', 603], agentRef: null, channelRef: 'nowhere' },
    run: async (scene) => refusedAtOnce(scene, await scene.line('nowhere', {})),
  },
  {
    how: 'a DISABLED line',
    ends: { reason: 'REJECTED', by: 'SYSTEM', wire: ['refused', 480], agentRef: null, channelRef: 'closed' },
    async run(scene) {
      await scene.queue('sales', []);
      const number = await scene.line('closed', { inbound_queue_ref: 'sales', status: 'DISABLED' });
      return refusedAtOnce(scene, number);
    },
  },
];
