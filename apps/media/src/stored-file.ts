/**
 * Reads a file by its key alone: commands do not name the store, and a deployment may have moved from one store to
 * another.
 */
import { storageProviders } from '@clarion/store/driver';
import { getBytes } from '@clarion/store/file-bytes';
import type { StoreSettings } from '@clarion/store/settings';
import type { Store } from '@clarion/store/store';

/**
 * Null if no store has the file, or it is larger than `maxBytes`. Throws if a store is unavailable and no other has the
 * file.
 */
export async function readStored(
  store: Store,
  settings: StoreSettings,
  key: string,
  maxBytes: number,
): Promise<Buffer | null> {
  const known = storageProviders.filter((provider) => provider === 'local' || settings.s3 !== null);
  known.sort((a, b) => Number(b === store.provider) - Number(a === store.provider));
  let failed: unknown = null;
  for (const provider of known) {
    try {
      const bytes = await getBytes(store, { provider, key }, maxBytes);
      if (bytes instanceof Buffer) return bytes;
      if (bytes === 'too-large') return null;
    } catch (error) {
      failed = error;
    }
  }
  if (failed !== null) throw failed;
  return null;
}
