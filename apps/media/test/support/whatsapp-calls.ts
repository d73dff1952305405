/** WhatsApp calls between a media node and customers of the simulator of Meta's side, without its Graph API. */
import {
  realMedia,
  type CustomerMedia,
  type Heard,
  type MediaEvent,
  type RealMediaOptions,
} from '@clarion/meta-simulator';
import type { WhatsAppLeg } from '../../src/whatsapp/whatsapp-leg.ts';
import { eventually } from './fake-realtime.ts';
import type { MediaFixture } from './media-fixture.ts';

/** Of the customer's voice. */
export const CUSTOMER_HZ = 440;
const MIN_OVER_REST_DB = 15;
const MAX_DIFFERENCE_HZ = 10;
/** What `heard` measures, and some more. */
const MEASURED_PACKETS = 65;
const HEAR_WITHIN_MS = 15_000;

export interface WhatsAppCall {
  callId: number;
  legId: string;
  customer: CustomerMedia;
  /** What the customer's end noticed. */
  events: MediaEvent[];
  leg: () => WhatsAppLeg | null;
  /** As after the webhook or response that says that the call was accepted. */
  open: () => Promise<object>;
  /** The customer starts to speak. */
  speak: () => void;
  close: () => Promise<void>;
}

type ChangeSdp = (sdp: string) => string;
const unchanged: ChangeSdp = (sdp) => sdp;

async function customerOf(
  callId: number,
  options: RealMediaOptions = {},
): Promise<{ customer: CustomerMedia; events: MediaEvent[] }> {
  const events: MediaEvent[] = [];
  const customer = await realMedia(options)({
    callId: `wacid.${callId}`,
    onEvent: (event) => events.push(event),
  });
  customer.play({ kind: 'tone', hz: CUSTOMER_HZ });
  return { customer, events };
}

function callOf(
  fixture: MediaFixture,
  callId: number,
  legId: string,
  { customer, events }: { customer: CustomerMedia; events: MediaEvent[] },
): WhatsAppCall {
  return {
    callId,
    legId,
    customer,
    events,
    leg: () => {
      const leg = fixture.media.calls.leg(callId, legId);
      return leg?.side === 'whatsapp' ? leg : null;
    },
    open: () => fixture.realtime.command('whatsapp:open', { callId, legId }),
    speak: () => customer.open(),
    close: async () => {
      await fixture.realtime.command('call:release', { callId });
      await eventually('the call has ended', () => fixture.media.calls.find(callId) === undefined);
      await customer.close();
    },
  };
}

/** Waits until ICE and DTLS are done. */
export const pathConnected = (call: WhatsAppCall): Promise<void> =>
  eventually('the media path is connected', () => call.events.some(({ type }) => type === 'connected'));

/** A customer calls, and the call is not yet accepted. `change`: of Meta's description. */
export async function inboundWhatsApp(
  fixture: MediaFixture,
  change: ChangeSdp = unchanged,
  options: RealMediaOptions = {},
): Promise<WhatsAppCall> {
  const callId = fixture.callId();
  const legId = `whatsapp-${callId}`;
  const parties = await customerOf(callId, options);
  const sdpOffer = change(await parties.customer.createOffer());
  const { sdpAnswer } = await fixture.realtime.command('whatsapp:answer', { callId, legId, sdpOffer });
  await parties.customer.applyRemote(sdpAnswer);
  return callOf(fixture, callId, legId, parties);
}

/** A customer is called, and has not yet answered. `change`: of Meta's description. */
export async function outboundWhatsApp(
  fixture: MediaFixture,
  change: ChangeSdp = unchanged,
): Promise<WhatsAppCall> {
  const callId = fixture.callId();
  const legId = `whatsapp-${callId}`;
  const parties = await customerOf(callId);
  const { sdpOffer } = await fixture.realtime.command('whatsapp:offer', { callId, legId });
  const sdpAnswer = change(await parties.customer.createAnswer(sdpOffer));
  await fixture.realtime.command('whatsapp:remote', { callId, legId, sdpAnswer });
  return callOf(fixture, callId, legId, parties);
}

/** Accepted: both ends may speak. */
export async function accept(fixture: MediaFixture, call: WhatsAppCall): Promise<WhatsAppCall> {
  await call.open();
  call.speak();
  await fixture.realtime.fact('leg:connected', call.legId);
  return call;
}

const isTone = (heard: Heard, hz: number): boolean =>
  heard.hz !== null && Math.abs(heard.hz - hz) <= MAX_DIFFERENCE_HZ && heard.overRestDb >= MIN_OVER_REST_DB;

/**
 * Waits until what the customer hears fulfils the condition. Measuring a second of audio takes so long that the node, which
 * is in the same process, would stutter if it were done all the time.
 */
export async function customerHears(
  { customer }: WhatsAppCall,
  what: string,
  holds: (heard: Heard) => boolean,
): Promise<void> {
  const deadlineMs = performance.now() + HEAR_WITHIN_MS;
  let heard: Heard;
  do {
    if (performance.now() > deadlineMs) throw new Error(`the customer does not hear ${what}`);
    const before = customer.counters().packetsReceived;
    await eventually(
      'a second arrives',
      () => customer.counters().packetsReceived > before + MEASURED_PACKETS,
    );
    heard = await customer.heard();
  } while (!holds(heard));
}

export const customerHearsTone = (call: WhatsAppCall, hz: number): Promise<void> =>
  customerHears(call, `${hz} Hz`, (heard) => isTone(heard, hz));

/** An offer as Meta writes it, of a customer who is not there. */
export async function metaOffer(): Promise<string> {
  const { customer } = await customerOf(0);
  const offer = await customer.createOffer();
  await customer.close();
  return offer;
}
