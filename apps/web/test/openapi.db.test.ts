import { afterAll, beforeAll, expect, test } from 'vitest';
import { GET, OPTIONS } from '../app/openapi.json/route.ts';
import { startWeb } from './support.ts';
import type { Web } from './support.ts';

let web: Web;
beforeAll(async () => {
  web = await startWeb({ CLARION_BASE_URL: 'https://api.clarion.example/' });
});
afterAll(() => web.stop());

const get = (headers: Record<string, string> = {}) =>
  GET(new Request('http://localhost/openapi.json', { headers }));

test('any origin may fetch the document, with the URL of this deployment in it', async () => {
  const response = get();
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(await response.json()).toMatchObject({
    openapi: '3.1.1',
    servers: [{ url: 'https://api.clarion.example' }],
  });
});

test('a client with the current version gets a 304', async () => {
  const etag = get().headers.get('etag') ?? '';
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const response = get({ 'if-none-match': tag });
    expect(response.status, tag).toBe(304);
    expect(await response.text()).toBe('');
  }
  expect(get({ 'if-none-match': '"other"' }).status).toBe(200);
});

test('a preflight allows If-None-Match', () => {
  const response = OPTIONS();
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-headers')).toContain('if-none-match');
});
