/** The people and numbers of the simulated world. */
import type { CustomerAudio } from '../media/customer-media.ts';
import type { CallingSettings } from '../protocol/settings.ts';

export interface BusinessNumber {
  readonly phoneNumberId: string;
  readonly wabaId: string;
  /** Digits with country code. */
  readonly displayPhoneNumber: string;
  readonly verifiedName: string;
  readonly qualityRating: 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN';
  /** Prerequisites and restrictions, each with the error that it causes. */
  readonly restrictions: readonly Restriction[];
  settings: CallingSettings;
}

export const restrictions = [
  /** 131044 */ 'no_payment_method',
  /** 138013 */ 'country_without_outbound_calls',
  /** 138014 */ 'low_quality',
  /** 138015, when calling is enabled */ 'messaging_limit',
] as const;
export type Restriction = (typeof restrictions)[number];

export interface NewNumber {
  readonly phoneNumberId: string;
  readonly wabaId?: string;
  readonly displayPhoneNumber?: string;
  readonly verifiedName?: string;
  readonly qualityRating?: BusinessNumber['qualityRating'];
  readonly restrictions?: readonly Restriction[];
  readonly settings?: Partial<CallingSettings>;
}

/** What a customer does by themselves when the business calls or asks for permission. */
export interface Behaviour {
  readonly onCall: 'manual' | 'answer' | 'decline' | 'ignore';
  /** From ringing until that happens. */
  readonly afterMs: number;
  /** After an answered call in either direction has lasted this long; null leaves the end to somebody else. */
  readonly hangUpAfterMs: number | null;
  readonly onPermissionRequest: 'manual' | 'accept' | 'accept_permanently' | 'reject';
}

export const defaultBehaviour: Behaviour = {
  onCall: 'manual',
  afterMs: 0,
  hangUpAfterMs: null,
  onPermissionRequest: 'manual',
};

export interface Customer {
  /** Digits with country code; not sent to a business while `hidesNumber`. */
  readonly waId: string;
  /** The business-scoped user ID. */
  readonly userId: string;
  name: string;
  username: string | null;
  hidesNumber: boolean;
  /** Whether the customer wrote or called within 24 hours: needed for a permission request that is not a template. */
  windowOpen: boolean;
  /** False: calls to this customer are refused with 138001. */
  reachable: boolean;
  behaviour: Behaviour;
  /** A web page is the end of the audio, so that a person can play the customer. */
  speaksInPage: boolean;
  audio: CustomerAudio;
}
