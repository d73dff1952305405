/**
 * Registers a device for push notifications of calls. A token belongs to one agent at a time: if another agent signs in on the same phone,
 * the last PUT takes over the token, so that the previous agent's calls do not ring there.
 */
import { readWebPushSubscription } from '@clarion/protocol/v1/tenant/push';
import type { PushTokenResource, PutPushToken } from '@clarion/protocol/v1/tenant/push';
import { agentOf } from '../agent/agent-of.ts';
import { inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import { assertPublicUrl } from '../egress/assert-public.ts';
import { presentPushToken } from './present.ts';
import { storePushToken } from './store-push-token.ts';

/** @throws 400 if the endpoint of a browser's subscription is not public */
export async function putPushToken(
  ctx: Ctx,
  { tenantRef, agentRef, deviceId }: { tenantRef: string; agentRef: string; deviceId: string },
  body: PutPushToken,
): Promise<PushTokenResource> {
  const { allowPrivateEgress: allowPrivate, resolve } = ctx.settings;
  const subscription = body.provider === 'WEB_PUSH' ? readWebPushSubscription(body.token) : null;
  if (subscription)
    await assertPublicUrl('token', subscription.endpoint, { allowPrivate, ...(resolve && { resolve }) });
  return inTransaction(ctx, async (inner) => {
    const tenant = await tenantOf(inner, tenantRef);
    const { id: agentId } = await agentOf(inner, tenant, agentRef);
    const device = { agentId, agentRef, tenantId: tenant.id, deviceId };
    // A browser's subscription is one token, however it is written.
    const token = subscription ? JSON.stringify(subscription) : body.token;
    return presentPushToken(await storePushToken(inner, device, { ...body, token }), inner.secrets);
  });
}
