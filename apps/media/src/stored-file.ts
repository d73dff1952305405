/** Reads a file by its key alone: commands do not say which store has it, and a deployment may have moved from one to another. */
import { storageProviders } from '@clarion/store/driver';
import { getBytes } from '@clarion/store/file-bytes';
import type { StoreSettings } from '@clarion/store/settings';
import type { Store } from '@clarion/store/store';

/** Null when no store has it, or it has more than `maxBytes`. Throws when a store is away and no other has it. */
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
