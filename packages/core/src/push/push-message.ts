/** What a push notification says, to whom it goes, and what a provider answered. Pure types; each provider has its own wire format. */
import type { AssignmentType, WithdrawReason } from '@clarion/protocol';
import type { pushPlatforms, pushTokenProviders } from '@clarion/protocol/v1/tenant/push';

export type PushPlatform = (typeof pushPlatforms)[number];
export type PushTokenProvider = (typeof pushTokenProviders)[number];

/** The same for every device of an agent. It contains no secret: the app connects with its own token. */
interface AboutCall {
  /** Unique per push notification; also APNs' ID of it. */
  pushId: string;
  callId: number;
  tenantRef: string;
  agentRef: string;
  channelRef: string;
  /** Null: the caller withholds their number, or the call was erased. */
  callerAddress: string | null;
  callerName: string | null;
  sentAt: Date;
  /** After this moment the notification is of no use: the offer is over. */
  expiresAt: Date;
}

export type PushMessage =
  | (AboutCall & { kind: 'INCOMING'; assignmentType: AssignmentType })
  /** The call no longer rings the agent. Never sent to iOS, where each VoIP push must report a new call. */
  | (AboutCall & { kind: 'WITHDRAWN'; reason: WithdrawReason })
  /** A banner: nobody answered a call to the agent's personal line. */
  | (AboutCall & { kind: 'MISSED' })
  /** Sent from the dashboard or the API to try the credentials. Never a VoIP push. */
  | { kind: 'TEST'; pushId: string; tenantRef: string; agentRef: string; sentAt: Date; expiresAt: Date };

export interface PushTarget {
  platform: PushPlatform;
  provider: PushTokenProvider;
  token: string;
  /** APNS_VOIP: the environment in which the token worked last; null: not known yet, the credentials decide. */
  sandbox: boolean | null;
}

/** `httpStatus` null: the provider did not answer. `reason`: the provider's own code where it gives one, such as `BadDeviceToken`. */
export type PushResult =
  /** The provider has accepted it. `sandbox`: APNs' environment that did. */
  | { outcome: 'sent'; httpStatus: number; sandbox?: boolean }
  /** The token is no longer valid. It does not count until it is registered again. */
  | { outcome: 'rejected'; httpStatus: number; reason: string }
  /** May succeed later: the provider is busy or was not reached. */
  | { outcome: 'retry'; httpStatus: number | null; reason: string; retryAfterMs?: number }
  /** Will not succeed as it is: the credentials are wrong, or the message is not accepted. */
  | { outcome: 'failed'; httpStatus: number | null; reason: string };
