/**
 * Limits how much audio a tenant may store. A small file can decode to a large amount of PCM, and the disk may be shared with the database,
 * so the limit counts every stored file: the upload and both decoded files.
 */
import { ApiError } from '@clarion/protocol';
import type { Tenant } from '@clarion/db';
import type { Ctx } from '../context.ts';

/** 16-bit mono at 8 and 48 kHz: the two decoded files. */
const DECODED_BYTES_PER_SECOND = 2 * (8000 + 48_000);
const BYTES_PER_MB = 1024 * 1024;

export interface AudioSize {
  /** Size of the upload. */
  sizeBytes: number;
  /** 0 while it is unknown. */
  durationSeconds: number;
}

const storedBytes = ({ sizeBytes, durationSeconds }: AudioSize): number =>
  sizeBytes + durationSeconds * DECODED_BYTES_PER_SECOND;

/**
 * @throws audio_limit_reached naming the limit: `assets` or `megabytes`
 */
export async function assertWithinQuota(ctx: Ctx, tenant: Tenant, size: AudioSize): Promise<void> {
  const { planAudioAssets, planAudioMegabytes } = ctx.consumer;
  const [{ assets, bytes } = { assets: 0, bytes: 0 }] = await ctx.db.$queryRaw<
    { assets: number; bytes: number }[]
  >`
    select count(*)::int as "assets",
      coalesce(sum("sizeBytes" + "durationSeconds" * ${DECODED_BYTES_PER_SECOND}::float8), 0)::float8 as "bytes"
    from "AudioAsset" where "tenantId" = ${tenant.id}`;
  if (assets >= planAudioAssets) {
    throw limitReached(
      'assets',
      planAudioAssets,
      assets,
      `This tenant has ${assets} audio assets. Its limit is ${planAudioAssets}.`,
    );
  }
  if (bytes + storedBytes(size) > planAudioMegabytes * BYTES_PER_MB) {
    const used = Math.ceil(bytes / BYTES_PER_MB);
    const needed = Math.ceil(storedBytes(size) / BYTES_PER_MB);
    throw limitReached(
      'megabytes',
      planAudioMegabytes,
      used,
      `This tenant has ${used} MB of audio. Its limit is ${planAudioMegabytes} MB, and this asset needs ${needed} MB when decoded.`,
    );
  }
}

/** The same check in the transaction that stores the asset: of two concurrent uploads, the second waits and counts the first. */
export async function lockQuota(ctx: Ctx, tenant: Tenant, size: AudioSize): Promise<void> {
  // This lock still allows inserting rows that refer to the tenant, calls above all.
  await ctx.db.$queryRaw`select 1 from "Tenant" where "id" = ${tenant.id} for no key update`;
  await assertWithinQuota(ctx, tenant, size);
}

const limitReached = (limit: 'assets' | 'megabytes', max: number, used: number, what: string) =>
  new ApiError('audio_limit_reached', {
    message: `${what} Delete assets or ask the operator for a higher limit.`,
    details: { limit, max, used },
  });
