/**
 * From a spool to the store: encode, put, say so; each step as often as it takes. A store that is away is waited for, and the spool kept
 * meanwhile, over restarts too. What cannot be finished is said in words.
 */
import { createReadStream, type ReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '@clarion/store/store';
import type { Logger } from 'pino';
import type { EncodedFile } from './encode-spool.ts';
import { EncodeError, type EncoderPool } from './encoder-pool.ts';
import type { RecordingInfo, RecordingOutcome, SpoolFolder } from './spool-folder.ts';

/** An encoder that fails may have been killed; three times is the spool's fault. */
const ENCODE_ATTEMPTS = 3;
/** Pause after something failed: the first, and info doubling leads to at most. */
const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 60_000;
/** Files put at once. */
const MAX_CONCURRENT_UPLOADS = 2;
/** A folder that is being finished is touched this often, so that nobody takes it over. */
const TOUCH_MS = 2_000;
/** A node that stops waits so long for info is under way; the rest is done again by the next one. */
const STOP_WAIT_MS = 1_000;
const NO_STORE = 'File storage for recordings is not configured.';
const NOT_ENCODED = 'The recording could not be encoded.';

export interface FinisherOptions {
  store: Store;
  encoders: EncoderPool;
  log: Logger;
  /** `onAcked` once somebody has acknowledged it. */
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

  /** Recordings on their way to the store, or not yet told of. */
  get pending(): number {
    return this.#folders.size;
  }

  /** Folders that it has. */
  get paths(): string[] {
    return [...this.#folders.keys()].map(({ path }) => path);
  }

  /** Resolves at once: it is finished while other things go on. A finisher that has stopped leaves it for the next one. */
  async add(folder: SpoolFolder): Promise<void> {
    if (this.#stopped.signal.aborted) return folder.release();
    const work = this.#finish(folder)
      .catch((error: unknown) => {
        // Still on the disk: whoever finds it next goes on.
        if (!this.#stopped.signal.aborted)
          this.#options.log.error({ err: error, path: folder.path }, 'failed to finish a recording');
      })
      .finally(() => this.#folders.delete(folder));
    this.#folders.set(folder, work);
  }

  /** Stops where it is; the next node goes on. */
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

  /** Null: this spool cannot be encoded. */
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
        // A disk without room for the file may have room again; the spool itself is whole.
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
        // A store that is away may never look at it: info fails is told by the size that does not come.
        file.on('error', () => undefined);
        const { provider } = await store.put(key, file, sizeBytes);
        return provider;
      } catch (error) {
        this.#stopped.signal.throwIfAborted();
        log.warn({ err: error, key, attempt }, 'failed to store a recording, will retry');
      } finally {
        // Nobody else closes info no store has read to its end.
        file?.destroy();
        this.#uploads -= 1;
        this.#waitingUploads.shift()?.();
      }
      await this.#pause(attempt);
    }
  }

  /** Waits for a place among those that put. */
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
