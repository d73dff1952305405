/**
 * The recordings of a media node: started and updated by routes, finished after the call, and recovered after a crash.
 */
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaCommandPayload } from '@clarion/protocol/media';
import { closeToOthers } from '@clarion/store/private-folder';
import type { Store } from '@clarion/store/store';
import type { Logger } from 'pino';
import { CallRecorder, type RecordedLeg } from './call-recorder.ts';
import { EncoderPool } from './encoder-pool.ts';
import { Finisher } from './finisher.ts';
import { SpoolFolder, type RecordingInfo, type RecordingOutcome } from './spool-folder.ts';

/** Recorded packets are on the disk after this time at the latest. */
const TICK_MS = 500;
/** How often folders of stopped nodes are looked for. */
const TAKE_OVER_INTERVAL_MS = 5_000;
/** With less free space than this no recording is started, because the recordings in progress need it. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

export type RecordSettings = NonNullable<MediaCommandPayload<'call:route'>['record']>;

export interface RecorderOptions {
  /** The spool directory is `spool` in it. */
  dataDir: string;
  store: Store;
  log: Logger;
  report: (outcome: RecordingOutcome, onAcked: () => void) => void;
}

interface Recording {
  info: RecordingInfo;
  recorder: CallRecorder | null;
  folder: SpoolFolder | null;
  /** The latest settings, applied once the folder has been created. */
  settings: RecordSettings;
  legs: () => readonly RecordedLeg[];
  /** Resolves when the spool is open or has failed. */
  opened: Promise<void>;
  /** Why the recording failed. */
  failure: string | null;
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #root: string;
  readonly #encoders = new EncoderPool();
  readonly #finisher: Finisher;
  readonly #live = new Map<number, Recording>();
  /** Calls whose recording has ended: there is one per call. */
  readonly #finished = new Set<number>();
  readonly #closing = new Set<Promise<void>>();
  /** Paths of the folders that are being written, until the finisher has them. */
  readonly #writing = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  #takingOver: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#root = join(options.dataDir, 'spool');
    closeToOthers(this.#root);
    this.#finisher = new Finisher({ ...options, encoders: this.#encoders });
  }

  start(): void {
    this.#takingOver = this.#takeOverAbandoned();
    this.#timers.push(
      setInterval(() => this.#tick(), TICK_MS),
      setInterval(
        () => (this.#takingOver = this.#takingOver.then(() => this.#takeOverAbandoned())),
        TAKE_OVER_INTERVAL_MS,
      ),
    );
  }

  /** Calls that are being recorded, and recordings that are not yet stored or reported. */
  get counts(): { live: number; pending: number } {
    return { live: this.#live.size, pending: this.#finisher.pending + this.#closing.size };
  }

  /** Applies the recording settings of the latest route; null: nothing is recorded (any more). */
  update(callId: number, settings: RecordSettings | null, legs: () => readonly RecordedLeg[]): void {
    if (settings === null) return this.finish(callId);
    const live = this.#live.get(callId);
    if (live) {
      live.settings = settings;
      live.recorder?.setPlan(settings, legs());
    } else if (!this.#closed && !this.#finished.has(callId)) {
      this.#begin(callId, settings, legs);
    }
  }

  /** The legs of the call have changed. */
  sync(callId: number): void {
    const live = this.#live.get(callId);
    if (live) live.recorder?.sync(live.legs());
  }

  /** Ends the recording of a call. */
  finish(callId: number): void {
    const live = this.#live.get(callId);
    if (!live) return;
    this.#live.delete(callId);
    this.#finished.add(callId);
    const closing = this.#finish(live).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** The call has ended; its ID is never reused. */
  remove(callId: number): void {
    this.finish(callId);
    this.#finished.delete(callId);
  }

  /** Closes every spool. Recordings that are not yet stored are finished by the next node that starts. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    const stopped = this.#finisher.close();
    this.#encoders.close();
    for (const callId of this.#live.keys()) this.finish(callId);
    await Promise.all([...this.#closing, this.#takingOver, stopped]);
  }

  #begin(callId: number, settings: RecordSettings, legs: () => readonly RecordedLeg[]): void {
    const info: RecordingInfo = {
      callId,
      legId: settings.left[0] ?? '',
      storageKey: settings.storageKey,
      startedAt: new Date().toISOString(),
    };
    const recording: Recording = {
      info,
      recorder: null,
      folder: null,
      settings,
      legs,
      opened: Promise.resolve(),
      failure: null,
    };
    this.#live.set(callId, recording);
    recording.opened = this.#open(recording);
  }

  async #open(recording: Recording): Promise<void> {
    const { info } = recording;
    try {
      const folder = await SpoolFolder.make(this.#root, info);
      recording.folder = folder;
      this.#writing.add(folder.path);
      const { bavail, bsize } = await statfs(folder.path);
      if (bavail * bsize < MIN_FREE_BYTES) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
      const recorder = new CallRecorder(folder.spoolPath, (error) => this.#failed(recording, error));
      recording.recorder = recorder;
      if (this.#live.get(info.callId) === recording) recorder.setPlan(recording.settings, recording.legs());
    } catch (error) {
      this.#failed(recording, error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Reports the failure immediately; the call continues. */
  #failed(recording: Recording, error: NodeJS.ErrnoException): void {
    if (recording.failure !== null) return;
    const { callId, legId } = recording.info;
    this.#options.log.error({ err: error, callId }, 'recording stopped after an error');
    recording.failure =
      error.code === 'ENOSPC' || error.code === 'EDQUOT'
        ? 'The disk of the media node is full.'
        : 'The media node could not write the recording to its disk.';
    const at = new Date().toISOString();
    const payload = { callId, legId, at, reason: recording.failure };
    this.#options.report({ fact: 'recording:failed', payload }, () => undefined);
    this.finish(callId);
  }

  async #finish(recording: Recording): Promise<void> {
    // Stop listening immediately.
    void recording.recorder?.end();
    await recording.opened;
    await recording.recorder?.end();
    const { folder } = recording;
    if (!folder) return;
    if (recording.failure !== null) await folder.remove().catch(() => undefined);
    else await this.#finisher.add(folder);
    this.#writing.delete(folder.path);
  }

  #tick(): void {
    for (const { recorder } of this.#live.values()) recorder?.tick();
  }

  async #takeOverAbandoned(): Promise<void> {
    const isOwn = (path: string) => this.#writing.has(path) || this.#finisher.paths.includes(path);
    for (const folder of await SpoolFolder.takeOverAbandoned(this.#root, Date.now(), isOwn)) {
      this.#options.log.info({ path: folder.path }, 'found an unfinished recording');
      await this.#finisher.add(folder);
    }
  }
}
