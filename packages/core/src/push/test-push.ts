/**
 * A test push: sent immediately to one device, to see what the provider answers. With apns no device receives it, because iOS requires that
 * each VoIP push reports a call. In three steps, because the request to the provider belongs to no transaction.
 */
import { randomUUID } from 'node:crypto';
import type { PushToken } from '@clarion/db';
import { invalidField, notFound } from '@clarion/protocol';
import type { PushProvider } from '@clarion/protocol';
import { credentialsOfToken, explainPushReason, pushAccepted } from '@clarion/protocol/push-reasons';
import { pushTokenProviders } from '@clarion/protocol/v1/tenant/push';
import type { TestPush, TestPushResource } from '@clarion/protocol/v1/tenant/push-credentials';
import { findAgent } from '../agent/agent-of.ts';
import { audit, inTransaction, tenantOfBody } from '../context.ts';
import type { Ctx } from '../context.ts';
import { outcomeOf } from './deliver/after-attempt.ts';
import { openedCredentials, openedTarget } from './deliver/due-push.ts';
import type { PushRequest } from './deliver/due-push.ts';
import type { PushResult, PushTarget } from './push-message.ts';
import type { PushSender } from './send/push-sender.ts';

/** How long the provider may take to answer. */
const ANSWER_WITHIN_MS = 10_000;

export interface PreparedTestPush {
  provider: PushProvider;
  request: PushRequest;
  /** Null with apns. */
  token: (PushToken & { tenantId: number }) | null;
}

/** @throws 404 without credentials or token; 400 naming the field that is missing or matches nothing */
export async function prepareTestPush(
  ctx: Ctx,
  provider: PushProvider,
  body: TestPush,
): Promise<PreparedTestPush> {
  const { db, consumer, secrets, now } = ctx;
  const stored = await db.pushCredential.findUnique({
    where: { consumerId_provider: { consumerId: consumer.id, provider } },
  });
  if (!stored) throw notFound(`A set of ${provider} credentials`);
  const token = provider === 'apns' ? null : await tokenOf(ctx, provider, body);
  return {
    provider,
    token,
    request: {
      credentials: openedCredentials(stored, secrets),
      to: token ? openedTarget(token, secrets) : noDevice,
      message: {
        kind: 'TEST',
        pushId: randomUUID(),
        tenantRef: body.tenant_ref ?? '',
        agentRef: body.agent_ref ?? '',
        sentAt: now,
        expiresAt: new Date(now.getTime() + ANSWER_WITHIN_MS),
      },
    },
  };
}

const noDevice: PushTarget = { platform: 'IOS', provider: 'APNS_VOIP', token: '', sandbox: null };

async function tokenOf(ctx: Ctx, provider: PushProvider, body: TestPush) {
  const wanted = (field: keyof TestPush): string => {
    const value = body[field];
    if (value === undefined) throw invalidField(field, `${field} is required with ${provider}.`);
    return value;
  };
  const tenant = await tenantOfBody(ctx, wanted('tenant_ref'));
  const agentRef = wanted('agent_ref');
  const agent = await findAgent(ctx, tenant, agentRef);
  if (!agent) throw invalidField('agent_ref', `agent_ref: the tenant has no agent ${agentRef}.`);
  const deviceId = wanted('device_id');
  const issuers = pushTokenProviders.filter((one) => credentialsOfToken[one] === provider);
  const token = await ctx.db.pushToken.findFirst({
    where: { agentId: agent.id, deviceId, provider: { in: issuers } },
  });
  if (!token) throw notFound(`A push token of ${provider} for this device`);
  return { ...token, tenantId: tenant.id };
}

export const sendTestPush = (sender: PushSender, { request }: PreparedTestPush): Promise<PushResult> =>
  sender.send(request.credentials, request.to, request.message, request.message.expiresAt);

/** A token that is no longer valid does not count until it is registered again, as after any push notification. */
export function recordTestPush(
  ctx: Ctx,
  { provider, token }: PreparedTestPush,
  result: PushResult,
): Promise<TestPushResource> {
  const { httpStatus, reason } = outcomeOf(result, 0);
  return inTransaction(ctx, async (inner) => {
    if (token) {
      await inner.db.$executeRaw`select from "Agent" where "id" = ${token.agentId} for no key update`;
      await inner.db.pushToken.updateMany({
        // Unless it was registered again meanwhile, which is what updatedAt says.
        where: { id: token.id, tokenSealed: token.tokenSealed },
        data: {
          lastPushedAt: inner.now,
          lastResult: reason ?? 'SENT',
          updatedAt: token.updatedAt,
          ...(result.outcome === 'rejected' && { rejectedAt: inner.now }),
        },
      });
    }
    await audit(inner, {
      action: 'push_credentials.test',
      target: provider,
      ...(token && { tenantId: token.tenantId }),
      details: { outcome: result.outcome, reason, ...(token && { deviceId: token.deviceId }) },
    });
    return {
      outcome: ({ sent: 'SENT', rejected: 'REJECTED', retry: 'RETRY', failed: 'FAILED' } as const)[
        result.outcome
      ],
      httpStatus,
      reason,
      message: reason === null ? pushAccepted[provider] : explainPushReason(provider, { httpStatus, reason }),
    };
  });
}
