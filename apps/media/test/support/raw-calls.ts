/** Established calls of a RawCarrier, with their RTP port and leg. */
import { RtpPort } from '@clarion/test-phone/rtp/port';
import type { CarrierLeg } from '../../src/leg/carrier-leg.ts';
import type { MediaFixture } from './media-fixture.ts';
import { acceptance, eventually } from './fake-realtime.ts';
import { headerOf, RawCarrier, sdp, type Extra } from './raw-carrier.ts';

export interface RawCall {
  callId: number;
  legId: string;
  leg: CarrierLeg;
  carrier: RawCarrier;
  audio: RtpPort;
  /** Our 200, or the node's INVITE. */
  first: string;
  close: () => Promise<void>;
}

/** An INVITE that is ringing. */
export async function ringing(fixture: MediaFixture, extra: Extra & { offerless?: boolean } = {}) {
  const callId = fixture.callId();
  fixture.realtime.decide = () => acceptance(callId);
  const carrier = await RawCarrier.open(fixture.gateway.sipPort);
  const audio = await RtpPort.open({ law: 'PCMA' });
  const body = extra.offerless ? '' : sdp(audio.port);
  const before = fixture.realtime.invites.length;
  carrier.send('INVITE', { headers: extra.headers ?? [], body });
  await eventually('realtime receives the request', () => fixture.realtime.invites.length > before);
  const legId = fixture.realtime.invites.at(-1)?.legId ?? '';
  const ring = await carrier.receive('SIP/2.0 180');
  carrier.to = headerOf(ring, 'To');
  const close = closing(fixture, callId, carrier, audio);
  return { callId, legId, carrier, audio, ring, close };
}

/** A call from the carrier, answered and acknowledged. */
export async function rawInboundCall(fixture: MediaFixture): Promise<RawCall> {
  const { callId, legId, carrier, audio, close } = await ringing(fixture);
  await fixture.realtime.command('carrier:answer', { callId, legId });
  const first = await carrier.receive('SIP/2.0 200');
  carrier.send('ACK');
  await fixture.realtime.fact('leg:connected', legId);
  return { callId, legId, leg: legOf(fixture, callId, legId), carrier, audio, first, close };
}

/** The node's INVITE to a carrier that has not responded yet. */
export async function dialling(
  fixture: MediaFixture,
  account: { username: string; password: string } | null = null,
) {
  const callId = fixture.callId();
  const legId = `out-${callId}`;
  const carrier = await RawCarrier.open(fixture.gateway.sipPort);
  const audio = await RtpPort.open({ law: 'PCMA' });
  await fixture.dial(callId, legId, carrier.port, { called: '4930123', trunk: account ?? {} });
  const first = await carrier.receive('INVITE ');
  carrier.join(first);
  return { callId, legId, carrier, audio, first, close: closing(fixture, callId, carrier, audio) };
}

/** A call to the carrier, answered and acknowledged. */
export async function rawOutboundCall(
  fixture: MediaFixture,
  account?: { username: string; password: string },
): Promise<RawCall> {
  const call = await dialling(fixture, account ?? null);
  call.carrier.answer(call.first, 200, { body: sdp(call.audio.port) });
  await call.carrier.receive('ACK ');
  await fixture.realtime.fact('leg:connected', call.legId);
  return { ...call, leg: legOf(fixture, call.callId, call.legId) };
}

export function legOf(fixture: MediaFixture, callId: number, legId: string): CarrierLeg {
  const leg = fixture.media.calls.carrier(callId, legId);
  if (!leg) throw new Error('the leg does not exist');
  return leg;
}

function closing(
  fixture: MediaFixture,
  callId: number,
  carrier: RawCarrier,
  audio: RtpPort,
): () => Promise<void> {
  return async () => {
    await fixture.realtime.command('call:release', { callId });
    await eventually('the call has ended', () => fixture.media.calls.find(callId) === undefined);
    audio.close();
    carrier.close();
  };
}
