/** Outbound calls: everything the customer, the carrier, the agent and the consumer can do to one. */
import assert from 'node:assert/strict';
import { SipPhone, type Behaviour } from '@clarion/test-phone/sip/phone';
import type { CallView } from '@clarion/protocol/call';
import { LegClosed } from '@clarion/testkit/agents/webrtc-leg';
import { line } from '@clarion/testkit/stack/call-centre';
import type { Happened, Row, Scene } from './scene.ts';

/** Starts an intent; the call then reaches the customer. */
async function dialled(scene: Scene, behaviour: Behaviour) {
  const ada = await scene.agent('ada', { shift: 'OFFLINE' }); // outbound needs no availability
  const { callId, taken } = await scene.intend(behaviour);
  await ada.start(callId).catch((error: unknown) => {
    // The carrier may refuse before the agent's audio is connected.
    if (behaviour.do !== 'refuse' || !(error instanceof LegClosed)) throw error;
  });
  return { ada, callId, far: await taken };
}

async function talking(scene: Scene) {
  const call = await dialled(scene, { do: 'answer' });
  await call.ada.waitFor(
    ({ event, payload }) => event === 'call:updated' && payload.call?.state === 'active',
  );
  return call;
}

const refused = (
  status: number,
  reason: CallView['terminationReason'],
  { by, failure }: Required<Pick<Row['ends'], 'by' | 'failure'>>,
  more: Partial<Extract<Behaviour, { do: 'refuse' }>> = {},
): Row => ({
  how: `the carrier responds with ${[status, more.reason, more.q850 && `with Q.850 ${more.q850}`].filter(Boolean).join(' ')}`,
  only: 'SIP',
  ends: {
    status: by === 'CUSTOMER' ? 'TERMINATED' : 'FAILED',
    reason,
    by,
    failure,
    wire: ['refused', status],
    agentRef: 'ada',
    channelRef: 'main',
    sipStatus: status,
  },
  run: (scene) => dialled(scene, { do: 'refuse', status, ...more }),
});

export const outboundRows: Row[] = [
  {
    how: 'answered, then the agent hangs up',
    ends: {
      reason: 'COMPLETED',
      by: 'AGENT',
      wire: ['bye-received', null],
      answered: true,
      agentRef: 'ada',
      channelRef: 'main',
    },
    async run(scene) {
      const { ada, callId, far } = await talking(scene);
      await ada.hangUp(callId);
      return { callId, far };
    },
  },
  {
    how: 'answered, then the customer hangs up',
    ends: {
      reason: 'COMPLETED',
      by: 'CUSTOMER',
      wire: ['bye-sent', null],
      answered: true,
      agentRef: 'ada',
      channelRef: 'main',
    },
    async run(scene) {
      const call = await talking(scene);
      await call.far.hangUp();
      return call;
    },
  },
  refused(486, 'REJECTED', { by: 'CUSTOMER', failure: 'busy' }),
  refused(600, 'REJECTED', { by: 'CUSTOMER', failure: 'busy' }),
  refused(603, 'REJECTED', { by: 'CUSTOMER', failure: 'declined' }),
  refused(500, 'REJECTED', { by: 'CUSTOMER', failure: 'busy' }, { q850: 17 }),
  refused(480, 'NO_ANSWER', { by: 'CUSTOMER', failure: 'no_answer' }),
  refused(503, 'NO_ANSWER', { by: 'CUSTOMER', failure: 'no_answer' }, { q850: 19 }),
  refused(404, 'PROVIDER_ERROR', { by: 'PROVIDER', failure: 'number_not_found' }, { reason: 'Not Found' }),
  refused(484, 'PROVIDER_ERROR', { by: 'PROVIDER', failure: 'number_not_found' }),
  refused(488, 'PROVIDER_ERROR', { by: 'PROVIDER', failure: 'codecs_rejected' }),
  refused(503, 'PROVIDER_ERROR', { by: 'PROVIDER', failure: 'carrier_error' }, { ring: false }),
  refused(
    401,
    'PROVIDER_TRIGGER_FAILED',
    { by: 'PROVIDER', failure: 'credentials_rejected' },
    { ring: false },
  ),
  refused(403, 'PROVIDER_TRIGGER_FAILED', { by: 'PROVIDER', failure: 'carrier_forbids' }, { ring: false }),
  refused(
    403,
    'PROVIDER_TRIGGER_FAILED',
    { by: 'PROVIDER', failure: 'caller_id_rejected' },
    {
      ring: false,
      reason: 'Invalid CLI',
    },
  ),
  {
    how: 'the trunk is switched off before the call is started',
    only: 'SIP',
    ends: {
      status: 'FAILED',
      reason: 'PROVIDER_TRIGGER_FAILED',
      by: 'SYSTEM',
      wire: null,
      failure: 'trunk_not_dialled',
    },
    async run(scene) {
      const { t } = scene;
      const { id } = await t.clarion<{ id: number }>([
        ...['trunk', 'create', '--slug', t.account.slug, '--name', 'carrier-that-is-off', '--active'],
        ...['--host', t.carrier.address, '--port', String(t.carrier.port), '--source', '127.0.0.1/32'],
      ]);
      const ada = await scene.agent('ada');
      await line(t, 'off', { sip_trunk_id: id }, { tenant: scene.tenant });
      const { call } = await t.v1.ok<{ call: CallView }>('POST', scene.at('/calls'), {
        channel_ref: 'off',
        agent_ref: 'ada',
        customer: { address: '+442079460999' },
      });
      await t.clarion(['trunk', 'suspend', '--id', String(id)]);
      await ada.start(call.callId);
      return { callId: call.callId, far: null };
    },
  },
  {
    how: 'the carrier cannot be connected',
    only: 'SIP',
    ends: {
      status: 'FAILED',
      reason: 'PROVIDER_TRIGGER_FAILED',
      by: 'SYSTEM',
      wire: null,
      agentRef: 'ada',
      failure: 'carrier_unreachable',
    },
    async run(scene) {
      const { t } = scene;
      const gone = await SipPhone.open({ transport: 'tcp' });
      const { address, port } = gone;
      gone.close();
      const { id } = await t.clarion<{ id: number }>([
        ...['trunk', 'create', '--slug', t.account.slug, '--name', 'carrier-that-is-gone', '--active'],
        ...['--transport', 'TCP', '--host', address, '--port', String(port), '--source', '127.0.0.1/32'],
      ]);
      const ada = await scene.agent('ada');
      await line(t, 'far', { sip_trunk_id: id }, { tenant: scene.tenant });
      const { call } = await t.v1.ok<{ call: CallView }>('POST', scene.at('/calls'), {
        channel_ref: 'far',
        agent_ref: 'ada',
        customer: { address: '+442079460999' },
      });
      await ada.start(call.callId);
      return { callId: call.callId, far: null };
    },
  },
  {
    how: 'the agent hangs up while it rings',
    ends: { reason: 'CANCELLED', by: 'AGENT', wire: ['cancel-received', 487], agentRef: 'ada' },
    async run(scene) {
      const { ada, callId, far } = await dialled(scene, { do: 'ring' });
      await ada.hangUp(callId);
      return { callId, far };
    },
  },
  {
    how: 'the customer does not answer until our timeout',
    ends: {
      reason: 'NO_ANSWER',
      by: 'CUSTOMER',
      wire: ['cancel-received', 487],
      agentRef: 'ada',
      failure: 'no_answer',
    },
    async run(scene) {
      const { callId, far } = await dialled(scene, { do: 'ring' });
      await scene.expireDeadline(callId, ['giveUpAt']);
      return { callId, far };
    },
  },
  {
    how: 'not started within two minutes',
    ends: { reason: 'CANCELLED', by: 'SYSTEM', wire: null, agentRef: 'ada', channelRef: 'main' },
    async run(scene) {
      await scene.agent('ada');
      const { callId } = await scene.intend();
      await scene.expireDeadline(callId, ['startBy']);
      return { callId, far: null };
    },
  },
  {
    how: 'terminated before it was started',
    ends: { reason: 'CANCELLED', by: 'CONSUMER', wire: null, agentRef: 'ada' },
    async run(scene): Promise<Happened> {
      await scene.agent('ada');
      const { callId } = await scene.intend();
      await scene.terminate(callId);
      return { callId, far: null };
    },
  },
  {
    how: 'terminated while it rings',
    ends: { reason: 'CANCELLED', by: 'CONSUMER', wire: ['cancel-received', 487] },
    async run(scene) {
      const { callId, far } = await dialled(scene, { do: 'ring' });
      await scene.terminate(callId);
      return { callId, far };
    },
  },
  {
    how: 'terminated during the conversation, and again after its end: 409 call_ended',
    ends: { reason: 'COMPLETED', by: 'CONSUMER', wire: ['bye-received', null], answered: true },
    async run(scene) {
      const { callId, far } = await talking(scene);
      await scene.terminate(callId);
      await far.ended();
      const again = await scene.t.v1.request<{ error: { code: string } }>(
        'POST',
        `/v1/calls/${callId}/terminate`,
      );
      assert.deepEqual([again.status, again.body.error.code], [409, 'call_ended']);
      return { callId, far };
    },
  },
  {
    how: 'the agent is disconnected for longer than the grace period',
    ends: {
      reason: 'AGENT_DISCONNECTED',
      by: 'SYSTEM',
      wire: ['bye-received', null],
      answered: true,
      failure: 'agent_disconnected',
    },
    async run(scene) {
      const { ada, callId, far } = await talking(scene);
      ada.close();
      await scene.moved(callId, 'AGENT_LOST');
      await scene.expireDeadline(callId, ['agent', 'socketsLostAt'], 30_000);
      return { callId, far };
    },
  },
];
