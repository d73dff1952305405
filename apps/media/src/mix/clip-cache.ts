/**
 * The audio of all clips: files of the store (raw 8 kHz mono PCM16LE) and spoken words. Cached up to a limit; the least
 * recently used is evicted first, and audio that is still playing stays alive by its own reference. Concurrent requests
 * for one file cause one read.
 */
import type { Clip } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import { loadWord } from '../voices.ts';
import { PcmAudio, pcmAudioFrom } from '../rtp/pcm-audio.ts';

/** 35 minutes at 16 kB a second. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_CACHE_BYTES = 128 * 1024 * 1024;
/** A store that takes longer counts as unavailable. */
const LOAD_TIMEOUT_MS = 5_000;

export interface ClipCacheOptions {
  /** Reads a file of the store; null if it does not exist or is larger than `maxBytes`. */
  read: (key: string, maxBytes: number) => Promise<Buffer | null>;
  log: Logger;
  maxCacheBytes?: number;
  loadTimeoutMs?: number;
}

export class ClipCache {
  readonly #options: ClipCacheOptions;
  /** In order of last use. */
  readonly #cache = new Map<string, PcmAudio>();
  readonly #loading = new Map<string, Promise<PcmAudio | null>>();
  #bytes = 0;

  constructor(options: ClipCacheOptions) {
    this.#options = options;
  }

  get cachedBytes(): number {
    return this.#bytes;
  }

  /** Returns null if the clip is unavailable for any reason. Never rejects. */
  load(clip: Clip): Promise<PcmAudio | null> {
    const id = 'file' in clip ? `file ${clip.file}` : `word ${clip.word}`;
    const cached = this.#cache.get(id);
    if (cached) {
      this.#cache.delete(id);
      this.#cache.set(id, cached);
      return Promise.resolve(cached);
    }
    const loading = this.#loading.get(id) ?? this.#load(id, clip);
    this.#loading.set(id, loading);
    return loading;
  }

  async #load(id: string, clip: Clip): Promise<PcmAudio | null> {
    try {
      const audio = await this.#withTimeout('file' in clip ? this.#file(clip.file) : word(clip.word));
      if (audio === null || audio.pcm.length === 0) {
        this.#options.log.warn({ clip }, 'audio file not found');
        return null;
      }
      this.#store(id, audio);
      return audio;
    } catch (error) {
      this.#options.log.warn({ err: error, clip }, 'failed to read an audio file');
      return null;
    } finally {
      this.#loading.delete(id);
    }
  }

  async #file(key: string): Promise<PcmAudio | null> {
    const bytes = await this.#options.read(key, MAX_FILE_BYTES);
    return bytes && pcmAudioFrom(bytes);
  }

  async #withTimeout<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const { loadTimeoutMs = LOAD_TIMEOUT_MS } = this.#options;
    const timer = setTimeout(() => reject(new Error(`not there after ${loadTimeoutMs} ms`)), loadTimeoutMs);
    try {
      return await Promise.race([work, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #store(id: string, audio: PcmAudio): void {
    this.#cache.set(id, audio);
    this.#bytes += audio.memoryBytes;
    const { maxCacheBytes = MAX_CACHE_BYTES } = this.#options;
    for (const [oldest, old] of this.#cache) {
      if (this.#bytes <= maxCacheBytes) break;
      this.#cache.delete(oldest);
      this.#bytes -= old.memoryBytes;
    }
  }
}

async function word(name: string): Promise<PcmAudio | null> {
  const pcm = await loadWord(name);
  return pcm && new PcmAudio(pcm);
}
