/** What a device receives, and how long it is of use. Pure. */
import type { PushPayload } from '@clarion/protocol/push-payload';
import type { PushMessage, PushPlatform } from '../push-message.ts';

/** FCM and Web Push accept 4,096 bytes. Names and addresses from outside are cut, so that the rest always fits. */
const CALLER_MAX_CHARS = 128;

/** Keys without a value are absent. */
export function payloadOf(message: PushMessage): PushPayload {
  const always = {
    pushId: message.pushId,
    tenantRef: message.tenantRef,
    agentRef: message.agentRef,
    sentAt: message.sentAt.toISOString(),
    expiresAt: message.expiresAt.toISOString(),
  };
  if (message.kind === 'TEST') return { type: 'test', ...always };
  const { callerAddress, callerName } = message;
  const call = {
    ...always,
    callId: String(message.callId),
    channelRef: message.channelRef,
    ...(callerAddress !== null && { callerAddress: shortened(callerAddress) }),
    ...(callerName !== null && { callerName: shortened(callerName) }),
  };
  switch (message.kind) {
    case 'INCOMING':
      return { type: 'call.incoming', ...call, assignmentType: message.assignmentType };
    case 'WITHDRAWN':
      return { type: 'call.withdrawn', ...call, reason: message.reason };
    case 'MISSED':
      return { type: 'call.missed', ...call };
  }
}

const shortened = (text: string): string => [...text].slice(0, CALLER_MAX_CHARS).join('');

/** What the system shows without the app; null: the app receives data. On iOS the app would not be woken for a test. */
export function bannerOf(
  platform: PushPlatform,
  message: PushMessage,
): { title: string; body: string } | null {
  if (message.kind === 'TEST' && platform === 'IOS')
    return { title: 'Test', body: 'Push notifications are working.' };
  if (message.kind !== 'MISSED') return null;
  const { callerName, callerAddress } = message;
  return { title: 'Missed call', body: shortened(callerName ?? callerAddress ?? 'Unknown caller') };
}

/** A withdrawal replaces the undelivered notification of the same call. At most 32 characters of base64url (RFC 8030, 5.4). */
export const topicOf = (message: PushMessage): string =>
  message.kind === 'TEST' ? 'test' : `call-${message.callId}`;

/** At least 1, because 0 means that a device that is asleep does not receive it at all. */
export const secondsLeft = (message: PushMessage, now: Date): number =>
  Math.max(1, Math.ceil((message.expiresAt.getTime() - now.getTime()) / 1000));
