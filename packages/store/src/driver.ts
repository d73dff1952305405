/** The interface of a store, and its error when it is unavailable. */
import type { Readable } from 'node:stream';
import { ApiError } from '@clarion/protocol';

export const storageProviders = ['local', 's3'] as const;
export type StorageProvider = (typeof storageProviders)[number];

/** A file as referred to by rows. */
export interface StoredFile {
  provider: StorageProvider;
  key: string;
}

/** Byte range of a file, both ends inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface FileContent {
  body: Readable;
  /** Size of the whole file, whatever the range. */
  sizeBytes: number;
  modifiedAt: Date;
}

/** One kind of store. Keys are checked before; every method throws storage_unavailable if the store is unavailable. */
export interface StoreDriver {
  /** Stores the whole file or nothing. */
  put(key: string, body: Readable, sizeBytes: number): Promise<void>;
  /** Null if there is no such file. */
  get(key: string, range?: ByteRange): Promise<FileContent | null>;
  /** Size in bytes as reported by the store; null if there is no such file. */
  sizeOf(key: string): Promise<number | null>;
  /** A missing file counts as removed. */
  remove(key: string): Promise<void>;
  /** Removes every file whose key has this prefix, which ends in `/`. Returns their number. */
  removeAll(prefix: string): Promise<number>;
  downloadUrl(key: string, seconds: number, now: Date): Promise<string>;
}

export const storageUnavailable = (cause?: unknown): ApiError => {
  const error = new ApiError('storage_unavailable');
  if (cause !== undefined) error.cause = cause;
  return error;
};

/** The provider named by a row. */
export function providerOf(stored: string): StorageProvider {
  const provider = storageProviders.find((known) => known === stored);
  if (!provider) throw new Error(`${stored} is not one of ${storageProviders.join(', ')}`);
  return provider;
}

/** A full disk, wrong credentials, a refused connection, a timeout and a 5xx are reported as the same error. */
export async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageUnavailable(error);
  }
}
