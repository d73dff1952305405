/** A consumer's credentials for push providers, one set per provider. The secrets are encrypted and never returned. */
import type { Prisma, Tx } from '@clarion/db';
import { invalidField, notFound } from '@clarion/protocol';
import type { PushProvider } from '@clarion/protocol';
import { fieldError } from '@clarion/protocol/v1/fields/field-error';
import {
  GOOGLE_TOKEN_URI,
  pushCredentialBodies,
  storedPushSettings,
} from '@clarion/protocol/v1/tenant/push-credentials';
import type {
  PushCredentialsResource,
  PutPushCredentials,
} from '@clarion/protocol/v1/tenant/push-credentials';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { assertPublicUrl } from '../egress/assert-public.ts';
import { presentPushCredentials } from './present.ts';
import { newVapidKey, readP256Key, readRsaKey } from './private-key.ts';

/** @throws 400 naming the field that is missing or the key that is invalid */
export async function putPushCredentials(
  ctx: Ctx,
  provider: PushProvider,
  body: PutPushCredentials,
): Promise<PushCredentialsResource> {
  const given = readBody(provider, body);
  await checkTokenUri(ctx, given);
  return inTransaction(ctx, async (inner) => {
    const { db, consumer, now } = inner;
    const where = { consumerId_provider: { consumerId: consumer.id, provider } };
    const changed = { ...(await storedForm(inner, given, where)), updatedAt: now };
    const row = await db.pushCredential.upsert({
      where,
      create: { consumerId: consumer.id, provider, createdAt: now, ...changed },
      update: changed,
    });
    await audit(inner, { action: 'push_credentials.put', target: provider, details: given.settings });
    return presentPushCredentials(row);
  });
}

/** The service account decides where the worker sends its assertions, so the address is checked as a webhook's is. */
async function checkTokenUri({ settings }: Pick<Ctx, 'settings'>, given: Given): Promise<void> {
  const { tokenUri } = given.settings;
  if (typeof tokenUri !== 'string' || tokenUri === GOOGLE_TOKEN_URI) return;
  const { allowPrivateEgress: allowPrivate, resolve } = settings;
  const check = { allowPrivate, ...(resolve && { resolve }) };
  await assertPublicUrl('service_account.token_uri', tokenUri, check);
}

interface Given {
  settings: Record<string, string | boolean>;
  /** Null: the service generates a key. */
  secret: string | null;
}

function readBody(provider: PushProvider, body: PutPushCredentials): Given {
  const read = pushCredentialBodies[provider].safeParse(body, { reportInput: true });
  if (!read.success) throw fieldError(read.error);
  const { settings, secret } = read.data;
  return { settings, secret: secret === null ? null : checkedSecret(provider, secret) };
}

/** A generated key is kept by later PUTs, because the browsers' subscriptions are valid only with it. */
async function storedForm(
  { db, secrets }: Pick<Ctx, 'db' | 'secrets'>,
  { settings, secret }: Given,
  where: Prisma.PushCredentialWhereUniqueInput,
): Promise<{ settings: Given['settings']; secretSealed: string }> {
  if (secret !== null) return { settings, secretSealed: secrets.seal('push-credentials', secret) };
  const stored = await db.pushCredential.findUnique({ where });
  if (stored) {
    const { publicKey } = storedPushSettings.webpush.parse(stored.settings);
    return { settings: { ...settings, publicKey }, secretSealed: stored.secretSealed };
  }
  const { publicKey, privateKey } = newVapidKey();
  return {
    settings: { ...settings, publicKey },
    secretSealed: secrets.seal('push-credentials', privateKey),
  };
}

function checkedSecret(provider: PushProvider, secret: string): string {
  switch (provider) {
    case 'fcm':
      return readRsaKey(secret) ?? refuse('service_account.private_key', 'an RSA private key in PEM format');
    case 'apns':
      return (
        readP256Key(secret) ?? refuse('key_p8', "the contents of Apple's .p8 file, an EC P-256 private key")
      );
    case 'onesignal':
    case 'webpush':
      return secret;
  }
}

function refuse(field: string, wanted: string): never {
  throw invalidField(field, `${field} must be ${wanted}.`);
}

export async function getPushCredentials(ctx: Ctx, provider: PushProvider): Promise<PushCredentialsResource> {
  const row = await ctx.db.pushCredential.findUnique({
    where: { consumerId_provider: { consumerId: ctx.consumer.id, provider } },
  });
  if (!row) throw notFound(`A set of ${provider} credentials`);
  return presentPushCredentials(row);
}

/** The keys with which browsers subscribe (RFC 8292), by account. An account that has not set up web push has none. */
export async function webPushKeysOf(
  db: Tx,
  consumerIds: number[],
): Promise<{ id: number; publicKey: string }[]> {
  const rows = await db.pushCredential.findMany({
    where: { consumerId: { in: consumerIds }, provider: 'webpush' },
    select: { consumerId: true, settings: true },
  });
  return rows.map(({ consumerId, settings }) => ({
    id: consumerId,
    publicKey: storedPushSettings.webpush.parse(settings).publicKey,
  }));
}

export async function listPushCredentials({ db, consumer }: Ctx): Promise<PushCredentialsResource[]> {
  const rows = await db.pushCredential.findMany({
    where: { consumerId: consumer.id },
    orderBy: { provider: 'asc' },
  });
  return rows.map(presentPushCredentials);
}

export async function deletePushCredentials(ctx: Ctx, provider: PushProvider): Promise<void> {
  await inTransaction(ctx, async (inner) => {
    const { db, consumer } = inner;
    const { count } = await db.pushCredential.deleteMany({ where: { consumerId: consumer.id, provider } });
    if (count === 0) throw notFound(`A set of ${provider} credentials`);
    await audit(inner, { action: 'push_credentials.delete', target: provider });
  });
}
