/** The files of recordings. A recording still in transit has none: whoever makes it finds no row and removes what they made. */
import type { Recording } from '@clarion/db';
import { providerOf } from '@clarion/store/driver';
import type { StoredFile } from '@clarion/store/driver';

export type RecordingFile = Pick<Recording, 'storageProvider' | 'storageKey'>;

/** Null while there is none: it is being made, or it failed. */
export const fileOfRecording = ({ storageProvider, storageKey }: RecordingFile): StoredFile | null =>
  storageProvider === null || storageKey === null
    ? null
    : { provider: providerOf(storageProvider), key: storageKey };

export const filesOfRecordings = (rows: readonly RecordingFile[]): StoredFile[] =>
  rows.map(fileOfRecording).filter((file) => file !== null);
