/** Reads and writes whole files in memory, for small files. */
import { Readable } from 'node:stream';
import { storageUnavailable } from './driver.ts';
import type { StoredFile } from './driver.ts';
import type { Store } from './store.ts';

export const putBytes = (store: Store, key: string, bytes: Uint8Array): Promise<StoredFile> =>
  store.put(key, Readable.from([bytes]), bytes.byteLength);

/** @returns null if there is no such file, 'too-large' if it has more than `maxBytes` */
export async function getBytes(
  store: Store,
  file: StoredFile,
  maxBytes: number,
): Promise<Buffer | 'too-large' | null> {
  const content = await store.get(file);
  if (content === null) return null;
  if (content.sizeBytes > maxBytes) {
    content.body.destroy();
    return 'too-large';
  }
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content.body) chunks.push(chunk as Uint8Array); // a byte stream without an encoding
    return Buffer.concat(chunks);
  } catch (error) {
    throw storageUnavailable(error);
  }
}
