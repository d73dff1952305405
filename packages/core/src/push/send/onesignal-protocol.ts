/** Requests to OneSignal's REST API, and what its answers mean. Pure. */
import { z } from 'zod';
import type { PushMessage, PushResult, PushTarget } from '../push-message.ts';
import { isBusy, parsedAnswer, reasonText, retryLater, statusReason } from './answer.ts';
import type { Answer } from './answer.ts';
import { bannerOf, payloadOf, secondsLeft } from './payload.ts';

export const ONESIGNAL_PATH = '/notifications';

/** Calls have no contents, so that the app and not OneSignal shows them. On iOS, where they come from APNs, a test is shown. */
export function oneSignalBody(
  appId: string,
  { platform, token }: Pick<PushTarget, 'platform' | 'token'>,
  message: PushMessage,
  now: Date,
): string {
  const shown = bannerOf(platform, message);
  return JSON.stringify({
    app_id: appId,
    target_channel: 'push',
    include_subscription_ids: [token],
    data: payloadOf(message),
    priority: 10,
    ttl: secondsLeft(message, now),
    ...(shown
      ? { headings: { en: shown.title }, contents: { en: shown.body } }
      : { content_available: true }),
  });
}

const ids = z.array(z.string()).min(1);
const accepted = z.object({ id: z.string().default(''), errors: z.unknown().optional() });
const invalidToken = z.union([
  z.object({ invalid_player_ids: ids }).transform(() => 'invalid_player_ids'),
  z.object({ invalid_subscription_ids: ids }).transform(() => 'invalid_subscription_ids'),
]);
const sentences = z.object({ errors: z.array(z.string()).min(1) });

/** @param apiKey is removed from OneSignal's sentences. */
export function oneSignalResult(answer: Answer, apiKey: string, now: Date): PushResult {
  const { status } = answer;
  const json = parsedAnswer(answer.text);
  if (status >= 200 && status < 300) {
    const { data } = accepted.safeParse(json);
    if (!data) return { outcome: 'failed', httpStatus: status, reason: 'InvalidResponse' };
    const invalid = invalidToken.safeParse(data.errors).data;
    if (invalid) return { outcome: 'rejected', httpStatus: status, reason: invalid };
    // "All included players are not subscribed": nothing was created for the one device.
    if (data.id === '') return { outcome: 'rejected', httpStatus: status, reason: 'not_subscribed' };
    return { outcome: 'sent', httpStatus: status };
  }
  const [sentence = ''] = sentences.safeParse(json).data?.errors ?? [];
  const reason = reasonText(sentence.replaceAll(apiKey, '…')) || statusReason(status);
  if (isBusy(status)) return retryLater(answer, reason, now);
  return { outcome: 'failed', httpStatus: status, reason };
}
