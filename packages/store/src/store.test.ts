/** Both stores fulfil the same contract: the local directory, and S3 over a real socket. */
import { createHmac, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { ApiError } from '@clarion/protocol';
import { FakeS3 } from '@clarion/testkit/peers/fake-s3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { getBytes, putBytes } from './file-bytes.ts';
import { audioKeys, contentTypeOf, isFileKey, recordingKey, tenantPrefix, uploadKey } from './file-key.ts';
import { readFileUrl } from './file-url.ts';
import type { UrlSigner } from './file-url.ts';
import { createS3Driver } from './s3.ts';
import { readStoreSettings } from './settings.ts';
import type { StorageProvider } from './driver.ts';
import { createStore } from './store.ts';
import type { Store } from './store.ts';

/** Core's secret box signs the same way. */
function signerWith(key: Buffer): UrlSigner {
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose}\n${text}`).digest('base64url');
  return { sign, isSigned: (purpose, text, signature) => sign(purpose, text) === signature };
}
const secrets = signerWith(randomBytes(32));
const baseUrl = 'https://calls.example.com';
const key = recordingKey(7, 4711, 'id');
const away = expect.objectContaining({ code: 'storage_unavailable', status: 503 });

let dataDir: string;
let s3: FakeS3;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'clarion-store-'));
  s3 = await FakeS3.start();
});
afterEach(() => {
  s3.trouble = () => null;
});
afterAll(async () => {
  await s3.stop();
  await rm(dataDir, { recursive: true });
});

const storeOn = (provider: StorageProvider | 'none', dir = dataDir): Store =>
  createStore(readStoreSettings({ ...s3.env, CLARION_DATA_DIR: dir, CLARION_STORE: provider }), {
    secrets,
    baseUrl,
  });

describe.each(['local', 's3'] as const)('%s', (provider) => {
  const store = () => storeOn(provider);

  test('a stored file can be read in whole and in part, until it is removed', async () => {
    const file = await putBytes(store(), key, Buffer.from('0123456789'));
    expect(file).toEqual({ provider, key });
    expect(await store().sizeOf(file)).toBe(10);
    expect(String(await getBytes(store(), file, 10))).toBe('0123456789');
    expect(await getBytes(store(), file, 9)).toBe('too-large');
    const part = await store().get(file, { start: 2, end: 4 });
    expect(part?.sizeBytes).toBe(10);
    expect(part && String(await buffer(part.body))).toBe('234');
    await store().remove(file);
    expect(await store().sizeOf(file)).toBeNull();
    expect(await store().get(file)).toBeNull();
  });

  test('removing a missing file succeeds', async () => {
    await store().remove({ provider, key: recordingKey(7, 1, 'never') });
    expect(await store().removeAll(tenantPrefix(999))).toBe(0);
  });

  test('a later file replaces an earlier one with the same key', async () => {
    await putBytes(store(), key, Buffer.from('first'));
    const file = await putBytes(store(), key, Buffer.from('second'));
    expect(String(await getBytes(store(), file, 100))).toBe('second');
  });

  test("removing a tenant's files keeps those of a tenant whose ID has the same first digits", async () => {
    const mine = await putBytes(store(), recordingKey(1, 1, 'a'), Buffer.from('a'));
    await putBytes(store(), audioKeys(1, 'b', 'wav').storageKey, Buffer.from('b'));
    const theirs = await putBytes(store(), recordingKey(12, 1, 'c'), Buffer.from('c'));
    expect(await store().removeAll(tenantPrefix(1))).toBe(2);
    expect(await store().sizeOf(mine)).toBeNull();
    expect(await store().sizeOf(theirs)).toBe(1);
  });

  test('a body that ends early or fails stores nothing', async () => {
    const file = { provider, key: recordingKey(8, 1, 'short') };
    async function* failing() {
      yield Buffer.from('abc');
      throw new Error('the source failed');
    }
    await expect(store().put(file.key, Readable.from(failing()), 10)).rejects.toEqual(away);
    expect(await store().sizeOf(file)).toBeNull();
  });

  test('an invalid key is rejected before it reaches the store', async () => {
    for (const bad of [
      '../secrets.json',
      'a/../b',
      '/etc/passwd',
      'a//b',
      '',
      'a\\b',
      'a/.b',
      'a%2f..',
      'a b',
    ]) {
      await expect(store().get({ provider, key: bad })).rejects.toThrow('invalid file key');
    }
  });
});

describe('unavailable S3', () => {
  const file = { provider: 's3' as const, key };

  test.each([500, 503, 403])('answers %i: every use says storage_unavailable', async (status) => {
    s3.trouble = () => status;
    const store = storeOn('s3');
    await expect(putBytes(store, key, Buffer.from('x'))).rejects.toEqual(away);
    await expect(store.get(file)).rejects.toEqual(away);
    await expect(store.sizeOf(file)).rejects.toEqual(away);
    await expect(store.remove(file)).rejects.toEqual(away);
    await expect(store.removeAll('tenants/7/')).rejects.toEqual(away);
  });

  test('reports a refused connection', async () => {
    await s3.stopListening();
    try {
      await expect(storeOn('s3').remove(file)).rejects.toEqual(away);
      await expect(storeOn('s3').sizeOf(file)).rejects.toEqual(away);
    } finally {
      await s3.startListening();
    }
  });

  test('reports a timeout', async () => {
    s3.trouble = () => 'silent';
    const { s3: settings } = readStoreSettings(s3.env);
    if (!settings) throw new Error('no bucket');
    const driver = createS3Driver(settings, { answerTimeoutMs: 100 });
    await expect(driver.sizeOf(key)).rejects.toEqual(away);
    await expect(driver.remove(key)).rejects.toEqual(away);
    await expect(driver.put(key, Readable.from([Buffer.from('x')]), 1)).rejects.toEqual(away);
    await expect(driver.removeAll('tenants/7/')).rejects.toEqual(away);
  });

  test('reports a missing bucket and wrong credentials', async () => {
    const strange = (more: Record<string, string>) =>
      createStore(readStoreSettings({ ...s3.env, ...more }), { secrets, baseUrl });
    await expect(strange({ S3_BUCKET: 'other' }).remove(file)).rejects.toEqual(away);
    await expect(strange({ S3_ACCESS_KEY_ID: 'AKIAOTHER' }).sizeOf(file)).rejects.toEqual(away);
  });

  test('a download URL returns the file as an attachment until it expires', async () => {
    const store = storeOn('s3');
    await putBytes(store, key, Buffer.from('sound'));
    const answer = await fetch(await store.downloadUrl(file, new Date()));
    expect(await answer.text()).toBe('sound');
    expect(answer.headers.get('content-type')).toBe('audio/ogg');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="call-4711.ogg"');
    const old = await fetch(await store.downloadUrl(file, new Date(Date.now() - 301_000)));
    expect(old.status).toBe(403);
  });
});

describe('an unavailable local store', () => {
  test('if its directory cannot be created or is missing, nothing counts as removed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'clarion-store-'));
    try {
      await writeFile(join(dir, 'file'), '');
      const blocked = storeOn('local', join(dir, 'file'));
      await expect(putBytes(blocked, key, Buffer.from('x'))).rejects.toEqual(away);
      await expect(blocked.remove({ provider: 'local', key })).rejects.toEqual(away);
      const store = storeOn('local', dir);
      await putBytes(store, key, Buffer.from('x'));
      await rm(join(dir, 'store'), { recursive: true });
      await expect(store.remove({ provider: 'local', key })).rejects.toEqual(away);
      await expect(store.sizeOf({ provider: 'local', key })).rejects.toEqual(away);
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  test('an unfinished upload leaves no file', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'clarion-store-'));
    try {
      const body = Readable.from([Buffer.from('abc')]);
      await expect(storeOn('local', dir).put(key, body, 4)).rejects.toEqual(away);
      expect(await readdir(join(dir, 'store', 'unfinished'))).toEqual([]);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe('settings', () => {
  const settings = (env: Record<string, string>) => readStoreSettings({ CLARION_DATA_DIR: '/d', ...env });

  test('a bucket selects S3, unless CLARION_STORE selects another store', () => {
    expect(settings({}).provider).toBe('local');
    expect(settings({ S3_BUCKET: 'b' })).toMatchObject({ provider: 's3', s3: { region: 'us-east-1' } });
    expect(settings({ S3_BUCKET: 'b', CLARION_STORE: 'local' })).toMatchObject({ provider: 'local', s3: {} });
    expect(settings({ S3_BUCKET: '', CLARION_STORE: '' }).s3).toBeNull();
    expect(settings({ CLARION_STORE: 'none' }).provider).toBeNull();
    expect(() => settings({ CLARION_STORE: 's3' })).toThrow('S3_BUCKET');
    expect(() => settings({ S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i' })).toThrow('S3_SECRET_ACCESS_KEY');
  });

  test('without a store nothing can be stored, but older files can be removed', async () => {
    const file = await putBytes(storeOn('local'), key, Buffer.from('old'));
    const none = storeOn('none');
    await expect(putBytes(none, key, Buffer.from('x'))).rejects.toEqual(away);
    await none.remove(file);
    expect(await storeOn('local').sizeOf(file)).toBeNull();
  });

  test('a file in S3 is unavailable, not missing, if the deployment no longer has a bucket', async () => {
    const store = createStore(readStoreSettings({ CLARION_DATA_DIR: dataDir }), { secrets, baseUrl });
    await expect(store.remove({ provider: 's3', key })).rejects.toBeInstanceOf(ApiError);
  });
});

describe('download URLs of the local store', () => {
  const now = new Date('2026-01-05T09:00:00.000Z');
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const made = async () => new URL(await storeOn('local').downloadUrl({ provider: 'local', key }, now));

  test('return their file until they expire', async () => {
    const url = await made();
    expect(`${url.origin}${url.pathname}`).toBe(`${baseUrl}/files/${key}`);
    expect(readFileUrl(url, secrets, now)).toBe(key);
    expect(readFileUrl(url, secrets, later(299))).toBe(key);
    expect(readFileUrl(url, secrets, later(300))).toBeNull();
  });

  test('are rejected if any part of them is changed', async () => {
    const changed = async (change: (url: URL) => void) => {
      const url = await made();
      change(url);
      return readFileUrl(url, secrets, now);
    };
    expect(await changed((url) => url.searchParams.set('expires', '9999999999'))).toBeNull();
    expect(await changed((url) => url.searchParams.delete('signature'))).toBeNull();
    expect(await changed((url) => url.searchParams.set('signature', 'AAAA'))).toBeNull();
    expect(await changed((url) => (url.pathname = `/files/${recordingKey(7, 4712, 'id')}`))).toBeNull();
    expect(await changed((url) => (url.pathname = '/files/tenants/7/%2e%2e/x.ogg'))).toBeNull();
    const other = signerWith(randomBytes(32));
    expect(readFileUrl(await made(), other, now)).toBeNull();
  });
});

test('a name from a consumer refers to a file of its own tenant or to none', () => {
  expect(uploadKey(7, 'menus/hello.wav')).toBe('tenants/7/uploads/menus/hello.wav');
  for (const name of [
    '../../8/uploads/x.wav',
    '/x',
    'a//b',
    '..',
    '.',
    '',
    'a\0b',
    'a/./b',
    'x'.repeat(600),
  ]) {
    expect([name, uploadKey(7, name)]).toEqual([name, null]);
  }
  expect(isFileKey(recordingKey(1, 2, 'abc'))).toBe(true);
  expect(contentTypeOf('a/b.MP3')).toBe('audio/mpeg');
  expect(contentTypeOf('a/b.html')).toBe('application/octet-stream');
});

test.each(['', '/', '../', 'tenants/../', 'tenants/7'])(
  '%j is no prefix that files are removed by',
  async (prefix) => {
    const store = storeOn('local');
    const file = await putBytes(store, key, Buffer.from('kept'));
    await expect(store.removeAll(prefix)).rejects.toThrow('invalid file prefix');
    expect(await store.sizeOf(file)).toBe(4);
  },
);

/** Octal modes of a folder and everything below it, by path. */
async function modesBelow(folder: string): Promise<Record<'folders' | 'files', string[]>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  const of = (isWanted: (entry: (typeof entries)[number]) => boolean) =>
    Promise.all(entries.filter(isWanted).map(({ parentPath, name }) => modeOf(join(parentPath, name))));
  return {
    folders: [await modeOf(folder), ...(await of((entry) => entry.isDirectory()))],
    files: await of((entry) => entry.isFile()),
  };
}

test('only the user that Clarion runs as can read the local store', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'clarion-store-modes-'));
  const umask = process.umask(0o022);
  try {
    await putBytes(storeOn('local', dir), key, Buffer.from('a voice'));
    const { folders, files } = await modesBelow(join(dir, 'store'));
    expect(new Set(folders)).toEqual(new Set(['700']));
    expect(files).toEqual(['600']);
  } finally {
    process.umask(umask);
    await rm(dir, { recursive: true });
  }
});

test('when a process starts, a store folder that other users can read is closed to them', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'clarion-store-modes-'));
  const root = join(dir, 'store');
  try {
    await mkdir(join(root, 'tenants'), { recursive: true });
    await writeFile(join(root, 'tenants', 'voice'), 'old');
    await chmod(root, 0o755);
    storeOn('local', dir);
    expect((await stat(root)).mode & 0o777).toBe(0o700);
  } finally {
    await rm(dir, { recursive: true });
  }
});
