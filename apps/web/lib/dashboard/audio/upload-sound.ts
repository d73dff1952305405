'use client';

/** Uploads audio and reports the progress, which `fetch` cannot. */
import type { Answer } from '../request.ts';
import { addressOf, RequestProblem } from '../request.ts';
import { SESSION_HEADER } from '#lib/api/session-header.ts';

/** A body may have 15 MB (docs/requirements.md#limits), and base64 makes four bytes of three; the rest is its name. */
export const SOUND_MAX_BYTES = Math.floor((15 * 1024 * 1024 * 3) / 4) - 64 * 1024;
export const SOUND_ACCEPT = '.wav,.mp3,.ogg,.oga,.opus,audio/wav,audio/mpeg,audio/ogg';

const TYPES: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
};

export interface SoundToSend {
  tenantRef: string;
  name: string;
  file: File;
  /** From 0 to 100; null while the service decodes it. */
  onProgress(percent: number | null): void;
  signal: AbortSignal;
}

type Created = Answer<'POST', '/v1/tenants/{tenantRef}/audio-assets'>;

/** @throws RequestProblem; its message names the file if the service gave none */
export async function uploadSound({
  tenantRef,
  name,
  file,
  onProgress,
  signal,
}: SoundToSend): Promise<Created> {
  const body = JSON.stringify({
    name,
    mime_type: TYPES[file.name.split('.').at(-1)?.toLowerCase() ?? ''] ?? file.type,
    content_base64: await base64Of(file),
  });
  const { status, text, requestId } = await send(
    addressOf('/v1/tenants/{tenantRef}/audio-assets', { path: { tenantRef } }),
    body,
    onProgress,
    signal,
  );
  if (status === 201) return JSON.parse(text) as Created;
  throw problemOf(status, text, requestId, file.name);
}

interface Sent {
  status: number;
  text: string;
  requestId: string | null;
}

function send(
  address: string,
  body: string,
  onProgress: SoundToSend['onProgress'],
  signal: AbortSignal,
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address);
    request.setRequestHeader('content-type', 'application/json');
    request.setRequestHeader(SESSION_HEADER, '1');
    request.setRequestHeader('idempotency-key', crypto.randomUUID());
    request.upload.onprogress = ({ loaded, total }) => onProgress(Math.round((loaded / total) * 100));
    request.upload.onload = () => onProgress(null);
    request.onload = () =>
      resolve({
        status: request.status,
        text: request.responseText,
        requestId: request.getResponseHeader('x-request-id'),
      });
    request.onerror = () =>
      reject(
        new RequestProblem('The service could not be reached. Check the connection and try again.', {
          status: 0,
          code: 'unreachable',
        }),
      );
    request.onabort = () => reject(new DOMException('Stopped', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
}

/** "content_base64 is not a WAV, MP3 or Ogg file" is about the file, by whatever name it was sent. */
export function problemOf(
  status: number,
  text: string,
  requestId: string | null,
  fileName: string,
): RequestProblem {
  try {
    const { error } = JSON.parse(text) as {
      error: { code: RequestProblem['code']; message: string; details?: { field?: string } };
    };
    const message = error.message.replace(/^content_base64\b/, `“${fileName}”`);
    return new RequestProblem(message, { status, code: error.code, details: error.details, requestId });
  } catch {
    const message = `“${fileName}” was not uploaded. The service responded with status ${status}.`;
    return new RequestProblem(message, { status, code: 'internal_error', requestId });
  }
}

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
    reader.readAsDataURL(file);
  });
}
