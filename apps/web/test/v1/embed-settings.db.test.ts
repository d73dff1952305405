import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, expectError, startWeb } from '../support.ts';
import type { Web } from '../support.ts';

let web: Web;
let key: string;
beforeAll(async () => {
  web = await startWeb();
  key = (await web.consumer('embedder')).apiKey;
});
afterAll(() => web.stop());

const put = (allowed_origins: unknown) => call('putEmbedSettings', { key, body: { allowed_origins } });

test('origins are normalised, deduplicated and replaced as a whole', async () => {
  expect((await call('getEmbedSettings', { key })).json).toEqual({ embedSettings: { allowedOrigins: [] } });
  const answer = await put([
    ' https://App.Example.com/ ',
    'https://app.example.com:443',
    'https://app.example.com:8443',
    'http://localhost:5173',
    'http://127.0.0.1:8090',
  ]);
  const allowedOrigins = [
    'https://app.example.com',
    'https://app.example.com:8443',
    'http://localhost:5173',
    'http://127.0.0.1:8090',
  ];
  expect(answer.json).toEqual({ embedSettings: { allowedOrigins } });
  expect((await call('getEmbedSettings', { key })).json).toEqual({ embedSettings: { allowedOrigins } });
  const { action } = await web.runtime.db.auditEntry.findFirstOrThrow({ orderBy: { id: 'desc' } });
  expect(action).toBe('embed_settings.put');
  expect((await put([])).json).toEqual({ embedSettings: { allowedOrigins: [] } });
});

test('an invalid origin is named by its index', async () => {
  const good = 'https://app.example.com';
  for (const wrong of [
    'http://app.example.com',
    'https://app.example.com/phone',
    'https://app.example.com?x',
    'https://user@app.example.com',
    'https://*.example.com',
    "https://a.example 'unsafe-inline'",
    'https://a.example; script-src *',
    'https://a.example;sandbox',
    'https://a.example%3bsandbox',
    'https://a.example,b.example',
    "https://'none'",
    'app.example.com',
    '*',
    'null',
    'javascript:alert(1)',
    '',
    7,
  ])
    expectError(await put([good, good, good, wrong]), 400, 'invalid_request', 'allowed_origins[3]');
  expectError(await put(undefined), 400, 'invalid_request', 'allowed_origins');
  const many = (count: number) => Array.from({ length: count }, (_, at) => `https://a${at}.example.com`);
  expect((await put(many(50))).status).toBe(200);
  expectError(await put(many(51)), 400, 'invalid_request', 'allowed_origins');
});
