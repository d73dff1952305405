/**
 * What a push notification shows. Browsers require that each one shows something. Notifications about one call replace one another. Pure.
 */
import type { Push } from './payload.ts';

/** A notification as this worker shows it. */
export interface Shown {
  title: string;
  body: string;
  /** Stays until the agent acts. */
  requireInteraction: boolean;
  /** When the push that it shows was sent: Unix time in milliseconds. */
  data: { sentAt: number };
}

export interface NextNotification {
  title: string;
  options: NotificationOptions & { renotify: boolean; timestamp: number };
}

/** Pushes about one call replace what the earlier ones show. */
export function tagOf(push: Push | null): string {
  if (push === null) return 'clarion';
  return push.type === 'test' ? 'clarion:test' : `clarion:call:${push.callId}`;
}

/** @param before the notification with the same tag that is shown now */
export function notificationFor(push: Push | null, before: Shown | null, now: number): NextNotification {
  const next = shownFor(push, now);
  // Push services may deliver the beginning of the ringing after its end, or a push twice.
  if (before !== null && before.data.sentAt >= next.data.sentAt) return withSound(push, before, false);
  return withSound(push, next, next.requireInteraction);
}

function withSound(push: Push | null, { title, ...options }: Shown, sound: boolean): NextNotification {
  const timestamp = options.data.sentAt;
  return { title, options: { ...options, tag: tagOf(push), timestamp, renotify: sound, silent: !sound } };
}

function shownFor(push: Push | null, now: number): Shown {
  if (push === null) return quiet('The phone has news', 'Open the phone to see it.', now);
  if (push.type === 'test')
    return quiet('Test notification', 'Calls ring here while the phone is closed.', push.sentAt);
  const caller = [push.callerName, push.callerAddress].filter((part) => part !== null).join(' · ');
  const body = caller || 'Number withheld';
  if (push.type === 'call.incoming' && now < push.expiresAt)
    return { title: 'Incoming call', body, requireInteraction: true, data: { sentAt: push.sentAt } };
  return quiet(endOf(push), body, push.sentAt);
}

function endOf(push: Exclude<Push, { type: 'test' }>): string {
  if (push.type !== 'call.withdrawn') return 'Missed call';
  switch (push.reason) {
    case 'ANSWERED_ELSEWHERE':
      return 'Answered elsewhere';
    case 'DECLINED':
      return 'Call declined';
    case 'TIMEOUT':
    case 'CANCELLED':
      return 'Missed call';
  }
}

const quiet = (title: string, body: string, sentAt: number): Shown => ({
  title,
  body,
  requireInteraction: false,
  data: { sentAt },
});
