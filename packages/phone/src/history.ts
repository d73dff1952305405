/** Today's calls of this browser session, from the SDK's events. Pure except for the storage functions at the end. */
import type { AgentCall } from '@clarion/sdk';
import type { PhoneCall } from '@clarion/ui';
import { phoneCall, secondsBetween } from './phone-view.ts';

/** Enough for a busy day of one agent. */
export const MAX_ENTRIES = 100;

export interface PastCall {
  call: PhoneCall;
  /** By the local clock. */
  at: number;
  talkedSeconds: number;
  missed: boolean;
}
export interface History {
  /** Newest first. */
  calls: PastCall[];
  /** By call ID. */
  notes: Record<number, string>;
}
export const emptyHistory: History = { calls: [], notes: {} };

/** A call that ended here. */
export function endedCall(info: Readonly<AgentCall>, clockOffsetMs: number): PastCall {
  const talkedSeconds = secondsBetween(info.answeredAt, info.endedAt);
  return {
    call: phoneCall(info),
    at: Date.parse(info.createdAt) - clockOffsetMs,
    talkedSeconds,
    missed: info.direction === 'INBOUND' && info.answeredAt === null,
  };
}

/** A call that stopped ringing here; null if a colleague or another device answered it, so that no one needs to call back. */
export function withdrawnCall(
  info: Readonly<AgentCall>,
  reason: string,
  clockOffsetMs: number,
): PastCall | null {
  if (reason === 'ANSWERED_ELSEWHERE') return null;
  return {
    call: phoneCall(info),
    at: Date.parse(info.createdAt) - clockOffsetMs,
    talkedSeconds: 0,
    missed: reason !== 'DECLINED',
  };
}

/** One entry per call; the latest one replaces the others. */
export function withCall(history: History, past: PastCall): History {
  const others = history.calls.filter(({ call }) => call.id !== past.call.id);
  return { ...history, calls: [past, ...others].toSorted((a, b) => b.at - a.at).slice(0, MAX_ENTRIES) };
}

export const withNote = (history: History, callId: number, text: string): History => ({
  ...history,
  notes: { ...history.notes, [callId]: text },
});

/** The stored history, without calls of other days. */
export function readHistory(key: string, now: Date): History {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null') as History | null;
    if (kept === null) return emptyHistory;
    const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
    return { ...kept, calls: kept.calls.filter(({ at }) => at >= today) };
  } catch {
    return emptyHistory;
  }
}

export function keepHistory(key: string, history: History): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(history));
  } catch {
    // Without storage, the history lasts until the page is closed.
  }
}
