/** WhatsApp calls between a media node and customers of the simulator of Meta's side, without its Graph API. */
import { realMedia, type CustomerMedia, type Heard, type MediaEvent } from '@clarion/meta-simulator';
import type { WhatsAppLeg } from '../src/whatsapp/whatsapp-leg.ts';
import { eventually } from './fake-realtime.ts';
import type { MediaFixture } from './media-fixture.ts';

/** Of the customer's voice. */
export const CUSTOMER_HZ = 440;
const MIN_OVER_REST_DB = 15;
const MAX_DIFFERENCE_HZ = 10;

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

async function customerOf(callId: number): Promise<{ customer: CustomerMedia; events: MediaEvent[] }> {
  const events: MediaEvent[] = [];
  const customer = await realMedia()({ callId: `wacid.${callId}`, onEvent: (event) => events.push(event) });
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

const pathConnected = (call: WhatsAppCall): Promise<void> =>
  eventually('the media path is connected', () => call.events.some(({ type }) => type === 'connected'));

/** A customer calls: the media path is connected, and the call not yet accepted. */
export async function inboundWhatsApp(fixture: MediaFixture): Promise<WhatsAppCall> {
  const callId = fixture.callId();
  const legId = `whatsapp-${callId}`;
  const parties = await customerOf(callId);
  const sdpOffer = await parties.customer.createOffer();
  const { sdpAnswer } = await fixture.realtime.command('whatsapp:answer', { callId, legId, sdpOffer });
  await parties.customer.applyRemote(sdpAnswer);
  const call = callOf(fixture, callId, legId, parties);
  await pathConnected(call);
  return call;
}

/** A customer is called: the media path is connected, and the customer has not yet answered. */
export async function outboundWhatsApp(fixture: MediaFixture): Promise<WhatsAppCall> {
  const callId = fixture.callId();
  const legId = `whatsapp-${callId}`;
  const parties = await customerOf(callId);
  const { sdpOffer } = await fixture.realtime.command('whatsapp:offer', { callId, legId });
  const sdpAnswer = await parties.customer.createAnswer(sdpOffer);
  await fixture.realtime.command('whatsapp:remote', { callId, legId, sdpAnswer });
  const call = callOf(fixture, callId, legId, parties);
  await pathConnected(call);
  return call;
}

/** Accepted: both ends may speak. */
export async function accept(fixture: MediaFixture, call: WhatsAppCall): Promise<WhatsAppCall> {
  await call.open();
  call.speak();
  await fixture.realtime.fact('leg:connected', call.legId);
  return call;
}

export const isTone = (heard: Heard, hz: number): boolean =>
  heard.hz !== null && Math.abs(heard.hz - hz) <= MAX_DIFFERENCE_HZ && heard.overRestDb >= MIN_OVER_REST_DB;

/** Waits until the customer hears this tone and little else. */
export const customerHears = ({ customer }: WhatsAppCall, hz: number): Promise<void> =>
  eventually(`the customer hears ${hz} Hz`, async () => isTone(await customer.heard(), hz));
