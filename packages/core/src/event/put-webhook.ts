/** Webhook settings: where events go, which, and the secret that signs them (docs/requirements.md#events). */
import { Prisma } from '@clarion/db';
import type { Consumer } from '@clarion/db';
import type { PutWebhook, WebhookResource } from '@clarion/protocol/v1/account/webhook';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { assertPublicUrl } from '../egress/assert-public.ts';
import { presentWebhook } from './present.ts';
import { newWebhookSecret, PREVIOUS_SECRET_MS } from './signature.ts';

/** Replaces all settings. `secret` is there only when it is issued: with the first URL. */
export async function putWebhook(
  ctx: Ctx,
  input: PutWebhook,
): Promise<{ webhook: WebhookResource; secret?: string }> {
  const { url, eventTypes, lookupUrl } = input;
  const { allowPrivateEgress: allowPrivate, resolve } = ctx.settings;
  const check = { allowPrivate, ...(resolve && { resolve }) };
  if (url !== null) await assertPublicUrl('url', url, check);
  if (lookupUrl !== null) await assertPublicUrl('lookup_url', lookupUrl, check);
  return inTransaction(ctx, async (inner) => {
    const before = await lockedConsumer(inner);
    const secret =
      before.webhookSecretSealed === null && (url ?? lookupUrl) !== null ? newWebhookSecret() : undefined;
    const consumer = await inner.db.consumer.update({
      where: { id: before.id },
      data: {
        webhookUrl: url,
        lookupUrl,
        webhookEventTypes: eventTypes ?? Prisma.DbNull,
        ...(secret !== undefined && { webhookSecretSealed: ctx.secrets.seal('webhook-secret', secret) }),
      },
    });
    const details = { host: hostOf(url), lookupHost: hostOf(lookupUrl) };
    await audit(inner, { action: 'webhook.put', target: 'webhook', details });
    const webhook = presentWebhook(consumer);
    return secret === undefined ? { webhook } : { webhook, secret };
  });
}

/** For the audit log: the rest of a URL may hold the consumer's own secrets. */
const hostOf = (url: string | null) => (url === null ? null : new URL(url).host);

export async function getWebhook(ctx: Ctx): Promise<WebhookResource> {
  return presentWebhook(await ctx.db.consumer.findUniqueOrThrow({ where: { id: ctx.consumer.id } }));
}

/** Makes a new secret. The one before it signs too for 24 hours; one that was still waiting to run out stops at once. */
export async function rotateWebhookSecret(ctx: Ctx): Promise<{ webhook: WebhookResource; secret: string }> {
  return inTransaction(ctx, async (inner) => {
    const before = await lockedConsumer(inner);
    const secret = newWebhookSecret();
    const consumer = await inner.db.consumer.update({
      where: { id: before.id },
      data: {
        webhookSecretSealed: ctx.secrets.seal('webhook-secret', secret),
        previousSecretSealed: before.webhookSecretSealed,
        previousSecretUntil: before.webhookSecretSealed && new Date(ctx.now.getTime() + PREVIOUS_SECRET_MS),
      },
    });
    await audit(inner, { action: 'webhook.rotate_secret', target: 'webhook' });
    return { webhook: presentWebhook(consumer), secret };
  });
}

/** The consumer as it is now, held until the transaction ends: two first PUTs at once must not issue two secrets. */
async function lockedConsumer(ctx: Ctx): Promise<Consumer> {
  await ctx.db.$executeRaw`select 1 from "Consumer" where id = ${ctx.consumer.id} for update`;
  return ctx.db.consumer.findUniqueOrThrow({ where: { id: ctx.consumer.id } });
}
