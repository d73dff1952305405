/** The published OpenAPI document and the running service: endpoints exist unless they are marked as planned. */
import { planned } from '@clarion/protocol/v1/planned';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
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

test('planned endpoints get a plain 404 from the web server, like unknown paths', async () => {
  const endpoints: [string, Pick<EndpointDefinition, 'method' | 'path'>][] = [
    ...Object.entries(planned),
    ['nothing', { method: 'GET', path: '/v1/nothing' }],
  ];
  for (const [name, { method, path }] of endpoints) {
    const response = await fetch(t.baseUrl + path.replaceAll(/\{\w+\}/g, '1'), {
      method,
      headers: { authorization: `Bearer ${t.account.apiKey}` },
    });
    expect(response.status, name).toBe(404);
    expect(await response.text(), name).not.toContain('"error":{');
  }
});
