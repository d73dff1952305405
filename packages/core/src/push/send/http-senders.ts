/** Sends through OneSignal and through browsers' push services, which are plain HTTP requests. */
import type { PushMessage, PushResult, PushTarget } from '../push-message.ts';
import { notSendable } from './answer.ts';
import type { Post } from './egress-request.ts';
import { silenceResult } from './http2-connection.ts';
import { ONESIGNAL_PATH, oneSignalBody, oneSignalResult } from './onesignal-protocol.ts';
import type { CredentialsOf } from './push-sender.ts';
import type { TimeLeft } from './time-left.ts';
import { webPushRequest, webPushResult } from './web-push-protocol.ts';

interface HttpSend {
  to: PushTarget;
  message: PushMessage;
  timeLeft: TimeLeft;
  post: Post;
  now: () => Date;
}

export async function sendThroughOneSignal(
  url: string,
  { settings, secret }: CredentialsOf<'onesignal'>,
  { to, message, timeLeft, post, now }: HttpSend,
): Promise<PushResult> {
  const headers = { authorization: `Key ${secret}`, 'content-type': 'application/json' };
  const body = oneSignalBody(settings.appId, to, message, now());
  const answer = await post(`${url}${ONESIGNAL_PATH}`, { headers, body }, timeLeft);
  return 'silence' in answer ? silenceResult(answer) : oneSignalResult(answer, secret, now());
}

export async function sendWebPush(
  credentials: CredentialsOf<'webpush'>,
  { to, message, timeLeft, post, now }: HttpSend,
): Promise<PushResult> {
  const request = webPushRequest(credentials, to, message, now());
  if (!request) return notSendable('InvalidSubscription');
  const answer = await post(request.url, request, timeLeft);
  return 'silence' in answer ? silenceResult(answer) : webPushResult(answer, now());
}
