/** A simulator of Meta's side of the WhatsApp Business Calling API. */
export { startMetaSimulator, type MetaSimulator } from './simulator.ts';
export type { MetaSimulatorOptions } from './options.ts';
export { MetaControl, type CustomerChange } from './control/control.ts';
export { ControlError, type NewCustomer } from './world/world.ts';
export type { CallState, CallView } from './world/call.ts';
export type { Journal, JournalEntry } from './world/journal.ts';
export type { Behaviour, Customer, NewNumber } from './world/people.ts';
export type { CustomerDecision } from './world/permission-book.ts';
export type { Fault, FaultEffect, EventKind, NewFault } from './webhooks/schedule.ts';
export type { GraphFault, GraphFaultEffect } from './graph/faults.ts';
export type {
  CustomerAudio,
  CustomerMedia,
  CustomerMediaFactory,
  Heard,
  MediaContext,
  MediaCounters,
  MediaEvent,
  PageStep,
} from './media/customer-media.ts';
export { realMedia, type RealMediaOptions } from './media/real-media.ts';
export type { RtpPacket } from './media/rtp.ts';
export { inPage, type PageMediaOptions } from './media/page-media.ts';
export { silentMedia, SilentMedia } from './media/silent-media.ts';
export { signatureOf } from './webhooks/payload.ts';
