/** Takes a sound: sniffed, decoded, stored, and only then a row. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { invalidField } from '@clarion/protocol';
import type { AudioAssetResource, CreateAudioAsset } from '@clarion/protocol/v1/tenant/audio';
import type { Tenant } from '@clarion/db';
import { audit, inTransaction, tenantOf } from '../context.ts';
import type { Ctx } from '../context.ts';
import type { Prepared } from '../prepared.ts';
import { storageUnavailable } from '@clarion/store/driver';
import type { StoredFile } from '@clarion/store/driver';
import { getBytes, putBytes } from '@clarion/store/file-bytes';
import { audioKeys, uploadKey } from '@clarion/store/file-key';
import { removeFiles } from '@clarion/store/remove-files';
import { assertAudioFits, claimAudioRoom } from './audio-quota.ts';
import { decodeSound } from './decode-sound.ts';
import type { Decoded } from './decode-sound.ts';
import { presentAudioAsset } from './present.ts';
import { extensionOf, mimeTypeOf, soundKindOf } from './sound-kind.ts';

/** What a request body can carry is what may lie in the store already. */
const MAX_SOUND_BYTES = 15 * 1024 * 1024;

/** @throws 400 naming mime_type, content_base64 or storage_key; audio_limit_reached; 503 storage_unavailable */
export async function createAudioAsset(
  ctx: Ctx,
  tenantRef: string,
  input: CreateAudioAsset,
): Promise<Prepared<AudioAssetResource>> {
  const { log, store } = ctx;
  const tenant = await tenantOf(ctx, tenantRef);
  const { field, bytes } = await contentOf(ctx, tenant, input);
  const kind = soundKindOf(bytes);
  if (!kind) throw invalidField(field, `${field} is not a WAV, MP3 or Ogg (Vorbis or Opus) file.`);
  if (mimeTypeOf(kind) !== input.mimeType) {
    throw invalidField('mime_type', `mime_type is ${input.mimeType}, but the file is ${mimeTypeOf(kind)}.`);
  }

  // Checked before decoding, again once the length is known, and finally in the transaction.
  const sizeBytes = bytes.length;
  await assertAudioFits(ctx, tenant, { sizeBytes, durationSeconds: 0 });
  const keys = audioKeys(tenant.id, randomUUID(), extensionOf(kind));
  const stored: StoredFile[] = [];
  const discard = async () => {
    await removeFiles(store, stored).catch((err: unknown) =>
      log.warn({ err, keys }, 'failed to remove the files of a rejected audio asset'),
    );
  };
  const outcome = await decodeSound(bytes, kind, async (decoded) => {
    await assertAudioFits(ctx, tenant, { sizeBytes, durationSeconds: decoded.durationSeconds });
    try {
      stored.push(await putBytes(store, keys.storageKey, bytes));
      stored.push(await putDecoded(ctx, keys.pcm8kKey, decoded.pcm8k));
      stored.push(await putDecoded(ctx, keys.pcm48kKey, decoded.pcm48k));
    } catch (error) {
      await discard();
      throw error;
    }
    return decoded.durationSeconds;
  });
  if ('refused' in outcome) throw invalidField(field, `${field} ${outcome.refused}.`);
  const [{ provider }] = stored as [StoredFile];

  return {
    discard,
    commit: (committing) =>
      inTransaction(committing, async (inner) => {
        await claimAudioRoom(inner, tenant, { sizeBytes, durationSeconds: outcome.result });
        const asset = await inner.db.audioAsset.create({
          data: {
            tenantId: tenant.id,
            name: input.name,
            mimeType: input.mimeType,
            durationSeconds: outcome.result,
            sizeBytes,
            storageProvider: provider,
            ...keys,
            createdAt: inner.now,
          },
        });
        await audit(inner, {
          action: 'audio_asset.create',
          target: String(asset.id),
          tenantId: tenant.id,
          details: { name: asset.name, mimeType: asset.mimeType, sizeBytes: asset.sizeBytes },
        });
        return presentAudioAsset(asset);
      }),
  };
}

const putDecoded = ({ store }: Ctx, key: string, { path, sizeBytes }: Decoded['pcm8k']) =>
  store.put(key, createReadStream(path), sizeBytes);

/** The sound, and the field that brought it. */
async function contentOf(
  ctx: Ctx,
  tenant: Tenant,
  { contentBase64, storageKey }: CreateAudioAsset,
): Promise<{ field: string; bytes: Buffer }> {
  const { provider } = ctx.store;
  if (contentBase64 !== null) {
    const field = 'content_base64';
    if (provider === null)
      throw invalidField(
        field,
        `${field} requires file storage, which is not configured on this deployment.`,
      );
    return { field, bytes: Buffer.from(contentBase64, 'base64') };
  }
  const field = 'storage_key';
  if (provider === null) throw storageUnavailable();
  // Under the tenant's own uploads, whatever the name says.
  const key = uploadKey(tenant.id, storageKey ?? '');
  if (key === null) {
    throw invalidField(
      field,
      `${field} must consist of names separated by /, with only letters, digits, dots, hyphens and underscores.`,
    );
  }
  const bytes = await getBytes(ctx.store, { provider, key }, MAX_SOUND_BYTES);
  if (bytes === null) throw invalidField(field, `${field}: the store has no file ${key}.`);
  if (bytes === 'too-large') throw invalidField(field, `${field}: the file is larger than 15 MB.`);
  return { field, bytes };
}
