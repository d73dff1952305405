/**
 * Stores files: recordings, audio and its decoded files. One interface for the local directory and S3. A row stores which of the two has
 * its file, so that a deployment that changes to S3 still finds its older files.
 *
 * A store that is unavailable (refused, too slow, 5xx, disk error) throws ApiError storage_unavailable, whatever the reason.
 */
import type { Readable } from 'node:stream';
import { storageProviders, storageUnavailable } from './driver.ts';
import type { ByteRange, FileContent, StorageProvider, StoredFile, StoreDriver } from './driver.ts';
import { createLocalDriver } from './local.ts';
import type { StoreSettings } from './settings.ts';
import { isFileKey } from './file-key.ts';
import type { UrlOptions } from './file-url.ts';

/** How long a download URL is valid. */
export const DOWNLOAD_SECONDS = 300;

export interface Store {
  /** Where new files are stored; null: the deployment has no store. */
  readonly provider: StorageProvider | null;
  put(key: string, body: Readable, sizeBytes: number): Promise<StoredFile>;
  get(file: StoredFile, range?: ByteRange): Promise<FileContent | null>;
  sizeOf(file: StoredFile): Promise<number | null>;
  remove(file: StoredFile): Promise<void>;
  /** In every store of the deployment: files of a prefix may be in several. */
  removeAll(prefix: string): Promise<number>;
  downloadUrl(file: StoredFile, now: Date, seconds?: number): Promise<string>;
}

/**
 * @param settings the deployment's stores; no connection is opened before the first use
 * @param urls signs download URLs of the local store; null in a process that issues none
 */
export function createStore(settings: StoreSettings, urls: UrlOptions | null): Store {
  const drivers: Partial<Record<StorageProvider, StoreDriver>> = {
    local: createLocalDriver({ dataDir: settings.dataDir, urls }),
  };
  const { s3 } = settings;
  if (s3) {
    // Imported only when needed, so that a deployment without S3 does not load its client.
    drivers.s3 = lazyDriver(async () => (await import('./s3.ts')).createS3Driver(s3));
  }
  return storeOf(settings.provider, drivers);
}

export function storeOf(
  provider: StorageProvider | null,
  drivers: Partial<Record<StorageProvider, StoreDriver>>,
): Store {
  const driverOf = (name: StorageProvider | null, key: string): StoreDriver => {
    if (!isFileKey(key)) throw new Error('invalid file key');
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
      if (!prefix.endsWith('/') || !isFileKey(prefix.slice(0, -1))) throw new Error('invalid file prefix');
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
