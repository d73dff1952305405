/** A bridged inbound call, and ways to look at what its ends hear. */
import { measureTone } from '@clarion/test-phone/audio/goertzel';
import { toSamples, type Heard } from '@clarion/test-phone/rtp/port';
import type { SipCall } from '@clarion/test-phone/sip/call';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import type { CarrierLeg } from '../src/leg/carrier-leg.ts';
import type { Bench } from './bench.ts';
import { eventually } from './fake-realtime.ts';

/** Where the audio of a carrier leg arrives: mediasoup has taken it over, or the trunk keeps it at our endpoint. */
export const ENDPOINTS: [name: string, ownEndpoint: boolean][] = [
  ['handed over', false],
  ['on our own endpoint', true],
];

export type Law = 'PCMU' | 'PCMA';

/** Of the packets of a far end. */
const SHORTEST_PACKET_MS = 10;

/** Whether the last `ms` of what came hold the tone, for any packet length. */
export function hears(packets: readonly Heard[], law: Law, hz: number, ms = 400): boolean {
  const samples = toSamples(packets.slice(-ms / SHORTEST_PACKET_MS), law).slice(-ms * 8);
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
  /** What the carrier offers; default: `law` alone. */
  laws?: Law[];
  ownEndpoint?: boolean;
  sourceCidrs?: string[];
}

/** A call that is answered and routed; tones (carrier 440 Hz, agent 1000 Hz) run. Handed over, unless the trunk forbids it. */
export async function bridgedCall(bench: Bench, options: BridgedOptions = {}): Promise<Bridged> {
  const { law = 'PCMA', laws = [law], ownEndpoint = false, sourceCidrs = [] } = options;
  const callId = bench.callId();
  bench.realtime.answer = () => ({ action: 'accept', callId, sourceCidrs, ownEndpoint });
  const phone = await SipPhone.open({ laws });
  const call = await phone.call('4930123', bench.sip);
  await call.rings();
  const carrierLegId = bench.realtime.questions.at(-1)?.legId ?? '';
  const agentLegId = `agent-${callId}`;
  const agent = await bench.agent(callId, agentLegId);
  /** The agent's leg may be replaced in the course of a test. */
  let bridged: Bridged | null = null;
  const bridge = () => {
    const now = bridged?.agentLegId ?? agentLegId;
    return bench.route(callId, {
      [carrierLegId]: [{ kind: 'leg', legId: now }],
      [now]: [{ kind: 'leg', legId: carrierLegId }],
    });
  };
  const hold = () =>
    bench.route(callId, {
      [carrierLegId]: [{ kind: 'tone', tone: 'hold' }],
      [bridged?.agentLegId ?? agentLegId]: [],
    });
  await bridge();
  await bench.realtime.command('carrier:answer', { callId, legId: carrierLegId });
  await call.answered();
  await bench.realtime.fact('leg:connected', carrierLegId);
  call.audio.sendTone(440);
  agent.sendTone(1_000);
  const leg = bench.media.calls.carrier(callId, carrierLegId);
  if (!leg) throw new Error('the leg is not there');
  if (!ownEndpoint) await eventually('the leg is handed over', () => leg.handedTo !== null);
  await eventually(
    'both hear each other',
    () => hears(agent.heard, law, 440) && hears(call.audio.heard, law, 1_000),
  );
  const close = async (): Promise<void> => {
    await bench.realtime.command('call:release', { callId });
    await eventually('the call is gone', () => bench.media.calls.find(callId) === undefined);
    agent.close();
    phone.close();
  };
  bridged = { callId, carrierLegId, agentLegId, phone, call, agent, leg, bridge, hold, close };
  return bridged;
}
