/** Types shared by the steps of a push notification: claimed (claim-pushes.ts), sent, recorded (record-pushes.ts). */
import type { PushCredential, PushNotification, PushToken } from '@clarion/db';
import { assignmentTypes, pushProviders, withdrawReasons } from '@clarion/protocol';
import { pushPlatforms, pushTokenProviders } from '@clarion/protocol/v1/tenant/push';
import { storedPushSettings } from '@clarion/protocol/v1/tenant/push-credentials';
import { z } from 'zod';
import type { SecretBox } from '../../security/secret-box.ts';
import type { PushMessage, PushTarget } from '../push-message.ts';
import type { PushCredentials } from '../send/push-sender.ts';

/** A push notification as claimed by a worker, with everything that its attempt needs. */
export interface DuePush
  extends
    Pick<
      PushNotification,
      | 'pushId'
      | 'callId'
      | 'consumerId'
      | 'agentId'
      | 'tokenId'
      | 'deviceId'
      | 'platform'
      | 'provider'
      | 'kind'
      | 'assignmentType'
      | 'withdrawReason'
      | 'expiresAt'
      | 'attempts'
    >,
    Pick<PushToken, 'tokenSealed' | 'sandbox'> {
  /** `PushNotification.id`. */
  rowId: string;
  tenantRef: string;
  agentRef: string;
  channelRef: string;
  callerAddress: string | null;
  callerName: string | null;
  /** Null: they were deleted after the notification was written. */
  credentials: StoredCredentials | null;
}

export type StoredCredentials = Pick<PushCredential, 'provider' | 'settings' | 'secretSealed'>;

/** What is passed to the sender. */
export interface PushRequest {
  credentials: PushCredentials;
  to: PushTarget;
  message: PushMessage;
}

export const openedCredentials = (
  { provider, settings, secretSealed }: StoredCredentials,
  secrets: SecretBox,
): PushCredentials => {
  const known = z.enum(pushProviders).parse(provider);
  return {
    provider: known,
    settings: storedPushSettings[known].parse(settings),
    secret: secrets.open('push-credentials', secretSealed),
  } as PushCredentials;
};

export const openedTarget = (
  token: Pick<PushToken, 'platform' | 'provider' | 'tokenSealed' | 'sandbox'>,
  secrets: SecretBox,
): PushTarget => ({
  platform: z.enum(pushPlatforms).parse(token.platform),
  provider: z.enum(pushTokenProviders).parse(token.provider),
  token: secrets.open('push-token', token.tokenSealed),
  sandbox: token.sandbox,
});

/**
 * @returns null if there are no credentials
 * @throws if a secret cannot be decrypted
 */
export function requestOf(due: DuePush, secrets: SecretBox, now: Date): PushRequest | null {
  if (due.credentials === null) return null;
  return {
    credentials: openedCredentials(due.credentials, secrets),
    to: openedTarget(due, secrets),
    message: messageOf(due, now),
  };
}

function messageOf(due: DuePush, sentAt: Date): PushMessage {
  const { pushId, callId, tenantRef, agentRef, channelRef, callerAddress, callerName, expiresAt } = due;
  const aboutCall = {
    pushId,
    callId,
    tenantRef,
    agentRef,
    channelRef,
    callerAddress,
    callerName,
    sentAt,
    expiresAt,
  };
  switch (due.kind) {
    case 'INCOMING':
      return {
        kind: 'INCOMING',
        assignmentType: z.enum(assignmentTypes).parse(due.assignmentType),
        ...aboutCall,
      };
    case 'WITHDRAWN':
      return { kind: 'WITHDRAWN', reason: z.enum(withdrawReasons).parse(due.withdrawReason), ...aboutCall };
    case 'MISSED':
      return { kind: 'MISSED', ...aboutCall };
  }
}
