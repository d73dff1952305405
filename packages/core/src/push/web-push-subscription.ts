/** The agent's own browser subscribes to push notifications, or unsubscribes. */
import type { Database } from '@clarion/db';
import { ApiError } from '@clarion/protocol';
import type { WebPushSubscription } from '@clarion/protocol/v1/tenant/push';
import { inTransaction } from '../context.ts';
import type { Actor, Surface } from '../context.ts';
import { assertPublicUrl } from '../egress/assert-public.ts';
import type { PublicCheck } from '../egress/assert-public.ts';
import type { SecretBox } from '../security/secret-box.ts';
import { webPushKeysOf } from './push-credentials.ts';
import { removePushTokens, storePushToken } from './store-push-token.ts';
import type { PushDevice, PushTokenCtx } from './store-push-token.ts';

/** The device of a connected socket. */
export interface ConnectedDevice extends PushDevice {
  consumerId: number;
}

interface SubscriptionDeps {
  db: Database;
  secrets: SecretBox;
  now: Date;
}

/** @throws invalid_request if the endpoint is not public, invalid_state if the account has not set up web push */
export async function subscribeToWebPush(
  deps: SubscriptionDeps & { check: PublicCheck },
  device: ConnectedDevice,
  subscription: WebPushSubscription,
): Promise<void> {
  await assertPublicUrl('subscription.endpoint', subscription.endpoint, deps.check);
  if ((await webPushKeysOf(deps.db, [device.consumerId])).length === 0)
    throw new ApiError('invalid_state', { message: 'The account has not set up web push.' });
  await inTransaction(ctxOf(deps, device), async (inner) => {
    const token = JSON.stringify(subscription);
    await storePushToken(inner, device, { platform: 'WEB', provider: 'WEB_PUSH', token });
  });
}

/** Without a subscription there is nothing to delete, which is not an error. */
export async function unsubscribeFromWebPush(deps: SubscriptionDeps, device: ConnectedDevice): Promise<void> {
  await inTransaction(ctxOf(deps, device), (inner) => removePushTokens(inner, device, 'WEB_PUSH'));
}

const ctxOf = ({ db, secrets, now }: SubscriptionDeps, device: ConnectedDevice): PushTokenCtx => ({
  db,
  secrets,
  now,
  consumer: { id: device.consumerId },
  actor: { kind: 'agent', id: device.agentId } satisfies Actor,
  surface: 'socket' satisfies Surface,
});
