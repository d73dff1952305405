/** Inbound calls to a flow, which answers immediately, so that every later ending is a BYE. */
import { hearsTone } from '@clarion/test-phone/audio/hears-tone';
import { press } from '@clarion/testkit/peers/far-call';
import type { Row, Scene } from './scene.ts';

const MENU_HZ = 700;
const MENU = { agentRef: null, channelRef: 'menu', answered: false } as const;

/** Calls a menu that repeats forever. Key 1 leads to `ada` or to the queue `sales`, 2 hangs up. */
async function dialMenu(scene: Scene, leadsTo: 'agent' | 'queue') {
  const ada = await scene.agent('ada');
  await scene.queue('sales', ['ada']);
  const { queues } = await scene.t.v1.ok<{ queues: { id: number }[] }>('GET', scene.at('/queues'));
  const target =
    leadsTo === 'agent'
      ? { targetType: 'agent', targetId: await scene.agentId('ada') }
      : { targetType: 'queue', targetId: queues[0]?.id };
  const number = await scene.flow(
    [
      { id: 'menu', type: 'ivr_menu', data: await scene.menu(MENU_HZ) },
      { id: 'person', type: 'ivr_transfer', data: target },
    ],
    [
      { source: 'start', target: 'menu' },
      { source: 'menu', target: 'person', sourceHandle: '1' },
      { source: 'menu', target: 'end', sourceHandle: '2' },
    ],
  );
  const far = await scene.dialIn(number);
  await far.answered();
  // A key pressed before the menu begins chooses nothing, and silence may precede it.
  await hearsTone(far.audio, MENU_HZ);
  far.audio.sendTone(440);
  const callId = await scene.newestId();
  return { ada, far, callId };
}

export const flowRows: Row[] = [
  {
    how: 'the agent in the flow does not answer',
    ends: {
      ...MENU,
      reason: 'IVR_AGENT_NO_ANSWER',
      by: 'SYSTEM',
      wire: ['bye-received', null],
      agentRef: 'ada',
    },
    async run(scene) {
      const { ada, far, callId } = await dialMenu(scene, 'agent');
      await press(far, '1');
      await ada.incoming();
      await scene.expireDeadline(callId, ['offers', '0', 'expiresAt']);
      return { callId, far };
    },
  },
  {
    how: 'the agent in the flow answers, then the caller hangs up',
    ends: {
      ...MENU,
      reason: 'COMPLETED',
      by: 'CUSTOMER',
      wire: ['bye-sent', null],
      answered: true,
      agentRef: 'ada',
    },
    async run(scene) {
      const { ada, far, callId } = await dialMenu(scene, 'agent');
      await press(far, '1');
      await ada.incoming();
      await ada.accept(callId);
      await scene.moved(callId, 'ANSWERED');
      await far.hangUp();
      return { callId, far };
    },
  },
  {
    how: 'the flow leads to a queue, whose agent answers and hangs up',
    ends: {
      ...MENU,
      reason: 'COMPLETED',
      by: 'AGENT',
      wire: ['bye-received', null],
      answered: true,
      agentRef: 'ada',
      queueRef: 'sales',
    },
    async run(scene) {
      const { ada, far, callId } = await dialMenu(scene, 'queue');
      await press(far, '1');
      await ada.incoming();
      await ada.accept(callId);
      await scene.moved(callId, 'ANSWERED');
      await ada.hangUp(callId);
      return { callId, far };
    },
  },
  {
    how: 'the flow hangs up',
    ends: { reason: 'NO_ANSWER', by: 'SYSTEM', wire: ['bye-received', null], ...MENU },
    async run(scene) {
      const { far, callId } = await dialMenu(scene, 'agent');
      await press(far, '2');
      return { callId, far };
    },
  },
  {
    how: 'the caller hangs up in the flow',
    ends: { reason: 'CANCELLED', by: 'CUSTOMER', wire: ['bye-sent', null], ...MENU },
    async run(scene) {
      const { far, callId } = await dialMenu(scene, 'agent');
      await far.hangUp();
      return { callId, far };
    },
  },
  {
    how: 'terminated in the flow',
    ends: { reason: 'CANCELLED', by: 'CONSUMER', wire: ['bye-received', null], ...MENU },
    async run(scene) {
      const { far, callId } = await dialMenu(scene, 'agent');
      await scene.terminate(callId);
      return { callId, far };
    },
  },
];
