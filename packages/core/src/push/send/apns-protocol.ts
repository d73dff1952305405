/** Requests to APNs, and what its answers mean. Pure. */
import { z } from 'zod';
import type { PushMessage, PushResult, PushTarget } from '../push-message.ts';
import { isBusy, parsedAnswer, reasonText, retryLater, statusReason } from './answer.ts';
import type { Answer } from './answer.ts';
import { payloadOf } from './payload.ts';
import type { PushSettings } from './push-sender.ts';

/** No device has this token: APNs' answer BadDeviceToken shows that it accepts the credentials. */
const IMPOSSIBLE_TOKEN = '0'.repeat(64);
const BAD_TOKEN = 'BadDeviceToken';
const REJECTED_TOKEN = new Set([BAD_TOKEN, 'DeviceTokenNotForTopic', 'Unregistered', 'ExpiredToken']);
const EXPIRED_JWT = 'ExpiredProviderToken';
const OK = 200;
const GONE = 410;
const FORBIDDEN = 403;

export interface ApnsRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Null: iOS terminates an app that receives a VoIP push without reporting a new call, so nothing but a new call is sent as one. */
export function apnsRequest(
  { bundleId }: Pick<PushSettings<'apns'>, 'bundleId'>,
  { token }: Pick<PushTarget, 'token'>,
  message: PushMessage,
): ApnsRequest | null {
  if (message.kind !== 'INCOMING' && message.kind !== 'TEST') return null;
  return {
    path: `/3/device/${encodeURIComponent(message.kind === 'TEST' ? IMPOSSIBLE_TOKEN : token)}`,
    headers: {
      'apns-topic': `${bundleId}.voip`,
      'apns-push-type': 'voip',
      'apns-priority': '10',
      // APNs delivers it now or not at all: a call that is shown later has ended.
      'apns-expiration': '0',
      'apns-id': message.pushId,
    },
    body: JSON.stringify({ aps: {}, ...payloadOf(message) }),
  };
}

const body = z.object({ reason: z.string().min(1) });
const reasonOf = ({ status, text }: Answer): string => {
  const { data } = body.safeParse(parsedAnswer(text));
  return data ? reasonText(data.reason) : statusReason(status);
};

/** The provider token has expired by Apple's clock. */
export const isExpiredJwt = (answer: Answer): boolean =>
  answer.status === FORBIDDEN && reasonOf(answer) === EXPIRED_JWT;

/** APNs does not know the token: it is invalid, or belongs to the other environment. */
export const isUnknownToken = (result: PushResult): boolean =>
  result.outcome === 'rejected' && result.reason === BAD_TOKEN;

/** `sandbox`: the environment that answered. */
export function apnsResult(
  answer: Answer,
  { kind, sandbox, now }: { kind: PushMessage['kind']; sandbox: boolean; now: Date },
): PushResult {
  const { status } = answer;
  if (status === OK) return { outcome: 'sent', httpStatus: status, sandbox };
  const reason = reasonOf(answer);
  if (kind === 'TEST' && reason === BAD_TOKEN) return { outcome: 'sent', httpStatus: status, sandbox };
  if (status === GONE || REJECTED_TOKEN.has(reason)) {
    // The token of a test is not that of a device.
    return { outcome: kind === 'TEST' ? 'failed' : 'rejected', httpStatus: status, reason };
  }
  if (isBusy(status)) return retryLater(answer, reason, now);
  return { outcome: 'failed', httpStatus: status, reason };
}
