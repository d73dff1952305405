/** Requests to browsers' push services (RFC 8030, 8291, 8292), and what their answers mean. Pure but for the random salt. */
import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { readWebPushSubscription } from '@clarion/protocol/v1/tenant/push';
import webPush from 'web-push';
import type { PushMessage, PushResult, PushTarget } from '../push-message.ts';
import { isBusy, parsedAnswer, reasonText, retryLater, statusReason } from './answer.ts';
import type { Answer } from './answer.ts';
import { payloadOf, secondsLeft, topicOf } from './payload.ts';
import type { CredentialsOf } from './push-sender.ts';

export interface WebPushRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Null: the token is not a subscription. */
export function webPushRequest(
  { settings, secret }: CredentialsOf<'webpush'>,
  { token }: Pick<PushTarget, 'token'>,
  message: PushMessage,
  now: Date,
): WebPushRequest | null {
  const subscription = readWebPushSubscription(token);
  if (!subscription) return null;
  const { headers, body } = webPush.generateRequestDetails(subscription, JSON.stringify(payloadOf(message)), {
    vapidDetails: {
      subject: settings.subject,
      publicKey: settings.publicKey,
      privateKey: createPrivateKey(secret).export({ format: 'jwk' }).d ?? '',
    },
    TTL: secondsLeft(message, now),
    urgency: 'high',
    topic: topicOf(message),
  });
  return {
    url: subscription.endpoint,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body: body ?? Buffer.alloc(0),
  };
}

/** The subscription has expired, or the user has withdrawn it (RFC 8030, 7.3). */
const ENDED = new Set([404, 410]);

/** Codes of Apple's, Mozilla's and Google's push services. */
const codes = z.union([
  z.object({ reason: z.string() }).transform(({ reason }) => reason),
  z.object({ error: z.string() }).transform(({ error }) => error),
]);

export function webPushResult(answer: Answer, now: Date): PushResult {
  const { status } = answer;
  if (status >= 200 && status < 300) return { outcome: 'sent', httpStatus: status };
  const reason = reasonText(codes.safeParse(parsedAnswer(answer.text)).data ?? '') || statusReason(status);
  if (ENDED.has(status)) return { outcome: 'rejected', httpStatus: status, reason };
  if (isBusy(status)) return retryLater(answer, reason, now);
  return { outcome: 'failed', httpStatus: status, reason };
}
