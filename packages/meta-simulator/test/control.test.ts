import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CUSTOMER, openScene, type Scene } from './scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await openScene({ controlOrigin: 'http://localhost:3000' });
});
afterEach(() => scene.close());

interface Reply {
  status: number;
  body: { id?: string; state?: string; error?: { message: string } };
}

async function control(method: string, path: string, body?: object, headers = {}): Promise<Reply> {
  const response = await fetch(`${scene.simulator.controlUrl}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Reply['body'] };
}

test('a call is placed, listed and ended over HTTP', async () => {
  const placed = await control('POST', '/calls', { customer: CUSTOMER });
  expect(placed).toMatchObject({ status: 200, body: { state: 'calling' } });
  const { id } = placed.body;
  expect((await control('GET', `/calls/${id}`)).body.id).toBe(id);
  expect((await control('POST', `/calls/${id}/answer`)).status).toBe(409);
  expect((await control('POST', `/calls/${id}/hang-up`)).body.state).toBe('ended');
});

test.each([
  ['POST', '/calls', {}, 400, 'customer'],
  ['POST', '/calls', { customer: '999' }, 404, '999'],
  ['POST', '/calls/wacid.x/hang-up', {}, 404, 'wacid.x'],
  ['POST', '/calls/wacid.x/digits', { digits: '1x' }, 400, 'digits'],
  ['POST', '/webhook-faults', { kind: 'late' }, 400, 'delayMs'],
  ['POST', '/webhook-faults', { kind: 'lost', events: ['nothing'] }, 400, 'events'],
  ['POST', '/graph-faults', { kind: 'error', code: 1 }, 400, 'code'],
  ['POST', `/customers/${CUSTOMER}/permission`, { decision: 'maybe' }, 400, 'decision'],
  ['POST', `/customers/${CUSTOMER}/audio`, { kind: 'file', path: '/nowhere' }, 400, 'path'],
  ['GET', '/nothing', undefined, 404, '/nothing'],
])('%s %s with %j is %i and names what is wrong', async (method, path, body, status, word) => {
  const reply = await control(method, path, body);
  expect(reply.status).toBe(status);
  expect(reply.body.error?.message).toContain(word);
});

test('pages of another origin and other host names are refused', async () => {
  const evil = await control('POST', '/calls', { customer: CUSTOMER }, { origin: 'https://evil.example' });
  expect(evil.status).toBe(403);
  const page = { origin: 'http://localhost:3000' };
  expect((await control('POST', '/calls', { customer: CUSTOMER }, page)).status).toBe(200);
  const port = new URL(scene.simulator.controlUrl ?? '').port;
  const status = await new Promise((resolve) =>
    httpRequest({ port, host: '127.0.0.1', path: '/state', headers: { host: 'evil.example' } }, (response) =>
      resolve(response.resume().statusCode),
    ).end(),
  );
  expect(status).toBe(403);
});

test('the page that plays a customer may use the API at its own address only', async () => {
  const { controlUrl } = scene.simulator;
  const own = await control('POST', '/calls', { customer: CUSTOMER }, { origin: controlUrl ?? '' });
  expect(own.status).toBe(200);
  const other = { origin: 'http://127.0.0.1:1' };
  expect((await control('POST', '/calls', { customer: CUSTOMER }, other)).status).toBe(403);
});

test('every file of the page is served, with a policy that allows nothing from elsewhere', async () => {
  const html = await fetch(`${scene.simulator.controlUrl}/`);
  expect(html.headers.get('content-type')).toContain('text/html');
  const policy = html.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const wanted = [...(await html.text()).matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path);
  const seen = new Set<string>();
  for (const path of wanted) {
    if (seen.has(path)) continue;
    seen.add(path);
    const response = await fetch(`${scene.simulator.controlUrl}${path}`);
    expect([path, response.status]).toEqual([path, 200]);
    const text = await response.text();
    if (path.endsWith('.ts')) {
      expect(response.headers.get('content-type')).toContain('text/javascript');
      expect(text).not.toContain('interface ');
      for (const [, name = ''] of text.matchAll(/from '\.\/([^']+)'/g)) wanted.push(`/page/${name}`);
    }
  }
  expect(seen).toContain('/page/voice.ts');
  expect((await control('GET', '/page/../http.ts')).status).toBe(404);
});

test('a customer speaks in the page that follows the events, until it is closed; then the calls end', async () => {
  const speaks = () => scene.control.customers[0]?.speaksInPage;
  const page = new AbortController();
  await fetch(`${scene.simulator.controlUrl}/events?speaker=${CUSTOMER}`, { signal: page.signal });
  expect(speaks()).toBe(true);
  const placed = scene.control.placeCall(CUSTOMER).catch((error: Error) => error.message);
  await scene.control.journal.when((entry) => entry.type === 'media' && entry.step === 'make-offer', 5000);
  page.abort();
  await expect.poll(speaks).toBe(false);
  expect(await placed).toBe('the call has ended');
  expect((await control('GET', '/events?speaker=999')).status).toBe(404);
});

test('events are streamed', async () => {
  const response = await fetch(`${scene.simulator.controlUrl}/events`);
  await scene.control.placeCall(CUSTOMER);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array);
    if (text.includes('"state":"calling"')) break;
  }
  expect(text).toContain('event: call\n');
});
