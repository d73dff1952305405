/** What a ladder shows: the shapes of the Management API. */

export type LadderParticipantKind = 'CARRIER' | 'SERVICE' | 'AGENT' | 'SUPERVISOR' | 'META';
export type LadderEntryKind = 'SIP' | 'SDP' | 'GRAPH' | 'WEBHOOK' | 'MEDIA' | 'EVENT';

export interface LadderParticipant {
  id: string;
  kind: LadderParticipantKind;
  label: string;
}

export interface LadderEntry {
  at: string;
  /** Milliseconds since the first entry. */
  offsetMs: number;
  from: string;
  /** Null: it concerns `from` alone. */
  to: string | null;
  kind: LadderEntryKind;
  summary: string;
  /** The message. */
  detail: string | null;
}

/** `+0.031`, `+1:02.5`: seconds, or minutes and seconds. */
export function formatOffset(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return `+${seconds.toFixed(3)}`;
  const minutes = Math.floor(seconds / 60);
  return `+${minutes}:${(seconds % 60).toFixed(1).padStart(4, '0')}`;
}

export type LadderTone = 'request' | 'provisional' | 'success' | 'failure' | 'media' | 'event';

const RESPONSE = /^([1-6])\d\d\b/;

/** The colour of a line. Its text says the same. */
export function toneOf({ kind, summary }: LadderEntry): LadderTone {
  if (kind === 'MEDIA') return 'media';
  if (kind === 'EVENT') return 'event';
  const [, digit] = RESPONSE.exec(summary) ?? [];
  if (digit === undefined) return 'request';
  if (digit === '1') return 'provisional';
  return digit === '2' ? 'success' : 'failure';
}
