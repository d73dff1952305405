/** Names of platforms and token providers. */
import type { Answer } from '../request.ts';

type Token = Answer<'GET', '/v1/tenants/{tenantRef}/agents/{agentRef}/push-tokens'>['pushTokens'][number];

export const platformNames: Record<Token['platform'], string> = {
  ANDROID: 'Android',
  IOS: 'iOS',
  WEB: 'Browser',
};

export const tokenProviderNames: Record<Token['provider'], string> = {
  FCM: 'Firebase',
  APNS_VOIP: 'Apple VoIP',
  ONESIGNAL: 'OneSignal',
  WEB_PUSH: 'web push',
};
