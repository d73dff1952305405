/** Audio assets and their files through the real web process: decoder processes, downloads, and a body of 15 MB. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestStack } from '@clarion/testkit/stack/stack';
import { sine } from '@clarion/test-phone/audio/goertzel';
import { encodeWav } from '@clarion/test-phone/audio/wav';
import { afterAll, beforeAll, expect, test } from 'vitest';

let t: TestStack;
const assets = '/v1/tenants/shop/audio-assets';
beforeAll(async () => {
  t = await TestStack.share();
  await t.v1.ok('PUT', '/v1/tenants/shop', { name: 'Shop' });
});
afterAll(() => t?.stop());

interface Asset {
  id: number;
  durationSeconds: number;
  storageProvider: string;
}
const upload = (bytes: Buffer, mimeType: string) =>
  t.v1.ok<{ audioAsset: Asset }>('POST', assets, {
    name: 'Tone',
    mime_type: mimeType,
    content_base64: bytes.toString('base64'),
  });

test('an audio asset is decoded, stored, downloaded in full and in part, and deleted', async () => {
  const wav = encodeWav({ sampleRate: 16_000, samples: sine(440, 16_000, 8000) });
  const { audioAsset } = await upload(wav, 'audio/wav');
  expect(audioAsset).toMatchObject({ durationSeconds: 0.5, storageProvider: 'local' });
  const { url } = await t.v1.ok<{ url: string }>('GET', `${assets}/${audioAsset.id}/url`);
  const whole = await fetch(url);
  expect([whole.status, whole.headers.get('content-type'), whole.headers.get('accept-ranges')]).toEqual([
    200,
    'audio/wav',
    'bytes',
  ]);
  expect(Buffer.from(await whole.arrayBuffer())).toEqual(wav);
  const part = await fetch(url, { headers: { range: 'bytes=0-3' } });
  expect([part.status, await part.text()]).toEqual([206, 'RIFF']);
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, head.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
  expect((await fetch(`${url}x`)).status).toBe(403);
  expect((await t.v1.request('DELETE', `${assets}/${audioAsset.id}`)).status).toBe(204);
  expect((await fetch(url)).status).toBe(404);
});

test.each([
  ['tone-1khz.mp3', 'audio/mpeg'],
  ['tone-1khz-opus.ogg', 'audio/ogg'],
  ['tone-1khz-vorbis.ogg', 'audio/ogg'],
])('%s is decoded by the web process', async (name, mimeType) => {
  const file = join(import.meta.dirname, '../../packages/core/src/audio/__fixtures__', name);
  const { audioAsset } = await upload(readFileSync(file), mimeType);
  expect(audioAsset.durationSeconds).toBeCloseTo(1, 1);
});

test('an audio asset of 11 MB, near the limit of a body, is accepted, and a body of more than 15 MB gets 413', async () => {
  const wav = encodeWav({ sampleRate: 48_000, samples: sine(440, 48_000, 5_700_000) });
  expect((await upload(wav, 'audio/wav')).audioAsset.durationSeconds).toBeCloseTo(118.75, 2);
  const tooLarge = await t.v1.request('POST', assets, {
    name: 'Tone',
    mime_type: 'audio/wav',
    content_base64: 'A'.repeat(15 * 1024 * 1024),
  });
  expect(tooLarge.status).toBe(413);
});
