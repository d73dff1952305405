/** Inbound calls to shared lines: the rules of queue calls, and everything that can end a caller's wait. */
import assert from 'node:assert/strict';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import { SHORTEST_SECONDS, type Happened, type Row, type Scene } from './scene.ts';

const CALLER_WAITS = { agentRef: null, channelRef: 'main', queueRef: 'sales' } as const;
const TAKEN = { answered: true, agentRef: 'ada', channelRef: 'main', queueRef: 'sales' } as const;

async function offered(scene: Scene) {
  const ada = await scene.agent('ada');
  const far = await scene.dialIn(await scene.shared(['ada']));
  const { callId } = await ada.incoming();
  return { ada, callId, far };
}

async function talking(scene: Scene) {
  const call = await offered(scene);
  await call.ada.accept(call.callId);
  await call.far.answered();
  await call.ada.waitFor(
    ({ event, payload }) => event === 'call:updated' && payload.call?.state === 'active',
  );
  return call;
}

async function waiting(scene: Scene): Promise<Happened> {
  await scene.agent('ada', { shift: 'OFFLINE' });
  return scene.ringing(await scene.dialIn(await scene.shared(['ada'])));
}

/** A call with two available agents: the one that it rings first, and the other one. */
async function firstOfTwo(scene: Scene) {
  const [ada, bob] = [await scene.agent('ada'), await scene.agent('bob')];
  const far = await scene.dialIn(await scene.shared(['ada', 'bob']));
  const rings = (agent: ScriptedAgent) => agent.incoming().then(() => agent);
  const first = await Promise.race([rings(ada), rings(bob)]);
  const { callId } = await first.incoming();
  return { first, second: first === ada ? bob : ada, callId, far };
}

async function takenBy(agent: ScriptedAgent, { callId, far }: Happened): Promise<Happened> {
  await agent.incoming((SHORTEST_SECONDS + 5) * 1000);
  await agent.accept(callId);
  await far?.answered();
  // On WhatsApp the queue has answered the caller before.
  await agent.waitFor(
    ({ event, payload: { call } }) =>
      event === 'call:updated' && call?.callId === callId && call.answeredAt !== null,
  );
  await far?.hangUp();
  return { callId, far };
}

export const inboundRows: Row[] = [
  {
    how: 'answered, then the agent hangs up',
    ends: { reason: 'COMPLETED', by: 'AGENT', wire: ['bye-received', null], ...TAKEN },
    async run(scene) {
      const { ada, callId, far } = await talking(scene);
      await ada.hangUp(callId);
      return { callId, far };
    },
  },
  {
    how: 'answered, then the caller hangs up',
    ends: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], ...TAKEN },
    async run(scene) {
      const call = await talking(scene);
      await call.far.hangUp();
      return call;
    },
  },
  {
    how: 'no agent available: it waits, and is offered within a second after an agent becomes available',
    ends: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], ...TAKEN },
    async run(scene) {
      const ada = await scene.agent('ada', { shift: 'OFFLINE' });
      const call = await scene.ringing(await scene.dialIn(await scene.shared(['ada'])));
      await ada.available();
      const since = performance.now();
      await ada.incoming();
      assert.ok(performance.now() - since < 1000);
      return takenBy(ada, call);
    },
  },
  {
    how: 'declined: it is offered to the next agent, and never again to the first',
    ends: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], answered: true },
    async run(scene) {
      const { first, second, callId, far } = await firstOfTwo(scene);
      await first.send('call:decline', { callId });
      await takenBy(second, { callId, far });
      assert.equal(first.received.filter(({ event }) => event === 'call:incoming').length, 1);
      return { callId, far };
    },
  },
  {
    how: 'declined by the only agent: it waits for others, and is not offered to this one again',
    ends: { reason: 'CANCELLED', by: 'CUSTOMER', wire: ['cancelled', 487], ...CALLER_WAITS },
    async run(scene) {
      const { ada, callId, far } = await offered(scene);
      await ada.send('call:decline', { callId });
      const bob = await scene.agent('bob', { shift: 'OFFLINE' });
      await ada.send('availability:set', { status: 'OFFLINE' });
      await ada.available();
      await bob.send('resync', {});
      assert.equal(ada.received.filter(({ event }) => event === 'call:incoming').length, 1);
      await far.hangUp();
      return { callId, far };
    },
  },
  {
    how: 'not answered within ring_timeout_seconds: it is offered to the next agent',
    ends: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], answered: true },
    async run(scene) {
      const { first, second, ...call } = await firstOfTwo(scene);
      await takenBy(second, call);
      const { payload } = await first.waitFor(({ event }) => event === 'call:withdrawn');
      assert.equal(payload.reason, 'TIMEOUT');
      return call;
    },
  },
  {
    how: 'RING_ALL: the first agent to accept gets it, and it is withdrawn from the others',
    ends: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], answered: true, agentRef: 'bob' },
    async run(scene) {
      const [ada, bob] = [await scene.agent('ada'), await scene.agent('bob')];
      const far = await scene.dialIn(await scene.shared(['ada', 'bob'], { strategy: 'RING_ALL' }));
      const { callId } = await ada.incoming();
      await takenBy(bob, { callId, far });
      const { payload } = await ada.waitFor(({ event }) => event === 'call:withdrawn');
      assert.equal(payload.reason, 'ANSWERED_ELSEWHERE');
      return { callId, far };
    },
  },
  {
    how: 'PRIORITY: priority 1 rings first, even if another agent was idle longer',
    ends: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], answered: true, agentRef: 'bob' },
    async run(scene) {
      const ada = await scene.agent('ada');
      const bob = await scene.agent('bob');
      const members = [
        { agent_ref: 'ada', priority: 2 },
        { agent_ref: 'bob', priority: 1 },
      ];
      const far = await scene.dialIn(await scene.shared([], { strategy: 'PRIORITY', members }));
      const { callId } = await bob.incoming();
      await takenBy(bob, { callId, far });
      assert.ok(!ada.received.some(({ event }) => event === 'call:incoming'));
      return { callId, far };
    },
  },
  {
    how: 'accepted, but the agent has no audio: it is offered to the next agent',
    ends: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], answered: true },
    async run(scene) {
      const { first, second, callId, far } = await firstOfTwo(scene);
      await first.acceptWithoutAudio(callId);
      await scene.expireDeadline(callId, ['connectBy']);
      return takenBy(second, { callId, far });
    },
  },
  {
    how: 'max_wait_seconds expires without an overflow queue',
    ends: { reason: 'TIMEOUT', by: 'SYSTEM', wire: ['refused', 480], ...CALLER_WAITS },
    async run(scene) {
      await scene.agent('ada', { shift: 'OFFLINE' });
      const number = await scene.shared(['ada'], { max_wait_seconds: SHORTEST_SECONDS });
      return scene.ringing(await scene.dialIn(number));
    },
  },
  {
    how: 'max_wait_seconds expires in a queue that answers while callers wait',
    ends: { reason: 'TIMEOUT', by: 'SYSTEM', wire: ['bye-received', null], ...CALLER_WAITS },
    async run(scene) {
      await scene.agent('ada', { shift: 'OFFLINE' });
      const far = await scene.dialIn(await scene.shared(['ada'], { answer_while_waiting: true }));
      await far.answered();
      const callId = await scene.newestId();
      await scene.expireDeadline(callId, ['wait', 'leaveAt']);
      return { callId, far };
    },
  },
  {
    how: 'the caller hangs up in a queue that answers while callers wait',
    ends: { reason: 'CANCELLED', by: 'CUSTOMER', wire: ['bye-sent', null], ...CALLER_WAITS },
    async run(scene) {
      await scene.agent('ada', { shift: 'OFFLINE' });
      const far = await scene.dialIn(await scene.shared(['ada'], { answer_while_waiting: true }));
      await far.answered();
      const callId = await scene.newestId();
      await far.hangUp();
      return { callId, far };
    },
  },
  {
    how: 'max_wait_seconds expires while it rings an agent',
    ends: { reason: 'TIMEOUT', by: 'SYSTEM', wire: ['refused', 480], ...CALLER_WAITS },
    async run(scene) {
      const { callId, far } = await offered(scene);
      await scene.expireDeadline(callId, ['wait', 'leaveAt']);
      return { callId, far };
    },
  },
  {
    how: 'max_wait_seconds expires: an agent of the overflow queue answers',
    ends: { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], ...TAKEN, queueRef: 'backup' },
    async run(scene) {
      const ada = await scene.agent('ada');
      await scene.queue('backup', ['ada']);
      const number = await scene.shared([], { overflow_queue_ref: 'backup' });
      const call = await scene.ringing(await scene.dialIn(number));
      await scene.expireDeadline(call.callId, ['wait', 'leaveAt']);
      return takenBy(ada, call);
    },
  },
  {
    how: 'max_wait_seconds expires in the overflow queue too',
    ends: { reason: 'TIMEOUT', by: 'SYSTEM', wire: ['refused', 480], ...CALLER_WAITS, queueRef: 'backup' },
    async run(scene) {
      await scene.queue('backup', []);
      const number = await scene.shared([], { overflow_queue_ref: 'backup' });
      const call = await scene.ringing(await scene.dialIn(number));
      await scene.expireDeadline(call.callId, ['wait', 'leaveAt']);
      await scene.moved(call.callId, 'OVERFLOWED');
      await scene.expireDeadline(call.callId, ['wait', 'leaveAt']);
      return call;
    },
  },
  {
    how: 'the caller hangs up while waiting',
    ends: { reason: 'CANCELLED', by: 'CUSTOMER', wire: ['cancelled', 487], ...CALLER_WAITS },
    async run(scene) {
      const call = await waiting(scene);
      await call.far?.hangUp();
      return call;
    },
  },
  {
    how: 'the caller hangs up while it rings an agent, from whom it is withdrawn',
    ends: { reason: 'CANCELLED', by: 'CUSTOMER', wire: ['cancelled', 487], ...CALLER_WAITS },
    async run(scene) {
      const { ada, callId, far } = await offered(scene);
      await far.hangUp();
      const { payload } = await ada.waitFor(({ event }) => event === 'call:withdrawn');
      assert.deepEqual([payload.callId, payload.reason], [callId, 'CANCELLED']);
      return { callId, far };
    },
  },
  {
    how: 'terminated while it waits',
    ends: { reason: 'CANCELLED', by: 'CONSUMER', wire: ['refused', 603], ...CALLER_WAITS },
    async run(scene) {
      const call = await waiting(scene);
      await scene.terminate(call.callId);
      return call;
    },
  },
  {
    how: 'terminated while it rings an agent',
    ends: { reason: 'CANCELLED', by: 'CONSUMER', wire: ['refused', 603], ...CALLER_WAITS },
    async run(scene) {
      const { callId, far } = await offered(scene);
      await scene.terminate(callId);
      return { callId, far };
    },
  },
  {
    how: "terminated while an agent's audio is being set up",
    ends: { reason: 'CANCELLED', by: 'CONSUMER', wire: ['refused', 603], ...CALLER_WAITS, agentRef: 'ada' },
    async run(scene) {
      const { ada, callId, far } = await offered(scene);
      await ada.acceptWithoutAudio(callId);
      await scene.terminate(callId);
      return { callId, far };
    },
  },
  {
    how: 'terminated during the conversation',
    ends: { reason: 'COMPLETED', by: 'CONSUMER', wire: ['bye-received', null], ...TAKEN },
    async run(scene) {
      const { callId, far } = await talking(scene);
      await scene.terminate(callId);
      return { callId, far };
    },
  },
];
