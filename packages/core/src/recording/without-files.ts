/** Changes to calls that require their recording files to be deleted first: DELETE, erasure, deletion of a tenant, retention. */
import type { Ctx } from '../context.ts';
import { retryingTransaction } from '../retry-on-conflict.ts';
import { storageUnavailable } from '@clarion/store/driver';
import type { StoredFile } from '@clarion/store/driver';
import { removeFiles } from '@clarion/store/remove-files';
import { filesOfRecordings } from './recording-files.ts';
import type { RecordingFile } from './recording-files.ts';

/** A recording completes at most once, so this limit is reached only if new recordings keep completing. */
const MAX_ROUNDS = 5;

/** Keys of files that were deleted. */
export type Gone = Set<string>;
export const nameOf = ({ provider, key }: StoredFile) => `${provider} ${key}`;

/**
 * Deletes the recording files of these calls, then runs `change` in one transaction, with the calls locked and without new files. The locks
 * are taken in the order call, recording, which finish-recording.ts must use too.
 *
 * @param gone keys of files that are known to be deleted; keys are added
 * @throws storage_unavailable if a file cannot be deleted: then no row was changed
 */
export async function withoutRecordingFiles<C extends Pick<Ctx, 'db' | 'store'>, T>(
  ctx: C,
  callIds: readonly number[],
  change: (ctx: C) => Promise<T>,
  gone: Gone = new Set(),
): Promise<T> {
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const found = await ctx.db.$queryRaw<RecordingFile[]>`
      select "storageProvider", "storageKey" from "Recording" where "callId" = any(${callIds}::int[])`;
    await removeOnce(ctx, filesOfRecordings(found), gone);
    const done = await retryingTransaction(ctx, async (inner) => {
      await inner.db
        .$queryRaw`select 1 from "Call" where "id" = any(${callIds}::int[]) order by "id" for update`;
      const now = await inner.db.$queryRaw<RecordingFile[]>`
        select "storageProvider", "storageKey" from "Recording"
        where "callId" = any(${callIds}::int[]) order by "id" for update`;
      if (filesLeft(filesOfRecordings(now), gone).length > 0) return null;
      return { result: await change(inner) };
    });
    if (done) return done.result;
  }
  throw storageUnavailable(new Error('new recordings kept being added'));
}

/** Deletes the files that are not deleted yet. */
export async function removeOnce(
  { store }: Pick<Ctx, 'store'>,
  files: readonly StoredFile[],
  gone: Gone,
): Promise<void> {
  const left = filesLeft(files, gone);
  await removeFiles(store, left);
  for (const file of left) gone.add(nameOf(file));
}

export const filesLeft = (files: readonly StoredFile[], gone: Gone): StoredFile[] =>
  files.filter((file) => !gone.has(nameOf(file)));
