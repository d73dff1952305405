/** How carriers end calls, regularly and irregularly. */
import assert from 'node:assert/strict';
import { reinvite } from '@clarion/test-phone/carrier/dialog';
import { disturb, losingFirst } from '@clarion/test-phone/carrier/network';
import { header, isResponse, parameter, uriOf } from '@clarion/test-phone/sip/message';
import { expectStatus } from './steps.ts';
import { SCRIPTED, dialOut, ENDS, type CarrierRow } from './talk.ts';

export const endingRows: CarrierRow[] = [
  {
    behaviour: 'hangs up with a reason',
    cites: 'RFC 3326 §2, RFC 3261 §15.1.1',
    way: 'in',
    async hangUp({ far }) {
      far.finish({ how: 'bye-sent', status: null, reason: null, q850: 16 });
      expectStatus(await far.request('BYE', { headers: [['Reason', 'Q.850;cause=16;text="Normal"']] }), 200);
    },
  },
  {
    behaviour: 'sends BYE twice',
    cites: 'RFC 3261 §15.1.2, §12.2.2',
    way: 'in',
    async hangUp({ far }) {
      await far.hangUp();
      expectStatus(await far.request('BYE'), 481);
    },
  },
  {
    behaviour: 'loses its first BYE',
    cites: 'RFC 3261 §17.1.2.2',
    way: 'out',
    async hangUp({ scene, far }) {
      disturb(
        scene.t.carrier,
        far.id,
        losingFirst(({ method }) => method === 'BYE'),
      );
      await far.hangUp();
    },
  },
  {
    behaviour: 'hangs up at the same moment as the agent',
    cites: 'RFC 3261 §15.1.2',
    way: 'in',
    async hangUp({ ada, callId, far }) {
      await Promise.all([
        far.hangUp(),
        // The call may have ended by then.
        ada.hangUp(callId).catch(() => undefined),
      ]);
    },
    ends: [
      { reason: 'COMPLETED', by: 'CUSTOMER', wire: ['bye-sent', null], answered: true },
      { reason: 'COMPLETED', by: 'AGENT', wire: ['bye-sent', null], answered: true },
    ],
  },
  {
    behaviour: 'cancels while it rings',
    cites: 'RFC 3261 §9.1, §9.2',
    way: 'whole',
    async run(scene) {
      const ada = await scene.agent('ada');
      const far = await scene.dialIn(await scene.personal('ada'));
      const { callId } = await ada.incoming();
      await far.hangUp();
      return { callId, far };
    },
    ends: { reason: 'CANCELLED', by: 'CUSTOMER', wire: ['cancelled', 487] },
  },
  {
    behaviour: 'sends a CANCEL after the answer: the call continues',
    cites: 'RFC 3261 §9.2, §9.1',
    way: 'in',
    async talk({ far, scene }) {
      const answered = Promise.withResolvers<number>();
      scene.phone.wire = {
        arrive(message, take) {
          if (isResponse(message) && header(message, 'cseq').endsWith('CANCEL'))
            answered.resolve(message.status);
          take();
        },
      };
      far.cancelInvite();
      expectStatus({ status: await answered.promise }, 200, 481);
    },
  },
  {
    behaviour: 'sends BYE before the answer, in its early dialog',
    cites: 'RFC 3261 §15, §15.1.2',
    way: 'whole',
    async run(scene) {
      const ada = await scene.agent('ada');
      const far = await scene.dialIn(await scene.personal('ada'));
      const { callId } = await ada.incoming();
      // The agent's app may ring before the 180 has arrived at the carrier.
      await far.rings();
      const ringing = far.received.find((each) => isResponse(each) && each.status === 180);
      assert.ok(ringing);
      far.remoteTag = parameter(header(ringing, 'to'), 'tag') ?? '';
      far.remoteTarget = uriOf(header(ringing, 'contact')) || far.remoteTarget;
      expectStatus(await far.request('BYE'), 200);
      await far.ended();
      return { callId, far };
    },
    ends: { reason: 'CANCELLED', by: 'CUSTOMER', wire: ['cancelled', 487] },
  },
  {
    behaviour: 'answers at the moment we cancel: it is acknowledged and hung up',
    cites: 'RFC 3261 §9.1, §15',
    way: 'whole',
    async run(scene) {
      const { ada, far, callId } = await dialOut(scene, { answer: SCRIPTED });
      far.progress(180, 'Ringing');
      far.onRequest = (request) => {
        if (request.method !== 'CANCEL') return false;
        far.respond(request, 200, 'OK');
        far.answerWith(far.sdp());
        return true;
      };
      await ada.hangUp(callId);
      await far.ended();
      assert.ok(far.log.includes('ACK'), far.log.join(' '));
      return { callId, far };
    },
    ends: { reason: 'CANCELLED', by: 'AGENT', wire: ['bye-received', null], agentRef: 'ada' },
  },
  {
    behaviour: 'answers and hangs up immediately',
    cites: 'RFC 3261 §15',
    way: 'whole',
    async run(scene) {
      const { far, callId } = await dialOut(scene, { answer: SCRIPTED });
      far.answerWith(far.sdp());
      await far.until(() => far.log.includes('ACK'), 'the ACK');
      await far.hangUp();
      return { callId, far };
    },
    ends: { ...ENDS.carrier, agentRef: 'ada' },
  },
  {
    behaviour: 'hangs up after a re-INVITE that it never acknowledges',
    cites: 'RFC 3261 §14.2, §15.1.1',
    way: 'in',
    async hangUp({ far }) {
      far.acknowledging = () => null;
      expectStatus(await reinvite(far), 200);
      await far.hangUp();
    },
  },
  {
    behaviour: 'redirects us to an address that the service does not call',
    cites: 'RFC 3261 §21.3.3, §8.1.3.4',
    way: 'whole',
    async run(scene) {
      const { far, callId } = await dialOut(scene, { answer: SCRIPTED });
      far.respond(far.invite, 302, 'Moved Temporarily', { headers: [['Contact', '<tel:+441632960001>']] });
      far.finish({ how: 'refused', status: 302, reason: null, q850: null });
      return { callId, far };
    },
    ends: { status: 'FAILED', reason: 'PROVIDER_ERROR', by: 'PROVIDER', wire: ['refused', 302] },
  },
  {
    behaviour: 'rejects the call with a cause of the telephone network',
    cites: 'RFC 3326 §2, RFC 6432 §2',
    way: 'whole',
    async run(scene) {
      const { far, callId } = await dialOut(scene, { answer: SCRIPTED });
      far.refuse(500, 'Server Internal Error', 17);
      return { callId, far };
    },
    ends: { reason: 'REJECTED', by: 'CUSTOMER', wire: ['refused', 500], sipStatus: 500 },
  },
];
