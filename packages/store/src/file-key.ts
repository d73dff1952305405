/**
 * Keys of stored files: `tenants/<tenant id>/<kind>/…`. All files of a tenant have one prefix, so that they can be removed together and a
 * name from a consumer can never refer to another tenant's file. Pure.
 */

/** A segment of a key: only characters without a meaning in file systems and URLs. */
const STEP = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const KEY_MAX_CHARS = 500;

/** No empty, `.` or `..` segment, no escape, no separator except `/`. */
export const isFileKey = (key: string): boolean =>
  key.length <= KEY_MAX_CHARS && key.split('/').every((step) => STEP.test(step) && !step.includes('..'));

/** Ends in `/`, so that tenant 1 is not a prefix of tenant 12. */
export const tenantPrefix = (tenantId: number): string => `tenants/${tenantId}/`;

/** The key of a file that a consumer has stored directly, by its name; null if the name is invalid. */
export function uploadKey(tenantId: number, storageKey: string): string | null {
  const key = `${tenantPrefix(tenantId)}uploads/${storageKey}`;
  return isFileKey(key) ? key : null;
}

/** `id` is random, so that a key reveals nothing and is never reused. */
export function audioKeys(tenantId: number, id: string, extension: string) {
  const folder = `${tenantPrefix(tenantId)}audio/${id}/`;
  return {
    storageKey: `${folder}original.${extension}`,
    pcm8kKey: `${folder}8k.pcm`,
    pcm48kKey: `${folder}48k.pcm`,
  };
}

/** `id` is random; the call's ID makes the name of a download meaningful. */
export const recordingKey = (tenantId: number, callId: number, id: string): string =>
  `${tenantPrefix(tenantId)}recordings/${id}/call-${callId}.ogg`;

const RECORDING = /^tenants\/\d+\/recordings\/[^/]+\/call-(\d+)\.ogg$/;

/** Whether `recordingKey` created the key for this call. */
export const isRecordingKeyOf = (callId: number, key: string): boolean =>
  isFileKey(key) && RECORDING.exec(key)?.[1] === String(callId);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ogg: 'audio/ogg',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
};

/** By the extension. Browsers must not guess the type of unknown files. */
export function contentTypeOf(key: string): string {
  const extension = key.slice(key.lastIndexOf('.') + 1).toLowerCase();
  return CONTENT_TYPES[extension] ?? 'application/octet-stream';
}

/** Downloads are saved and never displayed, because a stored file may be an upload. */
export const dispositionOf = (key: string): string =>
  `attachment; filename="${key.slice(key.lastIndexOf('/') + 1)}"`;
