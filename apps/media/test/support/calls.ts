/** A bridged inbound call, and checks of what its parties hear. */
import { measureTone } from '@clarion/test-phone/audio/goertzel';
import { toSamples, type Heard } from '@clarion/test-phone/rtp/port';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import type { CarrierLeg } from '../../src/leg/carrier-leg.ts';
import type { MediaFixture } from './media-fixture.ts';
import { acceptance, eventually } from './fake-realtime.ts';

/**
 * The two RTP endpoints of a carrier leg: handed over to mediasoup, or kept on the local endpoint by the trunk's
 * setting.
 */
export const ENDPOINTS: [name: string, localEndpointOnly: boolean][] = [
  ['handed over', false],
  ['on the local endpoint', true],
];

export type Law = 'PCMU' | 'PCMA';

/** Of the packets of a remote party. */
const MIN_PACKET_MS = 10;

/** Whether the last `ms` of the packets contain the tone, for any packet length. */
export function containsTone(packets: readonly Heard[], law: Law, hz: number, ms = 400): boolean {
  const samples = toSamples(packets.slice(-ms / MIN_PACKET_MS), law).slice(-ms * 8);
  return samples.length === ms * 8 && measureTone(samples, 8_000, hz).heard;
}

export interface Bridged {
  callId: number;
  carrierLegId: string;
  agentLegId: string;
  phone: SipPhone;
  call: SipCall;
  agent: WebRtcLeg;
  leg: CarrierLeg;
  /** Route: each hears the other. */
  bridge: () => Promise<object>;
  /** Route: the carrier hears the hold tone, the agent nothing. */
  hold: () => Promise<object>;
  close: () => Promise<void>;
}

export interface BridgedOptions {
  law?: Law;
  /** The codecs that the carrier offers; default: `law` alone. */
  laws?: Law[];
  localEndpointOnly?: boolean;
  sourceCidrs?: string[];
}

/**
 * A call that is answered and routed, with tones from both parties (carrier 440 Hz, agent 1000 Hz). Handed over unless
 * the trunk forbids it.
 */
export async function bridgedCall(fixture: MediaFixture, options: BridgedOptions = {}): Promise<Bridged> {
  const { law = 'PCMA', laws = [law], localEndpointOnly = false, sourceCidrs = [] } = options;
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId, { sourceCidrs, localEndpointOnly });
  const phone = await SipPhone.open({ laws });
  const call = await phone.call('4930123', fixture.sip);
  await call.rings();
  const carrierLegId = fixture.realtime.invites.at(-1)?.legId ?? '';
  const agentLegId = `agent-${callId}`;
  const agent = await fixture.agent(callId, agentLegId);
  /** The agent's leg may be replaced during a test. */
  let bridged: Bridged | null = null;
  const bridge = () => {
    const now = bridged?.agentLegId ?? agentLegId;
    return fixture.route(callId, {
      [carrierLegId]: [{ kind: 'leg', legId: now }],
      [now]: [{ kind: 'leg', legId: carrierLegId }],
    });
  };
  const hold = () =>
    fixture.route(callId, {
      [carrierLegId]: [{ kind: 'tone', tone: 'hold' }],
      [bridged?.agentLegId ?? agentLegId]: [],
    });
  await bridge();
  await fixture.realtime.command('carrier:answer', { callId, legId: carrierLegId });
  await call.answered();
  await fixture.realtime.fact('leg:connected', carrierLegId);
  call.audio.sendTone(440);
  agent.sendTone(1_000);
  const leg = fixture.media.calls.carrier(callId, carrierLegId);
  if (!leg) throw new Error('the leg does not exist');
  if (!localEndpointOnly) await eventually('the leg is handed over', () => leg.handedOverTo !== null);
  await eventually(
    'both hear each other',
    () => containsTone(agent.heard, law, 440) && containsTone(call.audio.heard, law, 1_000),
  );
  const close = async (): Promise<void> => {
    await fixture.realtime.command('call:release', { callId });
    await eventually('the call has ended', () => fixture.media.calls.find(callId) === undefined);
    await call.ended(); // a closed phone would not answer our BYE
    agent.close();
    phone.close();
  };
  bridged = { callId, carrierLegId, agentLegId, phone, call, agent, leg, bridge, hold, close };
  return bridged;
}
