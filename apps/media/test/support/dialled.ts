/** An outbound call to a phone whose provisional responses the test sends. */
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import type { MediaFixture } from './media-fixture.ts';
import { eventually } from './fake-realtime.ts';

export interface Dialled {
  callId: number;
  legId: string;
  agentLegId: string;
  agent: WebRtcLeg;
  phone: SipPhone;
  call: SipCall;
  respond: (status: 180 | 183 | 200, sdp?: string) => void;
  /** Route: each hears the other. */
  bridge: () => Promise<object>;
  close: () => Promise<void>;
}

/** Dials a phone that sends nothing on its own. The route gives the agent ringback. */
export async function dialled(fixture: MediaFixture, sourceCidrs: string[] = []): Promise<Dialled> {
  const phone = await SipPhone.open({ laws: ['PCMA'], behaviour: { do: 'ignore' } });
  const callId = fixture.callId();
  const [legId, agentLegId] = [`carrier-${callId}`, `agent-${callId}`];
  const agent = await fixture.agent(callId, agentLegId);
  await fixture.route(callId, { [agentLegId]: [{ kind: 'tone', tone: 'ringback' }] });
  await fixture.dial(callId, legId, phone.port, { trunk: { sourceCidrs, codecs: ['PCMA'] } });
  await eventually('the phone is called', () => phone.calls.length > 0);
  const [call] = phone.calls;
  if (!call) throw new Error('no call came');
  const reasons = { 180: 'Ringing', 183: 'Session Progress', 200: 'OK' };
  return {
    callId,
    legId,
    agentLegId,
    agent,
    phone,
    call,
    respond: (status, sdp) => {
      const toTag = call.localTag;
      phone.respond(call.invite, status, reasons[status], { toTag, ...(sdp === undefined ? {} : { sdp }) });
      if (status === 200) call.markAnswered();
    },
    bridge: () =>
      fixture.route(callId, {
        [legId]: [{ kind: 'leg', legId: agentLegId }],
        [agentLegId]: [{ kind: 'leg', legId }],
      }),
    close: async () => {
      await fixture.realtime.command('call:release', { callId });
      await eventually('the call has ended', () => fixture.media.calls.find(callId) === undefined);
      agent.close();
      phone.close();
    },
  };
}
