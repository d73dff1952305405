/** The files of recordings. An unfinished recording has none yet; if its row is deleted meanwhile, its file is removed when it finishes. */
import type { Recording } from '@clarion/db';
import { providerOf } from '@clarion/store/driver';
import type { StoredFile } from '@clarion/store/driver';

export type RecordingFile = Pick<Recording, 'storageProvider' | 'storageKey'>;

/** Null while there is no file: not finished, or failed. */
export const fileOfRecording = ({ storageProvider, storageKey }: RecordingFile): StoredFile | null =>
  storageProvider === null || storageKey === null
    ? null
    : { provider: providerOf(storageProvider), key: storageKey };

export const filesOfRecordings = (rows: readonly RecordingFile[]): StoredFile[] =>
  rows.map(fileOfRecording).filter((file) => file !== null);
