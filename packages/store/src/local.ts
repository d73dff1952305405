/** Files in the data directory. They are served at signed URLs (see file-url.ts). */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileUrl } from './file-url.ts';
import type { UrlOptions } from './file-url.ts';
import { reaching } from './driver.ts';
import type { StoreDriver } from './driver.ts';
import { closeToOthers, PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from './private-folder.ts';

export interface LocalOptions {
  dataDir: string;
  /** Null: this process issues no URLs. */
  urls: UrlOptions | null;
}

const makePrivate = (folder: string) => mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
/** Next to the tenants' directories on the same disk, so that a finished file can be moved to its place atomically. */
const UNFINISHED = 'unfinished';

export function createLocalDriver({ dataDir, urls }: LocalOptions): StoreDriver {
  const root = join(dataDir, 'store');
  closeToOthers(root);
  const pathOf = (key: string) => join(root, key);
  let made: Promise<unknown> | undefined;

  /** Created with the first file. If the directory is missing later, the disk is missing. */
  const ready = () =>
    (made ??= makePrivate(join(root, UNFINISHED)).catch((error: unknown) => {
      made = undefined;
      throw error;
    }));

  /** Null if there is no such file. A missing root is an error, because then nothing is known about the file. */
  async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
    try {
      return await work;
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (made) await stat(root);
      return null;
    }
  }

  return {
    put: (key, body, sizeBytes) =>
      reaching(async () => {
        await ready();
        const unfinished = join(root, UNFINISHED, randomUUID());
        try {
          await pipeline(body, createWriteStream(unfinished, { flush: true, mode: PRIVATE_FILE_MODE }));
          const { size } = await stat(unfinished);
          if (size !== sizeBytes) throw new Error(`${size} bytes came where ${sizeBytes} were announced`);
          await makePrivate(dirname(pathOf(key)));
          await rename(unfinished, pathOf(key));
        } catch (error) {
          await rm(unfinished, { force: true }).catch(() => undefined);
          throw error;
        }
      }),
    get: (key, range) =>
      reaching(async () => {
        const handle = await unlessMissing(open(pathOf(key)));
        if (handle === null) return null;
        const { size, mtime } = await handle.stat();
        return { body: createReadStream('', { fd: handle, ...range }), sizeBytes: size, modifiedAt: mtime };
      }),
    sizeOf: (key) => reaching(async () => (await unlessMissing(stat(pathOf(key))))?.size ?? null),
    remove: (key) =>
      reaching(async () => {
        await unlessMissing(rm(pathOf(key)));
      }),
    removeAll: (prefix) =>
      reaching(async () => {
        const files = await unlessMissing(readdir(pathOf(prefix), { recursive: true, withFileTypes: true }));
        await rm(pathOf(prefix), { recursive: true, force: true });
        return files?.filter((entry) => entry.isFile()).length ?? 0;
      }),
    async downloadUrl(key, seconds, now) {
      if (urls === null) throw new Error('a process without keys cannot sign URLs');
      return fileUrl(urls, key, seconds, now);
    },
  };
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
