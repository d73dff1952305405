/** Creates an account with its first API key and signing key and, given a webhook or lookup URL, its webhook secret. */
import type { Consumer, Prisma } from '@clarion/db';
import { ApiError, invalidField } from '@clarion/protocol';
import { audit, inTransaction } from '../context.ts';
import { newWebhookSecret } from '../event/signature.ts';
import { violatedConstraint } from '../violated-constraint.ts';
import { createApiKey, createSigningKey } from './keys.ts';
import { forConsumer } from './operator.ts';
import type { OperatorCtx } from './operator.ts';
import { presentConsumer } from './present.ts';
import type { ConsumerView } from './present.ts';

export interface NewConsumer {
  slug: string;
  name: string;
  webhookUrl: string | null;
  lookupUrl: string | null;
}

/** Everything the backend needs. The secrets are returned once. */
export interface CreatedConsumer {
  consumer: ConsumerView;
  apiKey: string;
  signingKey: { kid: string; secret: string };
  /** Null without a webhook or lookup URL: the first PUT /v1/webhook then returns it. */
  webhookSecret: string | null;
}

/** No underscore, so that an API key splits in exactly one way. */
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** @throws 400 naming `slug`, 409 exists */
export async function createConsumer(ctx: OperatorCtx, input: NewConsumer): Promise<CreatedConsumer> {
  const { slug, name, webhookUrl, lookupUrl } = input;
  if (!SLUG.test(slug)) {
    throw invalidField(
      'slug',
      'slug must be 1 to 63 lowercase letters, digits and hyphens, for example acme-voice.',
    );
  }
  const webhookSecret = webhookUrl || lookupUrl ? newWebhookSecret() : null;
  return inTransaction(ctx, async (inner) => {
    const consumer = await insert(inner, {
      slug,
      name,
      webhookUrl,
      lookupUrl,
      webhookSecretSealed: webhookSecret && inner.secrets.seal('webhook-secret', webhookSecret),
    });
    const own = forConsumer(inner, consumer);
    await audit(own, { action: 'consumer.create', target: slug });
    const { secret: apiKey } = await createApiKey(own, { name: 'first', expiresInDays: null });
    const { signingKey, secret } = await createSigningKey(own, { kid: null, name: 'first' });
    return {
      consumer: presentConsumer(consumer),
      apiKey,
      signingKey: { kid: signingKey.kid, secret },
      webhookSecret,
    };
  });
}

async function insert(ctx: OperatorCtx, data: Prisma.ConsumerCreateInput): Promise<Consumer> {
  try {
    return await ctx.db.consumer.create({ data });
  } catch (error) {
    if (violatedConstraint(error) === 'Consumer_slug_key') {
      throw new ApiError('exists', {
        message: `A consumer ${data.slug} exists.`,
        details: { field: 'slug' },
      });
    }
    throw error;
  }
}
