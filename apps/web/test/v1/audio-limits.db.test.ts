/** How much audio one tenant may store, and that refused uploads leave no files. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setPlan } from '@clarion/core/consumer/set-plan';
import { sine } from '@clarion/test-phone/audio/goertzel';
import { encodeWav } from '@clarion/test-phone/audio/wav';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

let web: Web;
let key: string;
beforeAll(async () => {
  web = await startWeb();
  key = (await createTenantFixture(web, 'acme')).key;
  await call('putTenant', { key, path: { tenantRef: 'salon' }, body: { name: 'Salon' } });
});
afterEach(async () => {
  for (const tenantRef of ['shop', 'salon']) {
    for (const { id: assetId } of await list(tenantRef)) {
      await call('deleteAudioAsset', { key, path: { tenantRef, assetId } });
    }
  }
});
afterAll(() => web.stop());

const RATE_HZ = 8000;
const tone = (seconds: number) =>
  encodeWav({ sampleRate: RATE_HZ, samples: sine(440, RATE_HZ, seconds * RATE_HZ) });
const create = (seconds: number, tenantRef = 'shop') =>
  call('createAudioAsset', {
    key,
    path: { tenantRef },
    body: { name: 'Tone', mime_type: 'audio/wav', content_base64: tone(seconds).toString('base64') },
  });
const list = async (tenantRef = 'shop') =>
  (await call('listAudioAssets', { key, path: { tenantRef } })).json.audioAssets;
const filesKept = async (): Promise<number> => {
  const entries = await readdir(join(web.runtime.env.CLARION_DATA_DIR, 'store'), {
    recursive: true,
    withFileTypes: true,
  });
  return entries.filter((entry) => entry.isFile()).length;
};

test('a tenant can have as many audio assets as the plan allows, and one more after a deletion', async () => {
  await web.changeConsumer('acme', { planAudioAssets: 2, planAudioMegabytes: 2000 });
  const first = (await create(0.1)).json.audioAsset;
  expect((await create(0.1)).status).toBe(201);
  const refused = await create(0.1);
  expectError(refused, 409, 'audio_limit_reached');
  expect(refused.error?.details).toEqual({ limit: 'assets', max: 2, used: 2 });
  expect(refused.error?.message).toContain('has 2 audio assets. Its limit is 2');
  expect((await create(0.1, 'salon')).status, 'each tenant has its own').toBe(201);
  await call('deleteAudioAsset', { key, path: { tenantRef: 'shop', assetId: first.id } });
  expect((await create(0.1)).status).toBe(201);
});

test('the decoded size counts, not that of the upload, and a rejected upload leaves no files', async () => {
  await web.changeConsumer('acme', { planAudioAssets: 500, planAudioMegabytes: 1 });
  expect((await create(5)).status).toBe(201);
  const kept = await filesKept();
  // 80 KB of 8 kHz, 560 KB decoded; with the first one 1.2 MB.
  const refused = await create(5);
  expectError(refused, 409, 'audio_limit_reached');
  expect(refused.error?.details).toEqual({ limit: 'megabytes', max: 1, used: 1 });
  expect(refused.error?.message).toContain('limit is 1 MB');
  expect(await filesKept()).toBe(kept);
  expect((await create(2)).status).toBe(201);
});

test('concurrent uploads cannot exceed the limit together', async () => {
  await web.changeConsumer('acme', { planAudioAssets: 2, planAudioMegabytes: 2000 });
  const before = await filesKept();
  const answers = await Promise.all(Array.from({ length: 5 }, () => create(0.1)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
  expect(await list()).toHaveLength(2);
  expect(await filesKept()).toBe(before + 2 * 3);
});

test('the operator can raise the audio limit of an account', async () => {
  await web.changeConsumer('acme', { planAudioAssets: 0 });
  expectError(await create(0.1), 409, 'audio_limit_reached');
  await setPlan(web.operator, 'acme', { audioAssets: 3, audioMegabytes: 10 });
  await expect.poll(async () => (await create(0.1)).status).toBe(201);
});
