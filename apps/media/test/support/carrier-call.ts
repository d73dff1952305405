/** A call between a carrier's phone and an agent in either direction, over any transport, and what both hear. */
import type { TrunkTarget } from '@clarion/protocol/media';
import { measureTone } from '@clarion/test-phone/audio/goertzel';
import { G722_PAYLOAD_TYPE } from '@clarion/test-phone/rtp/g722';
import { toSamples, toWidebandSamples } from '@clarion/test-phone/rtp/port';
import type { CallOptions } from '@clarion/test-phone/sip/phone';
import type { SipCall } from '@clarion/test-phone/sip/call';
import type { SipPhone } from '@clarion/test-phone/sip/phone';
import type { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import type { CarrierLeg } from '../../src/leg/carrier-leg.ts';
import { acceptance, eventually } from './fake-realtime.ts';
import type { MediaFixture } from './media-fixture.ts';

/** What the carrier and the agent send. */
const [CARRIER_HZ, AGENT_HZ] = [440, 1_000];
/** Of a tone with the default amplitude, as sent by either of them. */
const TONE_DB = -15.3;
const TOLERANCE_DB = 1;
const MEASURED_MS = 400;

export interface CarrierCall {
  callId: number;
  legId: string;
  call: SipCall;
  agent: WebRtcLeg;
  leg: CarrierLeg;
  /** Both hear the other's tone at its level, from packets that arrive from now on. */
  heardByBoth: () => Promise<void>;
  close: () => Promise<void>;
}

type Acceptance = Parameters<typeof acceptance>[1];

/** The phone calls, and the agent answers. */
export async function inboundCall(
  fixture: MediaFixture,
  phone: SipPhone,
  to: { host: string; port: number },
  trunk: Acceptance = {},
  options: CallOptions = {},
): Promise<CarrierCall> {
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId, trunk);
  const call = await phone.call('4930123', to, options);
  await call.rings();
  const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
  return bridged(fixture, { callId, legId, call }, async () => {
    await fixture.realtime.command('carrier:answer', { callId, legId });
    await call.answered();
  });
}

/** The phone is called, and answers. */
export async function outboundCall(
  fixture: MediaFixture,
  phone: SipPhone,
  trunk: Partial<TrunkTarget> = {},
): Promise<CarrierCall> {
  const callId = fixture.callId();
  const legId = `carrier-${callId}`;
  const coming = phone.nextCall();
  await fixture.dial(callId, legId, phone.port, { trunk });
  const call = await coming;
  return bridged(fixture, { callId, legId, call }, async () => {
    await call.answered();
  });
}

async function bridged(
  fixture: MediaFixture,
  { callId, legId, call }: { callId: number; legId: string; call: SipCall },
  answered: () => Promise<void>,
): Promise<CarrierCall> {
  const agentId = `agent-${callId}`;
  const agent = await fixture.agent(callId, agentId);
  await fixture.route(callId, {
    [legId]: [{ kind: 'leg', legId: agentId }],
    [agentId]: [{ kind: 'leg', legId }],
  });
  await answered();
  await fixture.realtime.fact('leg:connected', legId);
  const leg = fixture.media.calls.carrier(callId, legId);
  if (!leg) throw new Error('the leg does not exist');
  call.audio.sendTone(CARRIER_HZ);
  agent.sendTone(AGENT_HZ);
  const heardByBoth = async (): Promise<void> => {
    agent.heard = [];
    call.audio.heard = [];
    await eventually('the agent hears the carrier', () =>
      isTone(toSamples(agent.heard, agent.law), 8_000, CARRIER_HZ),
    );
    await eventually('the carrier hears the agent', () => {
      const { audio } = call;
      return audio.heard.at(-1)?.payloadType === G722_PAYLOAD_TYPE
        ? isTone(toWidebandSamples(audio.heard), 16_000, AGENT_HZ)
        : isTone(toSamples(audio.heard, audio.law), 8_000, AGENT_HZ);
    });
  };
  await heardByBoth();
  const close = async (): Promise<void> => {
    await fixture.realtime.command('call:release', { callId });
    await eventually('the call has ended', () => fixture.media.calls.find(callId) === undefined);
    agent.close();
    await call.ended();
  };
  return { callId, legId, call, agent, leg, heardByBoth, close };
}

/** Whether the end of `samples` is the tone, as loud as it was sent. */
function isTone(samples: Int16Array, rate: number, hz: number): boolean {
  const length = (MEASURED_MS * rate) / 1_000;
  if (samples.length < length) return false;
  const { heard, levelDb } = measureTone(samples.subarray(-length), rate, hz);
  return heard && Math.abs(levelDb - TONE_DB) < TOLERANCE_DB;
}
