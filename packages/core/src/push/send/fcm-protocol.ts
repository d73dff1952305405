/** Requests to FCM's HTTP v1 API, and what its answers mean. Pure. */
import { z } from 'zod';
import type { PushMessage, PushResult, PushTarget } from '../push-message.ts';
import { isBusy, parsedAnswer, reasonText, retryLater, statusReason } from './answer.ts';
import type { Answer } from './answer.ts';
import { bannerOf, payloadOf, secondsLeft, topicOf } from './payload.ts';

const OK = 200;
const BAD_REQUEST = 400;
const UNAUTHORIZED = 401;

export const fcmPath = (projectId: string): string =>
  `/v1/projects/${encodeURIComponent(projectId)}/messages:send`;

/**
 * Calls are data messages, because the system shows a notification message without waking the app. iOS receives calls from APNs, so a
 * message for iOS is a banner; null: it is none.
 */
export function fcmBody(
  { platform, token }: Pick<PushTarget, 'platform' | 'token'>,
  message: PushMessage,
  now: Date,
): string | null {
  const seconds = secondsLeft(message, now);
  const banner = bannerOf(platform, message);
  if (platform === 'IOS' && !banner) return null;
  const options = {
    ANDROID: { android: { priority: 'HIGH', ttl: `${seconds}s` } },
    WEB: { webpush: { headers: { Urgency: 'high', TTL: String(seconds), Topic: topicOf(message) } } },
    IOS: {
      apns: {
        headers: {
          'apns-priority': '10',
          'apns-expiration': String(Math.ceil(message.expiresAt.getTime() / 1000)),
        },
        payload: { aps: { ...(banner && { alert: banner }), sound: 'default' } },
      },
    },
  }[platform];
  return JSON.stringify({
    message: { token, data: payloadOf(message), ...(banner && { notification: banner }), ...options },
  });
}

const errorBody = z.object({
  error: z.object({
    status: z.string().default(''),
    message: z.string().default(''),
    details: z
      .array(
        z.looseObject({
          errorCode: z.string().optional().catch(undefined),
          fieldViolations: z
            .array(z.looseObject({ field: z.string().optional().catch(undefined) }))
            .optional()
            .catch(undefined),
        }),
      )
      .catch([]),
  }),
});
type FcmError = z.output<typeof errorBody>['error'];

const NO_ERROR: FcmError = { status: '', message: '', details: [] };
const errorOf = ({ text }: Answer): FcmError =>
  errorBody.safeParse(parsedAnswer(text)).data?.error ?? NO_ERROR;

/** FCM's own code; otherwise Google's, which all its APIs share. */
const codeOf = (error: FcmError, status: number): string =>
  reasonText(error.details.find(({ errorCode }) => errorCode)?.errorCode ?? error.status) ||
  statusReason(status);

/** The codes with which FCM says that a token is no longer valid or belongs to another Firebase project. */
const REJECTED_TOKEN = new Set(['UNREGISTERED', 'SENDER_ID_MISMATCH']);

/** FCM does not accept the access token: it was revoked. THIRD_PARTY_AUTH_ERROR has the same status, but is about APNs' or web push keys. */
export const isRefusedAccess = (answer: Answer): boolean =>
  answer.status === UNAUTHORIZED && codeOf(errorOf(answer), answer.status) !== 'THIRD_PARTY_AUTH_ERROR';

export function fcmResult(answer: Answer, now: Date): PushResult {
  const { status } = answer;
  if (status === OK) return { outcome: 'sent', httpStatus: status };
  const error = errorOf(answer);
  const reason = codeOf(error, status);
  if (REJECTED_TOKEN.has(reason) || (status === BAD_REQUEST && isAboutToken(error)))
    return { outcome: 'rejected', httpStatus: status, reason };
  if (isBusy(status)) return retryLater(answer, reason, now);
  return { outcome: 'failed', httpStatus: status, reason };
}

/** INVALID_ARGUMENT has no code of its own for an invalid token. */
const isAboutToken = ({ details, message }: FcmError): boolean =>
  details.some(({ fieldViolations }) => fieldViolations?.some(({ field }) => field === 'message.token')) ||
  message.includes('registration token is not a valid');
