/**
 * Finishes recordings: encodes the spool, uploads the file, reports the result. Each step is retried. While the store
 * is unavailable the spool is kept, also across restarts. A recording that cannot be finished is reported with a
 * reason.
 */
import { createReadStream, type ReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '@clarion/store/store';
import type { Logger } from 'pino';
import type { EncodedFile } from './encode-spool.ts';
import { EncodeError, type EncoderPool } from './encoder-pool.ts';
import type { RecordingInfo, RecordingOutcome, SpoolFolder } from './spool-folder.ts';

/** A failure may mean that the encoder was killed; after three the spool itself is considered bad. */
const ENCODE_ATTEMPTS = 3;
/** The pause after a failure: the first, and the maximum that doubling reaches. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 60_000;
/** The number of concurrent uploads. */
const MAX_CONCURRENT_UPLOADS = 2;
/** How often a folder in progress is touched, so that no other node takes it over. */
const TOUCH_MS = 2_000;
/** How long a stopping node waits for work in progress. The next node repeats the rest. */
const STOP_WAIT_MS = 1_000;
const NO_STORE = 'File storage for recordings is not configured.';
const NOT_ENCODED = 'The recording could not be encoded.';

export interface FinisherOptions {
  store: Store;
  encoders: EncoderPool;
  log: Logger;
  /** `onAcked` is called once realtime has acknowledged it. */
  report: (outcome: RecordingOutcome, onAcked: () => void) => void;
}

export class Finisher {
  readonly #options: FinisherOptions;
  readonly #folders = new Map<SpoolFolder, Promise<void>>();
  readonly #stopped = new AbortController();
  #uploads = 0;
  #waitingUploads: (() => void)[] = [];
  readonly #touching: NodeJS.Timeout;

  constructor(options: FinisherOptions) {
    this.#options = options;
    this.#touching = setInterval(() => {
      for (const folder of this.#folders.keys()) void folder.touch();
    }, TOUCH_MS);
    this.#touching.unref();
  }

  /** Recordings that are not yet stored or not yet reported. */
  get pending(): number {
    return this.#folders.size;
  }

  /** The folders in progress. */
  get paths(): string[] {
    return [...this.#folders.keys()].map(({ path }) => path);
  }

  /** Starts finishing a recording in the background. After `close` the folder is left for the next node. */
  async add(folder: SpoolFolder): Promise<void> {
    if (this.#stopped.signal.aborted) return folder.release();
    const work = this.#finish(folder)
      .catch((error: unknown) => {
        // It is still on the disk; the node that finds it next continues.
        if (!this.#stopped.signal.aborted)
          this.#options.log.error({ err: error, path: folder.path }, 'failed to finish a recording');
      })
      .finally(() => this.#folders.delete(folder));
    this.#folders.set(folder, work);
  }

  /** Stops in the current step; the next node continues. */
  async close(): Promise<void> {
    this.#stopped.abort();
    clearInterval(this.#touching);
    for (const next of this.#waitingUploads.splice(0)) next();
    const folders = [...this.#folders];
    await Promise.race([
      Promise.all(folders.map(([, work]) => work)),
      sleep(STOP_WAIT_MS, undefined, { ref: false }),
    ]);
    await Promise.all(folders.map(([folder]) => folder.release()));
  }

  async #finish(folder: SpoolFolder): Promise<void> {
    const info = await folder.info();
    if (!info) return folder.remove();
    await folder.touch();
    let outcome = await folder.outcome();
    if (!outcome) {
      outcome = await this.#outcomeOf(folder, info);
      await folder.writeOutcome(outcome);
      await rm(folder.spoolPath, { force: true });
    }
    await this.#report(outcome);
    await folder.remove();
  }

  async #outcomeOf(folder: SpoolFolder, info: RecordingInfo): Promise<RecordingOutcome> {
    const { callId, legId, storageKey, startedAt } = info;
    const { store, log } = this.#options;
    const failed = (reason: string): RecordingOutcome => ({
      fact: 'recording:failed',
      payload: { callId, legId, at: new Date().toISOString(), reason },
    });
    if (store.provider === null) return failed(NO_STORE);
    const file = await this.#encoded(folder, startedAt);
    if (!file) return failed(NOT_ENCODED);
    const storageProvider = await this.#upload(folder, storageKey, file);
    log.info({ callId, durationMs: file.durationMs, sizeBytes: file.sizeBytes }, 'recording stored');
    return {
      fact: 'recording:finished',
      payload: { callId, legId, at: new Date().toISOString(), storageProvider, storageKey, ...file },
    };
  }

  /** Returns null if the spool cannot be encoded. */
  async #encoded(folder: SpoolFolder, startedAt: string): Promise<EncodedFile | null> {
    const { encoders, log } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await encoders.encode({
          spoolPath: folder.spoolPath,
          targetPath: folder.filePath,
          comments: [`DATE=${startedAt}`, 'DESCRIPTION=left: customer, right: agent'],
        });
      } catch (error) {
        this.#stopped.signal.throwIfAborted();
        log.warn({ err: error, path: folder.path, attempt }, 'failed to encode a recording');
        // A full disk may have room again later; the spool itself is intact.
        const isFull = error instanceof EncodeError && error.code === 'ENOSPC';
        if (attempt >= ENCODE_ATTEMPTS && !isFull) return null;
        await this.#pause(attempt);
      }
    }
  }

  async #upload(folder: SpoolFolder, key: string, { sizeBytes }: EncodedFile): Promise<'local' | 's3'> {
    const { store, log } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      await this.#waitForUploadSlot();
      let file: ReadStream | null = null;
      try {
        this.#stopped.signal.throwIfAborted();
        file = createReadStream(folder.filePath);
        // An unavailable store may never read the stream. A read error shows as a size mismatch in the upload.
        file.on('error', () => undefined);
        const { provider } = await store.put(key, file, sizeBytes);
        return provider;
      } catch (error) {
        this.#stopped.signal.throwIfAborted();
        log.warn({ err: error, key, attempt }, 'failed to store a recording, will retry');
      } finally {
        // The store does not close a stream that it has not read to the end.
        file?.destroy();
        this.#uploads -= 1;
        this.#waitingUploads.shift()?.();
      }
      await this.#pause(attempt);
    }
  }

  /** Waits until an upload may start. */
  async #waitForUploadSlot(): Promise<void> {
    while (this.#uploads >= MAX_CONCURRENT_UPLOADS && !this.#stopped.signal.aborted) {
      await new Promise<void>((resolve) => this.#waitingUploads.push(resolve));
    }
    this.#uploads += 1;
  }

  async #report(outcome: RecordingOutcome): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { signal } = this.#stopped;
    signal.throwIfAborted();
    const stop = () => reject(new Error('the node is stopping'));
    signal.addEventListener('abort', stop, { once: true });
    this.#options.report(outcome, resolve);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #pause(attempt: number): Promise<void> {
    const ms = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** (attempt - 1));
    await sleep(ms, undefined, { signal: this.#stopped.signal });
  }
}
