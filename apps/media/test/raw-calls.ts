/** Established calls of a RawCarrier, with their RTP port and their leg. */
import { RtpPort } from '@clarion/test-phone/rtp/port';
import type { CarrierLeg } from '../src/leg/carrier-leg.ts';
import type { Bench } from './bench.ts';
import { eventually } from './fake-realtime.ts';
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

/** An INVITE that rings; `answer` makes the node answer it. */
export async function ringing(bench: Bench, extra: Extra & { offerless?: boolean } = {}) {
  const callId = bench.callId();
  bench.realtime.answer = () => ({ action: 'accept', callId, sourceCidrs: [], ownEndpoint: false });
  const carrier = await RawCarrier.open(bench.gateway.sipPort);
  const audio = await RtpPort.open({ law: 'PCMA' });
  const body = extra.offerless ? '' : sdp(audio.port);
  const asked = bench.realtime.questions.length;
  carrier.send('INVITE', { headers: extra.headers ?? [], body });
  await eventually('realtime is asked', () => bench.realtime.questions.length > asked);
  const legId = bench.realtime.questions.at(-1)?.legId ?? '';
  const ring = await carrier.take('SIP/2.0 180');
  carrier.to = headerOf(ring, 'To');
  const close = closing(bench, callId, carrier, audio);
  return { callId, legId, carrier, audio, ring, close };
}

/** A call from the carrier, answered and acknowledged. */
export async function rawCallIn(bench: Bench): Promise<RawCall> {
  const { callId, legId, carrier, audio, close } = await ringing(bench);
  await bench.realtime.command('carrier:answer', { callId, legId });
  const first = await carrier.take('SIP/2.0 200');
  carrier.send('ACK');
  await bench.realtime.fact('leg:connected', legId);
  return { callId, legId, leg: legOf(bench, callId, legId), carrier, audio, first, close };
}

/** The node's INVITE to a carrier that has not responded yet. */
export async function dialling(bench: Bench, account: { username: string; password: string } | null = null) {
  const callId = bench.callId();
  const legId = `out-${callId}`;
  const carrier = await RawCarrier.open(bench.gateway.sipPort);
  const audio = await RtpPort.open({ law: 'PCMA' });
  await bench.dial(callId, legId, carrier.port, { called: '4930123', trunk: account ?? {} });
  const first = await carrier.take('INVITE ');
  carrier.join(first);
  return { callId, legId, carrier, audio, first, close: closing(bench, callId, carrier, audio) };
}

/** A call to the carrier, answered and acknowledged. */
export async function rawCallOut(
  bench: Bench,
  account?: { username: string; password: string },
): Promise<RawCall> {
  const call = await dialling(bench, account ?? null);
  call.carrier.answer(call.first, 200, { body: sdp(call.audio.port) });
  await call.carrier.take('ACK ');
  await bench.realtime.fact('leg:connected', call.legId);
  return { ...call, leg: legOf(bench, call.callId, call.legId) };
}

export function legOf(bench: Bench, callId: number, legId: string): CarrierLeg {
  const leg = bench.media.calls.carrier(callId, legId);
  if (!leg) throw new Error('the leg is not there');
  return leg;
}

function closing(bench: Bench, callId: number, carrier: RawCarrier, audio: RtpPort): () => Promise<void> {
  return async () => {
    await bench.realtime.command('call:release', { callId });
    await eventually('the call is gone', () => bench.media.calls.find(callId) === undefined);
    audio.close();
    carrier.close();
  };
}
