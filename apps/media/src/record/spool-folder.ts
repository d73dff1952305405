/**
 * The folder of one recording until it is stored: `{CLARION_DATA_DIR}/spool/<call id>-<random>/`. Its contents show the
 * state of the recording to any node that finds it:
 *
 * - about.json: the call and the storage key; without it, nothing was recorded
 * - voices: the spool; the node that has the recording touches it every second
 * - recording.ogg: the encoded file; without outcome.json it may be incomplete and is encoded again
 * - outcome.json: the recording is stored or has failed; only the report is missing
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mediaFacts } from '@clarion/protocol/media';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from '@clarion/store/private-folder';
import { z } from 'zod';

const recordingInfo = z.object({
  callId: z.number().int(),
  /** Of the customer's leg. */
  legId: z.string(),
  storageKey: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
});
export type RecordingInfo = z.infer<typeof recordingInfo>;

const recordingOutcome = z.discriminatedUnion('fact', [
  z.object({ fact: z.literal('recording:finished'), payload: mediaFacts['recording:finished'] }),
  z.object({ fact: z.literal('recording:failed'), payload: mediaFacts['recording:failed'] }),
]);
export type RecordingOutcome = z.infer<typeof recordingOutcome>;

/** A folder that has not been touched for this long is abandoned: its media node has stopped. */
export const ABANDONED_AFTER_MS = 8_000;

export class SpoolFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static async make(root: string, info: RecordingInfo): Promise<SpoolFolder> {
    const folder = SpoolFolder.named(root, info.callId);
    await mkdir(folder.path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    await folder.#write('about.json', info);
    return folder;
  }

  static named(root: string, callId: number | string): SpoolFolder {
    return new SpoolFolder(join(root, `${callId}-${randomUUID().slice(0, 8)}`));
  }

  /**
   * Takes over abandoned folders; no other node gets them.
   *
   * @param isOwn whether a folder belongs to this node, even if a changed clock makes it look old
   */
  static async takeOverAbandoned(
    root: string,
    now: number,
    isOwn: (path: string) => boolean,
  ): Promise<SpoolFolder[]> {
    const names = await readdir(root).catch(() => []);
    const takenOver: SpoolFolder[] = [];
    for (const name of names) {
      const path = join(root, name);
      const folder = isOwn(path) ? null : await new SpoolFolder(path).#takeOver(root, name, now);
      if (folder) takenOver.push(folder);
    }
    return takenOver;
  }

  get spoolPath(): string {
    return join(this.path, 'voices');
  }

  get filePath(): string {
    return join(this.path, 'recording.ogg');
  }

  /** Null if nothing was recorded. */
  info(): Promise<RecordingInfo | null> {
    return this.#read('about.json', recordingInfo);
  }

  outcome(): Promise<RecordingOutcome | null> {
    return this.#read('outcome.json', recordingOutcome);
  }

  writeOutcome(outcome: RecordingOutcome): Promise<void> {
    return this.#write('outcome.json', outcome);
  }

  /** Shows other nodes that the recording is in progress. */
  async touch(): Promise<void> {
    const now = new Date();
    await utimes(this.path, now, now).catch(() => undefined);
  }

  /** Makes the folder available to other nodes. */
  async release(): Promise<void> {
    const long = new Date(0);
    await utimes(this.path, long, long).catch(() => undefined);
    await utimes(this.spoolPath, long, long).catch(() => undefined);
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }

  async #takeOver(root: string, name: string, now: number): Promise<SpoolFolder | null> {
    const touched = await Promise.all(
      [this.path, this.spoolPath].map((path) =>
        stat(path).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      ),
    );
    if (now - Math.max(...touched) < ABANDONED_AFTER_MS) return null;
    const own = SpoolFolder.named(root, name.split('-')[0] ?? name);
    try {
      await this.touch();
      // The rename is atomic: if two nodes try, one of them fails.
      await rename(this.path, own.path);
      return own;
    } catch {
      return null;
    }
  }

  /** Writes the file atomically. */
  async #write(name: string, content: object): Promise<void> {
    const unfinished = join(this.path, `${name}.unfinished`);
    await writeFile(unfinished, JSON.stringify(content), { flush: true, mode: PRIVATE_FILE_MODE });
    await rename(unfinished, join(this.path, name));
  }

  async #read<T>(name: string, schema: z.ZodType<T>): Promise<T | null> {
    // Only a missing file is null: a temporary disk error must not discard a recording.
    const text = await readFile(join(this.path, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return null;
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      return null;
    }
  }
}
