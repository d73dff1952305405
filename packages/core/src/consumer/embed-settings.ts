/** The web origins that may show the account's agent phone. */
import type { EmbedSettingsResource, PutEmbedSettings } from '@clarion/protocol/v1/account/embed';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';

export async function putEmbedSettings(
  ctx: Ctx,
  { allowedOrigins }: PutEmbedSettings,
): Promise<EmbedSettingsResource> {
  return inTransaction(ctx, async (inner) => {
    await inner.db.consumer.update({ where: { id: inner.consumer.id }, data: { allowedOrigins } });
    const details = { allowedOrigins: allowedOrigins.join(' ') };
    await audit(inner, { action: 'embed_settings.put', target: 'embed-settings', details });
    return { allowedOrigins };
  });
}

/** Read anew: who has just set it sees it, whichever process answers. */
export async function getEmbedSettings({ db, consumer }: Ctx): Promise<EmbedSettingsResource> {
  const { allowedOrigins } = await db.consumer.findUniqueOrThrow({
    where: { id: consumer.id },
    select: { allowedOrigins: true },
  });
  return { allowedOrigins };
}
