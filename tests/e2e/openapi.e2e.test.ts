/** The published OpenAPI document, and paths of `/v1` that it does not contain. */
import { TestStack } from '@clarion/testkit/stack/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';

let t: TestStack;
beforeAll(async () => {
  t = await TestStack.share();
});
afterAll(() => t?.stop());

test('the document can be revalidated by its ETag', async () => {
  const url = `${t.baseUrl}/openapi.json`;
  const first = await fetch(url);
  expect(first.status).toBe(200);
  expect(first.headers.get('access-control-allow-origin')).toBe('*');
  expect(await first.json()).toMatchObject({ openapi: '3.1.1', servers: [{ url: t.baseUrl }] });
  const again = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
  expect(again.status).toBe(304);
});

test('an unknown path gets a plain 404 from the web server', async () => {
  const response = await fetch(`${t.baseUrl}/v1/nothing`, {
    headers: { authorization: `Bearer ${t.account.apiKey}` },
  });
  expect(response.status).toBe(404);
  expect(await response.text()).not.toContain('"error":{');
});

test('a method that a path does not have gets an empty 405 from the web server', async () => {
  const response = await fetch(`${t.baseUrl}/v1/numbers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.account.apiKey}` },
  });
  expect([response.status, await response.text()]).toEqual([405, '']);
});
