import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { putBytes } from '@clarion/store/file-bytes';
import { recordingKey } from '@clarion/store/file-key';
import type { StoredFile } from '@clarion/store/driver';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { GET, HEAD } from '../app/files/[...key]/route.ts';
import { startWeb } from './support.ts';
import type { Web } from './support.ts';

let web: Web;
let file: StoredFile;
let url: string;
const sound = 'OggS0123456789';
beforeAll(async () => {
  web = await startWeb();
});
afterAll(() => web.stop());
beforeEach(async () => {
  web.setNow(null);
  file = await putBytes(web.runtime.store, recordingKey(1, 2, 'id'), Buffer.from(sound));
  url = await web.runtime.store.downloadUrl(file, new Date());
});

const get = (at = url, headers: Record<string, string> = {}) => GET(new Request(at, { headers }));
const codeOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
};

test('a download has its content type, file name and bytes', async () => {
  const answer = await get();
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'audio/ogg',
    'content-disposition': 'attachment; filename="call-2.ogg"',
    'content-length': String(sound.length),
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
  });
  expect(await answer.text()).toBe(sound);
});

test('a range is a 206, and a range beyond the end is a 416', async () => {
  const part = await get(url, { range: 'bytes=4-7' });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    `bytes 4-7/${sound.length}`,
    '0123',
  ]);
  const beyond = await get(url, { range: 'bytes=99-' });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${sound.length}`]);
});

test('HEAD returns the same headers without a body', async () => {
  const answer = await HEAD(new Request(url, { method: 'HEAD' }));
  expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([
    200,
    String(sound.length),
    '',
  ]);
});

test('an expired, modified or forged URL is 403', async () => {
  web.setNow(new Date(Date.now() + 301_000));
  expect(await codeOf(await get())).toEqual([403, 'forbidden']);
  web.setNow(null);
  const changed = new URL(url);
  changed.searchParams.set('expires', String(Number(changed.searchParams.get('expires')) + 60));
  expect(await codeOf(await get(changed.href))).toEqual([403, 'forbidden']);
  for (const path of [
    'tenants/1/recordings/other/call-3.ogg',
    '..%2f..%2fsecrets.json',
    '%2e%2e/secrets.json',
    'tenants/1/../../secrets.json',
    'tenants%2f1',
  ]) {
    const forged = url.replace(file.key, path);
    expect([path, await codeOf(await get(forged))]).toEqual([path, [403, 'forbidden']]);
  }
});

test('a file that was deleted in the meantime is 404', async () => {
  await web.runtime.store.remove(file);
  expect(await codeOf(await get())).toEqual([404, 'not_found']);
});

test('a disk failure is 503', async () => {
  const root = join(web.runtime.env.CLARION_DATA_DIR, 'store');
  await rm(root, { recursive: true });
  await writeFile(root, '');
  try {
    expect(await codeOf(await get())).toEqual([503, 'storage_unavailable']);
  } finally {
    await rm(root);
  }
});
