import type { ReactNode } from 'react';
import type { Answer } from '#lib/dashboard/request.ts';

export type PushCredentials = Answer<'GET', '/v1/push-credentials'>['pushCredentials'][number];
export type Provider = 'fcm' | 'apns' | 'onesignal' | 'webpush';

interface ProviderText {
  provider: Provider;
  name: string;
  forWhat: string;
  /** Where to find them. */
  where: ReactNode;
}

export const providers: readonly ProviderText[] = [
  {
    provider: 'fcm',
    name: 'Firebase Cloud Messaging',
    forWhat: 'Calls in Android apps, and notifications on iOS.',
    where: 'Firebase console > Project settings > Service accounts > Generate new private key.',
  },
  {
    provider: 'apns',
    name: 'Apple Push Notification service',
    forWhat: 'Calls on iOS (VoIP notifications).',
    where:
      'Apple Developer > Certificates, Identifiers & Profiles > Keys. The file can be downloaded only once.',
  },
  {
    provider: 'onesignal',
    name: 'OneSignal',
    forWhat: 'Apps that use OneSignal.',
    where: 'OneSignal > Settings > Keys & IDs.',
  },
  {
    provider: 'webpush',
    name: 'Web push',
    forWhat: 'Calls in the browser phone while its tab is closed.',
    where: 'Needs no account: the service generates the key with which it identifies itself to browsers.',
  },
];

/** The parts of stored credentials that may be shown; never the key. */
export function shownFacts(stored: PushCredentials): { term: string; value: string }[] {
  switch (stored.provider) {
    case 'FCM':
      return [
        { term: 'Project', value: stored.projectId },
        { term: 'Service account', value: stored.clientEmail },
        { term: 'Private key', value: 'Stored securely' },
      ];
    case 'APNS':
      return [
        { term: 'Bundle ID', value: stored.bundleId },
        { term: 'Team ID', value: stored.teamId },
        { term: 'Key ID', value: stored.keyId },
        { term: 'Builds', value: stored.sandbox ? 'Development (sandbox)' : 'Production' },
        { term: 'Key', value: 'Stored securely' },
      ];
    case 'ONESIGNAL':
      return [
        { term: 'App ID', value: stored.appId },
        { term: 'API key', value: 'Stored securely' },
      ];
    case 'WEBPUSH':
      return [
        { term: 'Contact', value: stored.subject },
        { term: 'Public key', value: stored.publicKey },
      ];
  }
}
