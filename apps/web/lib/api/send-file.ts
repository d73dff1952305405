/** A download from the local store, for anyone with the signed URL until it expires (store, file-url.ts). */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { contentTypeOf, dispositionOf } from '@clarion/store/file-key';
import { readFileUrl } from '@clarion/store/file-url';
import type { StoredFile } from '@clarion/store/driver';
import { ApiError, notFound } from '@clarion/protocol';
import { readRange } from './byte-range.ts';
import { json, problemOf } from './problem.ts';
import { runtime } from './runtime.ts';

const EXPIRED = 'This URL has expired or was modified. Request a new one.';

/** GET and HEAD: 200, 206 with one range, 416, 403 when forged or expired, 404 when the file was deleted. */
export async function sendFile(request: Request): Promise<Response> {
  const { secrets, now, log } = runtime();
  const requestId = randomUUID();
  try {
    const key = readFileUrl(new URL(request.url), secrets, now());
    if (key === null) throw new ApiError('forbidden', { message: EXPIRED });
    return await respond(request, { provider: 'local', key });
  } catch (error) {
    const { status, text, headers } = problemOf(error, requestId, log.child({ requestId }));
    return json(status, text, { 'x-request-id': requestId, ...headers });
  }
}

async function respond(request: Request, file: StoredFile): Promise<Response> {
  const { store } = runtime();
  const sizeBytes = await store.sizeOf(file);
  if (sizeBytes === null) throw notFound('The file');
  const range = readRange(request.headers.get('range'), sizeBytes);
  const headers = { 'accept-ranges': 'bytes', 'cache-control': 'private, no-store' };
  if (range === 'unsatisfiable') {
    return new Response(null, {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${sizeBytes}` },
    });
  }
  const described = {
    ...headers,
    'content-type': contentTypeOf(file.key),
    'content-disposition': dispositionOf(file.key),
    'content-length': String(range ? range.end - range.start + 1 : sizeBytes),
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${sizeBytes}` }),
  };
  const status = range ? 206 : 200;
  if (request.method === 'HEAD') return new Response(null, { status, headers: described });
  const content = await store.get(file, range ?? undefined);
  if (content === null) throw notFound('The file');
  // Node types its web streams separately from the global ones, which they are.
  return new Response(Readable.toWeb(content.body) as ReadableStream, { status, headers: described });
}
