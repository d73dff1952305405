/** The settings CLARION_APNS_URL, CLARION_APNS_SANDBOX_URL, CLARION_FCM_URL and CLARION_ONESIGNAL_URL, for the processes that send push notifications. */
import { z } from 'zod';

/** The origins of the push services, without a trailing slash. With `http:`, APNs and FCM are spoken as HTTP/2 with prior knowledge. */
export interface PushUrls {
  apns: string;
  apnsSandbox: string;
  fcm: string;
  onesignal: string;
}

const DEFAULT_URLS = {
  CLARION_APNS_URL: 'https://api.push.apple.com',
  CLARION_APNS_SANDBOX_URL: 'https://api.sandbox.push.apple.com',
  CLARION_FCM_URL: 'https://fcm.googleapis.com',
  CLARION_ONESIGNAL_URL: 'https://api.onesignal.com',
} as const;
type Setting = keyof typeof DEFAULT_URLS;
type PushEnv = Record<Setting, string>;

const url = (setting: Setting) =>
  z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .transform((value) => (value === '' ? DEFAULT_URLS[setting] : value.replace(/\/+$/, '')));

/** Spread into an app's env schema, which is then refined with `refuseOtherPushServices`. */
export const pushEnvShape = {
  CLARION_APNS_URL: url('CLARION_APNS_URL'),
  CLARION_APNS_SANDBOX_URL: url('CLARION_APNS_SANDBOX_URL'),
  CLARION_FCM_URL: url('CLARION_FCM_URL'),
  CLARION_ONESIGNAL_URL: url('CLARION_ONESIGNAL_URL'),
};

export const pushUrls = (env: PushEnv): PushUrls => ({
  apns: env.CLARION_APNS_URL,
  apnsSandbox: env.CLARION_APNS_SANDBOX_URL,
  fcm: env.CLARION_FCM_URL,
  onesignal: env.CLARION_ONESIGNAL_URL,
});

const settings = Object.keys(DEFAULT_URLS) as Setting[];

/** Consumers' credentials must not be sent to another host in production. Arguments for `refine` of an env schema. */
export const refuseOtherPushServices: [
  (env: PushEnv & { CLARION_ALLOW_PRIVATE_EGRESS: boolean }) => boolean,
  { message: string; path: string[] },
] = [
  (env) => env.CLARION_ALLOW_PRIVATE_EGRESS || settings.every((name) => env[name] === DEFAULT_URLS[name]),
  {
    message: `${settings.join(', ')} may differ from their defaults only if CLARION_ALLOW_PRIVATE_EGRESS is 1`,
    path: [],
  },
];
