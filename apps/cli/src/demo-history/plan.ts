/** A planned call and a planned shift, before they become rows. Times are milliseconds since the epoch. */
import type { IvrOutcome } from '@clarion/protocol';
import type { LegStats } from '@clarion/protocol/media';
import type { Outcome } from '@clarion/core/call-machine/outcome';
import type { CastCustomer, CastQueueRef, CastRef } from './cast.ts';

export interface PlannedOffer {
  agentRef: CastRef;
  at: number;
  until: number;
  result: 'accepted' | 'missed' | 'declined' | 'withdrawn';
}

export interface PlannedCall {
  direction: 'INBOUND' | 'OUTBOUND';
  lineRef: 'main' | 'support' | 'sales' | 'ada';
  customer: CastCustomer;
  externalRef: string | null;
  createdAt: number;
  /** The caller's IVR session in the welcome flow. */
  ivr: { endedAt: number; key: { input: string; at: number } | null; outcome: IvrOutcome } | null;
  queueRef: CastQueueRef | null;
  queuedAt: number | null;
  overflowed: { at: number; to: CastQueueRef } | null;
  offers: PlannedOffer[];
  /** The agent who dialled, or whose line rang. */
  dialledBy: CastRef | null;
  /** Outbound: when the customer's phone was called. */
  dialledAt: number | null;
  answeredBy: CastRef | null;
  answeredAt: number | null;
  hold: { from: number; to: number } | null;
  transfer: { at: number; acceptedAt: number; to: CastRef } | null;
  monitor: { by: CastRef; from: number; to: number } | null;
  endedAt: number;
  outcome: Outcome;
  recording: string | null;
  stats: { customer: LegStats; agent: LegStats } | null;
}

export interface PlannedShift {
  agentRef: CastRef;
  startedAt: number;
  endedAt: number;
}
