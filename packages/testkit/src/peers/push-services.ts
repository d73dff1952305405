/** The push services, simulated, and the credentials of an account at each of them. */
import { generateKeyPairSync } from 'node:crypto';
import { newVapidKey } from '@clarion/core/push/private-key';
import { startPushSimulator } from '@clarion/push-simulator';
import type { PushSimulator } from '@clarion/push-simulator';

const pem = { format: 'pem', type: 'pkcs8' } as const;
export const PROJECT_ID = 'helpdesk-1234';
export const BUNDLE_ID = 'com.example.helpdesk';
const CLIENT_EMAIL = 'push@helpdesk-1234.iam.gserviceaccount.com';
const TEAM_ID = 'TEAM123456';
const KEY_ID = '9ABC123DEF';
const APP_ID = '6f1d3c1e-8a5b-4c7d-9e2f-0a1b2c3d4e5f';
const API_KEY = 'os_v2_app_secret';

export interface PushServices {
  simulator: PushSimulator;
  /** Settings of a process that sends to the simulator. */
  env: Record<string, string>;
  /** As stored, with the secret in plain text. */
  credentials: {
    fcm: { provider: 'fcm'; settings: Record<string, string>; secret: string };
    apns: { provider: 'apns'; settings: Record<string, string | boolean>; secret: string };
    onesignal: { provider: 'onesignal'; settings: Record<string, string>; secret: string };
    webpush: { provider: 'webpush'; settings: Record<string, string>; secret: string };
  };
  stop(): Promise<void>;
}

export async function startPushServices(): Promise<PushServices> {
  const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString();
  const ecKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString();
  const vapid = newVapidKey();
  const simulator = await startPushSimulator({
    apnsKeys: [{ teamId: TEAM_ID, keyId: KEY_ID, key: ecKey, bundleIds: [BUNDLE_ID] }],
    serviceAccounts: [{ projectId: PROJECT_ID, clientEmail: CLIENT_EMAIL, key: rsaKey }],
    oneSignalApps: [{ appId: APP_ID, apiKey: API_KEY }],
  });
  const { urls } = simulator;
  return {
    simulator,
    env: {
      CLARION_APNS_URL: urls.apns,
      CLARION_APNS_SANDBOX_URL: urls.apnsSandbox,
      CLARION_FCM_URL: urls.fcm,
      CLARION_ONESIGNAL_URL: urls.onesignal,
    },
    credentials: {
      fcm: {
        provider: 'fcm',
        settings: { projectId: PROJECT_ID, clientEmail: CLIENT_EMAIL, tokenUri: urls.token },
        secret: rsaKey,
      },
      apns: {
        provider: 'apns',
        settings: { keyId: KEY_ID, teamId: TEAM_ID, bundleId: BUNDLE_ID, sandbox: false },
        secret: ecKey,
      },
      onesignal: { provider: 'onesignal', settings: { appId: APP_ID }, secret: API_KEY },
      webpush: {
        provider: 'webpush',
        settings: { subject: 'mailto:ops@helpdesk.example', publicKey: vapid.publicKey },
        secret: vapid.privateKey,
      },
    },
    stop: () => simulator.close(),
  };
}
