/**
 * What the reasons of push providers mean, and what to do about them, for the API's test push and the dashboard. Pure, and without zod, which
 * would be a third of what a page loads.
 */
import type { PushProvider } from './enums.ts';

/** Who issued a push token → the provider with whose credentials it is used. */
export const credentialsOfToken = {
  FCM: 'fcm',
  APNS_VOIP: 'apns',
  ONESIGNAL: 'onesignal',
  WEB_PUSH: 'webpush',
} as const satisfies Record<string, PushProvider>;

/** An answer that was not a success. `reason`: the provider's own code where it gives one, or ours. */
export interface PushAnswer {
  /** Null: the provider did not answer. Absent: not known. */
  httpStatus?: number | null;
  reason: string;
}

const names: Record<PushProvider, string> = {
  apns: 'Apple',
  fcm: 'Google',
  onesignal: 'OneSignal',
  webpush: "The browser's push service",
};

const REGISTERS_AGAIN = 'It can ring again once the app registers a new token.';
const APP_IS_GONE = `The app was removed from the device, or its token has expired. ${REGISTERS_AGAIN}`;
const APPLES_KEY = 'Apple does not accept this key. Check the key ID and the team ID.';
const APPLES_TOPIC =
  "Apple does not allow this key to send to the app. Check the bundle ID, and that the app's identifier has the capability Push Notifications.";
const APPLES_ENVIRONMENT =
  'The key is limited to the other environment of APNs. Use a key for both, or change whether development builds are meant.';
const SUBSCRIPTION_ENDED =
  'The subscription of the browser has ended. It can ring again once the browser subscribes again.';
const OTHER_VAPID_KEY =
  'The browser has subscribed with another key. It must subscribe again with the public key of these credentials.';
const ONESIGNAL_NOT_SUBSCRIBED =
  'OneSignal has no subscription with this ID that can be notified. The token must be the subscription ID, and the user must have allowed notifications.';

/** Reasons of each provider. Those of ours, which may happen with any of them, are in `ownReasons`. */
const reasons: Record<PushProvider, Readonly<Record<string, string>>> = {
  apns: {
    InvalidProviderToken: APPLES_KEY,
    MissingProviderToken: APPLES_KEY,
    ExpiredProviderToken: "Apple says that the sender's token has expired. Check the clock of the server.",
    BadTopic: APPLES_TOPIC,
    MissingTopic: APPLES_TOPIC,
    TopicDisallowed: APPLES_TOPIC,
    BadEnvironmentKeyInToken: APPLES_ENVIRONMENT,
    BadEnvironmentKeyIdInToken: APPLES_ENVIRONMENT,
    BadDeviceToken: `Apple does not know this token. ${REGISTERS_AGAIN}`,
    DeviceTokenNotForTopic:
      'The token belongs to an app with another bundle ID. Check the bundle ID of the credentials, and that the app registers the token of PushKit.',
    Unregistered: APP_IS_GONE,
    ExpiredToken: APP_IS_GONE,
    TooManyProviderTokenUpdates:
      'Apple allows this key no more sessions for the moment. Try again in 20 minutes.',
    OnlyIncomingCallsAsVoip: 'Only incoming calls are sent to iOS as VoIP pushes.',
  },
  fcm: {
    invalid_grant:
      'Google does not accept the key of the service account: the key or the account was deleted, or the clock of the server is wrong. Create a new key.',
    invalid_client: 'Google does not recognise the service account. Create a new key.',
    unauthorized_client: 'Google does not recognise the service account. Create a new key.',
    UNREGISTERED: APP_IS_GONE,
    SENDER_ID_MISMATCH:
      'The token belongs to another Firebase project. The app and the service account must be of the same project.',
    INVALID_ARGUMENT:
      'Google does not accept the token or the message. Check that the token is a registration token of FCM.',
    PERMISSION_DENIED:
      'The service account may not send messages. Enable the Firebase Cloud Messaging API (V1) in the project, and give the account the role Firebase Cloud Messaging API Admin.',
    SERVICE_DISABLED: 'Enable the Firebase Cloud Messaging API (V1) in the project.',
    UNAUTHENTICATED: 'Google does not accept the service account. Create a new key.',
    NOT_FOUND: 'Google does not know the project of the service account. Check the project ID.',
    THIRD_PARTY_AUTH_ERROR:
      "The Firebase project has no valid key for this kind of device. Upload Apple's key, or check the web push certificate, in the Firebase console > Project settings > Cloud Messaging.",
    OnlyBannersToIos:
      'On iOS, FCM delivers only missed-call notifications. Calls require an APNS_VOIP token.',
  },
  onesignal: {
    not_subscribed: ONESIGNAL_NOT_SUBSCRIBED,
    invalid_player_ids: ONESIGNAL_NOT_SUBSCRIBED,
    invalid_subscription_ids: ONESIGNAL_NOT_SUBSCRIBED,
    HTTP_404: 'OneSignal does not know the app. Check the app ID.',
  },
  webpush: {
    HTTP_404: SUBSCRIPTION_ENDED,
    HTTP_410: SUBSCRIPTION_ENDED,
    ExpiredSubscription: SUBSCRIPTION_ENDED,
    Unregistered: SUBSCRIPTION_ENDED,
    VapidPkHashMismatch: OTHER_VAPID_KEY,
    HTTP_401: OTHER_VAPID_KEY,
    HTTP_403: OTHER_VAPID_KEY,
    BadJwtToken:
      'The push service does not accept the sender. Check the contact: it must be a mailto: or https: URL that exists.',
    InvalidSubscription: "The token is not a browser's PushSubscription. The browser must subscribe again.",
  },
};

const ownReasons: Readonly<Record<string, string>> = {
  NoCredentials: 'The account has no credentials for this provider.',
  InvalidPrivateKey: 'The key cannot be used. Set the credentials again with a new key.',
  UnreadableSecret:
    "The stored key or token cannot be decrypted, because the service's master key was replaced. Set the credentials again, and have the app register again.",
  AddressNotAllowed:
    'The address is not public. Check the token_uri of the service account, or let the browser subscribe again.',
  CredentialsOfOtherProvider: 'The token was issued by another provider.',
  Expired: 'There was no time left to send it.',
  InternalError: 'The service could not send it. The log of the service says why.',
};

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/** Reasons without an answer: ours, and Node's codes such as ECONNREFUSED. */
const UNREACHED = /^(?:E[A-Z_]+|UND_ERR_[A-Z_]+|Closed|Busy|ConnectionLost|TooManyConnections)$/;

/** Sentences in plain words. An unknown reason is quoted. */
export function explainPushReason(provider: PushProvider, { httpStatus, reason }: PushAnswer): string {
  const known = reasonIn(reasons[provider], reason) ?? reasonIn(ownReasons, reason);
  if (known !== null) return known;
  const name = names[provider];
  if (typeof httpStatus === 'number') return explainStatus(name, httpStatus, reason);
  if (reason === 'Timeout') return `${name} did not answer in time. Try again.`;
  if (httpStatus === null || UNREACHED.test(reason))
    return `${name} could not be reached (${reason}). Try again; if it persists, check that the server can reach the internet.`;
  return `${name} did not accept it: ${reason}`;
}

function explainStatus(name: string, httpStatus: number, reason: string): string {
  if (httpStatus === TOO_MANY_REQUESTS || httpStatus >= SERVER_ERROR)
    return `${name} is busy or unavailable (${reason}). Try again later.`;
  if (httpStatus === UNAUTHORIZED || httpStatus === FORBIDDEN)
    return `${name} does not accept the credentials (${reason}). Set them again.`;
  return `${name} did not accept it: ${reason}`;
}

/** What a successful test push shows. */
export const pushAccepted: Record<PushProvider, string> = {
  apns: 'Apple accepts the credentials. No device was notified, because on iOS every VoIP push must report a call.',
  fcm: 'Google accepted the test push. If the device does not receive it within seconds, check that the app handles messages while it is closed.',
  onesignal:
    'OneSignal accepted the test push. If the device does not receive it within seconds, look it up in OneSignal > Delivery.',
  webpush:
    "The browser's push service accepted the test push. If the browser does not show it, check that notifications are allowed in the browser and in the system.",
};

const reasonIn = (table: Readonly<Record<string, string>>, reason: string): string | null =>
  Object.hasOwn(table, reason) ? (table[reason] ?? null) : null;
