/** What one kind of store does, and how it says that it is away. */
import type { Readable } from 'node:stream';
import { ApiError } from '@clarion/protocol';

export const storageProviders = ['local', 's3'] as const;
export type StorageProvider = (typeof storageProviders)[number];

/** A file as rows name it. */
export interface StoredFile {
  provider: StorageProvider;
  key: string;
}

/** Bytes of a file, both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface FileContent {
  body: Readable;
  /** Of the whole file, whatever the range. */
  sizeBytes: number;
  modifiedAt: Date;
}

/** One kind of store. Keys are checked before they come here; every method throws storage_unavailable when it is away. */
export interface StoreDriver {
  /** There afterwards as a whole or not at all. */
  put(key: string, body: Readable, sizeBytes: number): Promise<void>;
  /** Null when there is no such file. */
  get(key: string, range?: ByteRange): Promise<FileContent | null>;
  /** Size in bytes; null when there is no such file. Asks the store itself. */
  sizeOf(key: string): Promise<number | null>;
  /** A file that is missing is removed already. */
  remove(key: string): Promise<void>;
  /** Removes every file whose key begins so; `prefix` ends in `/`. Says how many there were. */
  removeAll(prefix: string): Promise<number>;
  downloadUrl(key: string, seconds: number, now: Date): Promise<string>;
}

export const storageUnavailable = (cause?: unknown): ApiError => {
  const error = new ApiError('storage_unavailable');
  if (cause !== undefined) error.cause = cause;
  return error;
};

/** The provider that a row names. */
export function providerOf(stored: string): StorageProvider {
  const provider = storageProviders.find((known) => known === stored);
  if (!provider) throw new Error(`${stored} is not one of ${storageProviders.join(', ')}`);
  return provider;
}

/** A full disk, wrong credentials, a refused connection, a time-out and a 5xx are all one to whoever wants their file. */
export async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageUnavailable(error);
  }
}
