import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tenantPrefix, uploadKey } from '@clarion/store/file-key';
import { getBytes, putBytes } from '@clarion/store/file-bytes';
import { storeSettings } from '@clarion/store/settings';
import { createStore } from '@clarion/store/store';
import type { Store } from '@clarion/store/store';
import type { StoredFile } from '@clarion/store/driver';
import { AUDIO_MAX_BODY_BYTES } from '@clarion/protocol/v1/tenant/audio';
import { FakeS3 } from '@clarion/testkit/peers/fake-s3';
import { sine } from '@clarion/test-phone/audio/goertzel';
import { encodeWav } from '@clarion/test-phone/audio/wav';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Call, Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

let web: Web;
let s3: FakeS3;
let store: Store;
let key: string;
const path = { tenantRef: 'shop' };
beforeAll(async () => {
  s3 = await FakeS3.start();
  web = await startWeb(s3.env);
  ({ store } = web.runtime);
  key = (await createTenantFixture(web, 'acme')).key;
});
afterEach(async () => {
  s3.trouble = () => null;
  web.runtime.store = store;
  const { db } = web.runtime;
  await db.ivrFlow.deleteMany({});
  await db.queue.updateMany({ data: { holdAudioAssetId: null } });
  await db.audioAsset.deleteMany({});
  s3.objects.clear();
});
afterAll(async () => {
  await web.stop();
  await s3.stop();
});

const tone = encodeWav({ sampleRate: 16_000, samples: sine(440, 16_000, 4000) });
const fixtures = join(import.meta.dirname, '../../../../packages/core/src/audio/__fixtures__');
const fixture = (name: string) => readFileSync(join(fixtures, name));
const bodyOf = (bytes: Buffer = tone, mimeType = 'audio/wav') => ({
  name: 'Welcome',
  mime_type: mimeType,
  content_base64: bytes.toString('base64'),
});
const create = (body: unknown = bodyOf(), more: Call = {}) =>
  call('createAudioAsset', { key, path, body, ...more });
const created = async (body: unknown = bodyOf()) => (await create(body)).json.audioAsset;
const remove = (assetId: number) => call('deleteAudioAsset', { key, path: { ...path, assetId } });
const list = async () => (await call('listAudioAssets', { key, path })).json.audioAssets;
const putQueue = (queueRef: string, body: object) =>
  call('putQueue', { key, path: { ...path, queueRef }, body: { name: 'Q', ...body } });
const storedFiles = () => [...s3.objects.keys()].toSorted();

test('an uploaded WAV is returned, listed, found, and stored with its decoded audio', async () => {
  const asset = await created(bodyOf(tone, 'Audio/X-WAV'));
  expect(asset).toEqual({
    id: expect.any(Number),
    name: 'Welcome',
    mimeType: 'audio/wav',
    durationSeconds: 0.25,
    sizeBytes: tone.length,
    storageProvider: 's3',
    createdAt: expect.any(String),
  });
  expect(await list()).toEqual([asset]);
  expect(
    (await call('getAudioAsset', { key, path: { ...path, assetId: asset.id } })).json.audioAsset,
  ).toEqual(asset);
  const row = await web.runtime.db.audioAsset.findUniqueOrThrow({ where: { id: asset.id } });
  const bytesOf = (name: string) => getBytes(store, { provider: 's3', key: name }, 1_000_000);
  expect(await bytesOf(row.storageKey)).toEqual(tone);
  expect(await bytesOf(row.pcm8kKey)).toHaveLength(2000 * 2);
  expect(await bytesOf(row.pcm48kKey)).toHaveLength(12_000 * 2);
  expect(storedFiles()).toEqual([row.pcm48kKey, row.pcm8kKey, row.storageKey].toSorted());
  for (const name of storedFiles()) expect(name).toMatch(new RegExp(`^${tenantPrefix(row.tenantId)}audio/`));
  const entry = await web.runtime.db.auditEntry.findFirstOrThrow({ where: { action: 'audio_asset.create' } });
  expect(entry.details).toEqual({ name: 'Welcome', mimeType: 'audio/wav', sizeBytes: tone.length });
});

test.each([
  ['tone-1khz.mp3', 'audio/mpeg', 'audio/mpeg'],
  ['tone-1khz-opus.ogg', 'audio/ogg; codecs=opus', 'audio/ogg'],
  ['tone-1khz-vorbis.ogg', 'application/ogg', 'audio/ogg'],
])('%s is accepted', async (name, sent, mimeType) => {
  expect(await created(bodyOf(fixture(name), sent))).toMatchObject({ mimeType, durationSeconds: 1 });
});

test('its download URL returns the upload', async () => {
  const { id } = await created();
  const { url, expiresInSeconds } = (await call('getAudioAssetUrl', { key, path: { ...path, assetId: id } }))
    .json;
  expect(expiresInSeconds).toBe(300);
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(tone);
});

test('a file in the store can be used by its key within the uploads of the tenant', async () => {
  const { id: tenantId } = await web.runtime.db.tenant.findFirstOrThrow({ where: { ref: 'shop' } });
  const upload = uploadKey(tenantId, 'menus/hello.wav');
  await putBytes(store, upload ?? '', tone);
  const asset = await created({ name: 'Hello', mime_type: 'audio/wav', storage_key: 'menus/hello.wav' });
  expect(asset).toMatchObject({ sizeBytes: tone.length, durationSeconds: 0.25 });
  await remove(asset.id);
  // The consumer's own file is theirs to remove.
  expect(storedFiles()).toEqual([upload]);
});

test('a storage key cannot leave the uploads of the tenant', async () => {
  const { id: tenantId } = await web.runtime.db.tenant.findFirstOrThrow({ where: { ref: 'shop' } });
  await putBytes(store, uploadKey(tenantId + 1, 'theirs.wav') ?? '', tone);
  for (const storageKey of [
    'missing.wav',
    'theirs.wav',
    `../../${tenantId + 1}/uploads/theirs.wav`,
    `/tenants/${tenantId + 1}/uploads/theirs.wav`,
    `tenants/${tenantId + 1}/uploads/theirs.wav`,
    '..',
    'a//b',
    'x'.repeat(401),
  ]) {
    expectError(
      await create({ name: 'N', mime_type: 'audio/wav', storage_key: storageKey }),
      400,
      'invalid_request',
      'storage_key',
    );
  }
});

test('a wrong field is named', async () => {
  const text = Buffer.from('no sound at all').toString('base64');
  for (const [body, field] of [
    [{ ...bodyOf(), name: undefined }, 'name'],
    [{ ...bodyOf(), name: 'x'.repeat(256) }, 'name'],
    [{ ...bodyOf(), mime_type: undefined }, 'mime_type'],
    [{ ...bodyOf(), mime_type: 'audio/flac' }, 'mime_type'],
    [bodyOf(tone, 'audio/mpeg'), 'mime_type'],
    [{ ...bodyOf(), content_base64: undefined }, 'content_base64'],
    [{ ...bodyOf(), content_base64: '  ' }, 'content_base64'],
    [{ ...bodyOf(), content_base64: 'not!base64' }, 'content_base64'],
    [{ ...bodyOf(), content_base64: 7 }, 'content_base64'],
    [{ ...bodyOf(), content_base64: text }, 'content_base64'],
    [{ ...bodyOf(), storage_key: 'both.wav' }, 'storage_key'],
    [bodyOf(tone.subarray(0, 500)), 'content_base64'],
    [bodyOf(fixture('tone-1khz.mp3').subarray(0, 5000), 'audio/mpeg'), 'content_base64'],
  ] as const) {
    expectError(await create(body), 400, 'invalid_request', field);
  }
  expect((await create({ ...bodyOf(), name: 'x'.repeat(255) })).status).toBe(201);
  expect(storedFiles()).toHaveLength(3);
});

test('an upload of 15 MB is accepted, and one byte more is 413', async () => {
  const head = JSON.stringify({ ...bodyOf(), content_base64: '' }).slice(0, -2);
  const room = AUDIO_MAX_BODY_BYTES - head.length - '"}'.length;
  const silence = (chars: number) => {
    const bytes = Math.floor(chars / 4) * 3;
    const wav = encodeWav({ sampleRate: 48_000, samples: new Int16Array((bytes - 44) / 2) });
    return `${head}${wav.toString('base64').padEnd(chars, ' ')}"}`;
  };
  const body = silence(room);
  expect(Buffer.byteLength(body)).toBe(AUDIO_MAX_BODY_BYTES);
  expect((await create(body)).status).toBe(201);
  expectError(await create(`${body} `), 413, 'invalid_request');
});

test('without a store, content is 400, and a storage key and a URL are 503', async () => {
  const { id } = await created();
  web.runtime.store = { ...store, provider: null };
  expectError(await create(), 400, 'invalid_request', 'content_base64');
  expectError(
    await create({ name: 'N', mime_type: 'audio/wav', storage_key: 'a.wav' }),
    503,
    'storage_unavailable',
  );
  expectError(
    await call('getAudioAssetUrl', { key, path: { ...path, assetId: id } }),
    503,
    'storage_unavailable',
  );
});

test('while the store is unavailable nothing is created, and stored files are removed', async () => {
  let puts = 0;
  s3.trouble = (method) => (method === 'PUT' && (puts += 1) === 3 ? 500 : null);
  expectError(await create(), 503, 'storage_unavailable');
  expect(storedFiles()).toEqual([]);
  expect(await list()).toEqual([]);
  await s3.stopListening();
  expectError(await create(), 503, 'storage_unavailable');
  const { id } = await s3.startListening().then(() => created());
  await s3.stopListening();
  expectError(await remove(id), 503, 'storage_unavailable');
  expectError(
    await call('getAudioAssetUrl', { key, path: { ...path, assetId: id } }),
    503,
    'storage_unavailable',
  );
  await s3.startListening();
  expect(await list()).toHaveLength(1);
  expect((await remove(id)).status).toBe(204);
});

test('if the row cannot be inserted, its files are removed', async () => {
  // The tenant is deleted while its upload is decoded and stored.
  await call('putTenant', { key, path: { tenantRef: 'gone' }, body: { name: 'Gone', status: 'SUSPENDED' } });
  const late: Store = {
    ...store,
    async put(...args) {
      const file = await store.put(...args);
      if (args[0].endsWith('48k.pcm'))
        await web.runtime.db.tenant.delete({ where: { id: tenantIdOf(file) } });
      return file;
    },
  };
  const tenantIdOf = ({ key: name }: StoredFile) => Number(name.split('/')[1]);
  web.runtime.store = late;
  expectError(await create(bodyOf(), { path: { tenantRef: 'gone' } }), 404, 'not_found');
  expect(storedFiles()).toEqual([]);
});

test('five concurrent requests with one Idempotency-Key create one audio asset', async () => {
  const headers = { 'idempotency-key': 'one-upload' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => create(bodyOf(), { headers })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expectError(answer, 409, 'idempotency_key_in_use');
  }
  const replay = await create(bodyOf(), { headers });
  expect(replay.headers.get('idempotent-replayed')).toBe('true');
  expect(await list()).toEqual([replay.json.audioAsset]);
  expect(storedFiles()).toHaveLength(3);
});

test('the hold audio of a queue must belong to its tenant', async () => {
  const { id } = await created();
  const queue = (await putQueue('held', { hold_audio_asset_id: id })).json.queue;
  expect(queue.holdAudioAssetId).toBe(id);
  const other = { tenantRef: 'other' };
  await call('putTenant', { key, path: other, body: { name: 'Other' } });
  const theirs = (await create(bodyOf(), { path: other })).json.audioAsset;
  for (const wrong of [theirs.id, id + 1000]) {
    expectError(
      await putQueue('held', { hold_audio_asset_id: wrong }),
      400,
      'invalid_request',
      'hold_audio_asset_id',
    );
  }
  expect((await putQueue('held', {})).json.queue.holdAudioAssetId).toBeNull();
});

test('an audio asset in use cannot be deleted, and the error names what uses it', async () => {
  const { id } = await created();
  const { db } = web.runtime;
  await putQueue('held', { hold_audio_asset_id: id });
  const channel = await db.channel.findFirstOrThrow({ where: { ref: 'main' } });
  await db.ivrFlow.create({
    data: {
      tenantId: channel.tenantId,
      ref: 'menu',
      name: 'Menu',
      channelId: channel.id,
      structure: {},
      audioAssets: { create: { audioAssetId: id } },
    },
  });
  const refused = await remove(id);
  expectError(refused, 409, 'in_use');
  expect(refused.error?.details).toEqual({ usedBy: ['queue:held', 'ivrFlow:menu'] });
  expect(storedFiles()).toHaveLength(3);
  await db.ivrFlow.deleteMany({});
  await putQueue('held', {});
  expect((await remove(id)).status).toBe(204);
  expect(storedFiles()).toEqual([]);
  expectError(await remove(id), 404, 'not_found');
});

test('an audio asset that is deleted while a queue starts to use it: either the queue is rejected or the asset stays', async () => {
  const { id } = await created();
  let meanwhile: ReturnType<typeof putQueue> | undefined;
  web.runtime.store = {
    ...store,
    async remove(file) {
      meanwhile ??= putQueue('held', { hold_audio_asset_id: id });
      await store.remove(file);
    },
  };
  expect((await remove(id)).status).toBe(204);
  if (!meanwhile) throw new Error('nothing happened meanwhile');
  expectError(await meanwhile, 400, 'invalid_request', 'hold_audio_asset_id');
});

test('files of a previous store are still found and removed after a change of the store', async () => {
  const { env, secrets } = web.runtime;
  const before = createStore(
    { ...storeSettings(env), provider: 'local' },
    { secrets, baseUrl: env.CLARION_BASE_URL },
  );
  web.runtime.store = before;
  const asset = await created();
  expect(asset.storageProvider).toBe('local');
  web.runtime.store = store;
  const row = await web.runtime.db.audioAsset.findUniqueOrThrow({ where: { id: asset.id } });
  const upload = { provider: 'local', key: row.storageKey } as const;
  expect(await getBytes(store, upload, 1_000_000)).toEqual(tone);
  expect((await remove(asset.id)).status).toBe(204);
  expect(await before.sizeOf(upload)).toBeNull();
});
