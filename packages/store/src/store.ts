/**
 * Where files are kept: recordings, audio and what was decoded from it. One interface over the local directory and S3. A row
 * remembers which of the two has its file, so that a deployment that moves to S3 still finds its older files.
 *
 * A store that is away (refused, too slow, 5xx, a disk that fails) is ApiError storage_unavailable, whatever the reason was.
 */
import type { Readable } from 'node:stream';
import { storageProviders, storageUnavailable } from './driver.ts';
import type { ByteRange, FileContent, StorageProvider, StoredFile, StoreDriver } from './driver.ts';
import { createLocalDriver } from './local.ts';
import type { StoreSettings } from './settings.ts';
import { isFileKey } from './file-key.ts';
import type { UrlOptions } from './file-url.ts';

/** How long a download URL leads to its file. */
export const DOWNLOAD_SECONDS = 300;

export interface Store {
  /** Where new files go; null: the deployment has no store. */
  readonly provider: StorageProvider | null;
  put(key: string, body: Readable, sizeBytes: number): Promise<StoredFile>;
  get(file: StoredFile, range?: ByteRange): Promise<FileContent | null>;
  sizeOf(file: StoredFile): Promise<number | null>;
  remove(file: StoredFile): Promise<void>;
  /** In every store the deployment knows: files of a prefix may lie in several. */
  removeAll(prefix: string): Promise<number>;
  downloadUrl(file: StoredFile, now: Date, seconds?: number): Promise<string>;
}

/**
 * @param settings what the deployment has; nothing is connected to before the first use
 * @param urls what download addresses of the local store are made with; null in a process that gives none out
 */
export function createStore(settings: StoreSettings, urls: UrlOptions | null): Store {
  const drivers: Partial<Record<StorageProvider, StoreDriver>> = {
    local: createLocalDriver({ dataDir: settings.dataDir, urls }),
  };
  const { s3 } = settings;
  if (s3) {
    // Loaded only here: a deployment without S3 never pays for its client.
    drivers.s3 = lazyDriver(async () => (await import('./s3.ts')).createS3Driver(s3));
  }
  return storeOf(settings.provider, drivers);
}

export function storeOf(
  provider: StorageProvider | null,
  drivers: Partial<Record<StorageProvider, StoreDriver>>,
): Store {
  const driverOf = (name: StorageProvider | null, key: string): StoreDriver => {
    if (!isFileKey(key)) throw new Error('a file key that no code of ours makes');
    const driver = name === null ? undefined : drivers[name];
    if (!driver) throw storageUnavailable();
    return driver;
  };
  return {
    provider,
    async put(key, body, sizeBytes) {
      const driver = driverOf(provider, key);
      if (provider === null) throw storageUnavailable();
      await driver.put(key, body, sizeBytes);
      return { provider, key };
    },
    get: async (file, range) => driverOf(file.provider, file.key).get(file.key, range),
    sizeOf: async (file) => driverOf(file.provider, file.key).sizeOf(file.key),
    remove: async (file) => driverOf(file.provider, file.key).remove(file.key),
    async removeAll(prefix) {
      if (!prefix.endsWith('/') || !isFileKey(prefix.slice(0, -1)))
        throw new Error('a prefix that no code of ours makes');
      let removed = 0;
      for (const name of storageProviders) removed += (await drivers[name]?.removeAll(prefix)) ?? 0;
      return removed;
    },
    downloadUrl: async (file, now, seconds = DOWNLOAD_SECONDS) =>
      driverOf(file.provider, file.key).downloadUrl(file.key, seconds, now),
  };
}

function lazyDriver(load: () => Promise<StoreDriver>): StoreDriver {
  let loading: Promise<StoreDriver> | undefined;
  const driver = () => (loading ??= load());
  return {
    put: async (...args) => (await driver()).put(...args),
    get: async (...args) => (await driver()).get(...args),
    sizeOf: async (...args) => (await driver()).sizeOf(...args),
    remove: async (...args) => (await driver()).remove(...args),
    removeAll: async (...args) => (await driver()).removeAll(...args),
    downloadUrl: async (...args) => (await driver()).downloadUrl(...args),
  };
}
