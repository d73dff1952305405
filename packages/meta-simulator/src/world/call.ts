/** A call of the simulated world, and what is shown of it. */
import type { Customer, BusinessNumber } from './people.ts';
import type { CustomerMedia, MediaCounters } from '../media/customer-media.ts';
import type { GraphErrorCode } from '../protocol/errors.ts';

export type CallState = 'calling' | 'pre_accepted' | 'connecting' | 'ringing' | 'accepted' | 'ended';

export interface Call {
  readonly id: string;
  readonly direction: 'USER_INITIATED' | 'BUSINESS_INITIATED';
  readonly number: BusinessNumber;
  readonly customer: Customer;
  readonly media: CustomerMedia;
  readonly createdAt: number;
  state: CallState;
  opaqueData: string | null;
  /** The SDP of the business. */
  remoteSdp: string | null;
  mediaConnected: boolean;
  acceptedAt: number | null;
  endedAt: number | null;
  endedBy: EndedBy | null;
  errorCode: GraphErrorCode | null;
  /** What the business did against the protocol, in words. */
  readonly violations: string[];
  /** Timers of the call; all are cancelled when it ends. */
  readonly cancels: (() => void)[];
}

export type EndedBy = 'customer' | 'business' | 'timeout' | 'error';

export interface CallView {
  readonly id: string;
  readonly direction: Call['direction'];
  readonly phoneNumberId: string;
  readonly customer: string;
  readonly state: CallState;
  readonly opaqueData: string | null;
  readonly mediaConnected: boolean;
  readonly createdAt: string;
  readonly acceptedAt: string | null;
  readonly endedAt: string | null;
  readonly endedBy: EndedBy | null;
  readonly errorCode: number | null;
  readonly violations: readonly string[];
  readonly media: MediaCounters;
}

const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

export const viewOf = (call: Call): CallView => ({
  id: call.id,
  direction: call.direction,
  phoneNumberId: call.number.phoneNumberId,
  customer: call.customer.waId,
  state: call.state,
  opaqueData: call.opaqueData,
  mediaConnected: call.mediaConnected,
  createdAt: new Date(call.createdAt).toISOString(),
  acceptedAt: time(call.acceptedAt),
  endedAt: time(call.endedAt),
  endedBy: call.endedBy,
  errorCode: call.errorCode,
  violations: [...call.violations],
  media: call.media.counters(),
});

/** A call that occupies its pair. */
export const isLive = (call: Call): boolean => call.state !== 'ended';
