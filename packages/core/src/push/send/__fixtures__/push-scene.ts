/** The push services, simulated, and a sender with the credentials of one consumer. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { startPushSimulator } from '@clarion/push-simulator';
import type { PushSimulator } from '@clarion/push-simulator';
import { createEgress } from '../../../egress/guard.ts';
import { newVapidKey } from '../../private-key.ts';
import type { PushMessage, PushTarget } from '../../push-message.ts';
import { createPushSender } from '../push-sender.ts';
import type { CredentialsOf, PushSender } from '../push-sender.ts';

const pem = { format: 'pem', type: 'pkcs8' } as const;
export const newEcKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString();
export const newRsaKey = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(pem).toString();

export const BUNDLE_ID = 'com.example.helpdesk';
export const PROJECT_ID = 'helpdesk-1234';
const APP_ID = '6f1d3c1e-8a5b-4c7d-9e2f-0a1b2c3d4e5f';
const OFFER_MS = 30_000;

export interface PushScene {
  simulator: PushSimulator;
  sender: PushSender;
  /** Of the consumer. */
  apns: CredentialsOf<'apns'>;
  fcm: CredentialsOf<'fcm'>;
  onesignal: CredentialsOf<'onesignal'>;
  webpush: CredentialsOf<'webpush'>;
  /** Time passes, for the sender and for the providers. */
  advance(ms: number): void;
  /** Undoes what a test changed at the providers, and `advance`. */
  reset(): void;
  now(): Date;
  /** In this many milliseconds. */
  within(ms: number): Date;
  /** What the sender logged as errors. */
  errors: object[];
  stop(): Promise<void>;
}

export async function startPushScene(): Promise<PushScene> {
  const [ecKey, rsaKey, vapid] = [newEcKey(), newRsaKey(), newVapidKey()];
  const simulator = await startPushSimulator({
    apnsKeys: [{ teamId: 'TEAM123456', keyId: '9ABC123DEF', key: ecKey, bundleIds: [BUNDLE_ID] }],
    serviceAccounts: [{ projectId: PROJECT_ID, clientEmail: 'push@helpdesk.example', key: rsaKey }],
    oneSignalApps: [{ appId: APP_ID, apiKey: 'os_v2_app_secret' }],
  });
  let offsetMs = 0;
  const now = () => new Date(Date.now() + offsetMs);
  const errors: object[] = [];
  const egress = createEgress({ allowPrivate: true });
  const sender = createPushSender({
    egress,
    urls: simulator.urls,
    allowPrivate: true,
    now,
    log: { debug: () => {}, error: (details) => errors.push(details) },
  });
  return {
    simulator,
    sender,
    apns: {
      provider: 'apns',
      settings: { keyId: '9ABC123DEF', teamId: 'TEAM123456', bundleId: BUNDLE_ID, sandbox: false },
      secret: ecKey,
    },
    fcm: {
      provider: 'fcm',
      settings: {
        projectId: PROJECT_ID,
        clientEmail: 'push@helpdesk.example',
        tokenUri: simulator.urls.token,
      },
      secret: rsaKey,
    },
    onesignal: { provider: 'onesignal', settings: { appId: APP_ID }, secret: 'os_v2_app_secret' },
    webpush: {
      provider: 'webpush',
      settings: { subject: 'mailto:ops@helpdesk.example', publicKey: vapid.publicKey },
      secret: vapid.privateKey,
    },
    now,
    advance(ms) {
      offsetMs += ms;
      for (const service of [simulator.apns, simulator.oauth]) service.clockOffsetMs += ms;
    },
    reset() {
      offsetMs = 0;
      simulator.reset();
    },
    within: (ms) => new Date(now().getTime() + ms),
    errors,
    async stop() {
      await sender.close();
      await egress.close();
      await simulator.close();
    },
  };
}

export const iphone = (token: string, sandbox: boolean | null = null): PushTarget => ({
  platform: 'IOS',
  provider: 'APNS_VOIP',
  token,
  sandbox,
});
export const android = (token: string): PushTarget => ({
  platform: 'ANDROID',
  provider: 'FCM',
  token,
  sandbox: null,
});

type Kind = PushMessage['kind'];

/** A call that rings for half a minute from `at` on. */
export function message(kind: Kind, at = new Date(), changes: Partial<PushMessage> = {}): PushMessage {
  const times = { sentAt: at, expiresAt: new Date(at.getTime() + OFFER_MS) };
  const agent = { pushId: randomUUID(), tenantRef: 'north', agentRef: 'ada', ...times };
  const call = { callId: 981, channelRef: 'main', callerAddress: '+442071838750', callerName: 'Grace' };
  const messages: Record<Kind, PushMessage> = {
    INCOMING: { kind: 'INCOMING', ...agent, ...call, assignmentType: 'QUEUE' },
    WITHDRAWN: { kind: 'WITHDRAWN', ...agent, ...call, reason: 'ANSWERED_ELSEWHERE' },
    MISSED: { kind: 'MISSED', ...agent, ...call },
    TEST: { kind: 'TEST', ...agent },
  };
  return { ...messages[kind], ...changes } as PushMessage;
}
