/**
 * Names of stored files: `tenants/<tenant id>/<kind>/…`. Everything of a tenant lies under one prefix, so that a tenant's files can
 * be removed together and a name that a consumer gives can never lead to another tenant's. Pure.
 */

/** A key's steps: nothing that a file system or a URL reads as anything but a name. */
const STEP = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const KEY_MAX_CHARS = 500;

/** No empty, `.` or `..` step, no escape, no separator but `/`. */
export const isFileKey = (key: string): boolean =>
  key.length <= KEY_MAX_CHARS && key.split('/').every((step) => STEP.test(step) && !step.includes('..'));

/** With its `/`: tenant 1 is no prefix of tenant 12. */
export const tenantPrefix = (tenantId: number): string => `tenants/${tenantId}/`;

/** Where a file lies that a consumer put into the store by themselves, by the name they gave; null when it is none. */
export function uploadKey(tenantId: number, storageKey: string): string | null {
  const key = `${tenantPrefix(tenantId)}uploads/${storageKey}`;
  return isFileKey(key) ? key : null;
}

/** `id` is random: a key tells nothing and is never used twice. */
export function audioKeys(tenantId: number, id: string, extension: string) {
  const folder = `${tenantPrefix(tenantId)}audio/${id}/`;
  return {
    storageKey: `${folder}original.${extension}`,
    pcm8kKey: `${folder}8k.pcm`,
    pcm48kKey: `${folder}48k.pcm`,
  };
}

/** `id` is random; the call's id makes a download's name useful. */
export const recordingKey = (tenantId: number, callId: number, id: string): string =>
  `${tenantPrefix(tenantId)}recordings/${id}/call-${callId}.ogg`;

const RECORDING = /^tenants\/\d+\/recordings\/[^/]+\/call-(\d+)\.ogg$/;

/** Whether `recordingKey` made it for this call. */
export const isRecordingKeyOf = (callId: number, key: string): boolean =>
  isFileKey(key) && RECORDING.exec(key)?.[1] === String(callId);

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ogg: 'audio/ogg',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
};

/** By the extension. What we do not know is not for a browser to guess at. */
export function contentTypeOf(key: string): string {
  const extension = key.slice(key.lastIndexOf('.') + 1).toLowerCase();
  return CONTENT_TYPES[extension] ?? 'application/octet-stream';
}

/** Downloads are saved, never shown: a stored file is somebody's upload. */
export const dispositionOf = (key: string): string =>
  `attachment; filename="${key.slice(key.lastIndexOf('/') + 1)}"`;
