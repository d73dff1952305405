/** The audio of a simulated customer: what the rest of the simulator needs of a media peer. */

/** What a customer says. A file is 16-bit PCM, mono, at 48 kHz, and repeats. */
export type CustomerAudio =
  | { readonly kind: 'silence' }
  | { readonly kind: 'tone'; readonly hz: number }
  | { readonly kind: 'pcm'; readonly samples: Int16Array };

export interface MediaCounters {
  readonly packetsSent: number;
  readonly packetsReceived: number;
  /** Audio packets of the business that arrived before the call was accepted. */
  readonly earlyPackets: number;
  /** Milliseconds since the last packet of the business; null before the first. */
  readonly silentForMs: number | null;
  /** Connectivity checks of the business. */
  readonly iceChecks: number;
  readonly iceUnauthorized: number;
  /** Checks in which the business took the controlled role: it must be controlling, because Meta is ICE-lite. */
  readonly iceRoleConflicts: number;
  /** Digits that the business sent as telephone events. */
  readonly digits: string;
}

export interface Heard {
  /** Relative to full scale; -120 is silence. */
  readonly levelDb: number;
  /** The strongest frequency; null if nothing is loud enough. */
  readonly hz: number | null;
  /** Power of that frequency relative to everything else. */
  readonly overRestDb: number;
}

/** Make an offer; answer this offer; apply this answer. */
export type PageStep = 'make-offer' | 'answer-offer' | 'apply-answer';

export type MediaEvent =
  | { readonly type: 'connected' }
  | { readonly type: 'early-media' }
  /** What the page must do next; see page-media.ts. */
  | { readonly type: 'page'; readonly step: PageStep; readonly sdp: string | null }
  | { readonly type: 'digit'; readonly digit: string }
  | { readonly type: 'failed'; readonly reason: string };

export interface CustomerMedia {
  /** The offer of a user-initiated call. */
  createOffer(): Promise<string>;
  /** The business's answer to it. */
  applyRemote(answer: string): Promise<void>;
  /** The answer to the offer of a business-initiated call. */
  createAnswer(offer: string): Promise<string>;
  /** The call is accepted: from now on the customer speaks. */
  open(): void;
  play(audio: CustomerAudio): void;
  /** Resolves when the last digit has been sent. */
  sendDigits(digits: string): Promise<void>;
  /** Measures the last second of the business's audio. */
  heard(): Promise<Heard>;
  counters(): MediaCounters;
  /** `media` stops what the customer sends; `consent` leaves the connectivity checks of the business unanswered. */
  interrupt(what: 'media' | 'consent', interrupted: boolean): void;
  /** The SDP of the page, for customers who speak in one; others have no such method. */
  fromPage?(sdp: string): void;
  close(): Promise<void>;
}

export interface MediaContext {
  readonly callId: string;
  readonly onEvent: (event: MediaEvent) => void;
}

export type CustomerMediaFactory = (context: MediaContext) => Promise<CustomerMedia>;
