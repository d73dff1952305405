import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseJson, readBody } from '#lib/api/body.ts';
import { call, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createWorld } from '../world.ts';

/** What upsets parsers and streams; what upsets endpoints is in fuzz.db.test.ts. */
let web: Web;
let key: string;
beforeAll(async () => {
  web = await startWeb();
  ({ key } = await createWorld(web, 'acme'));
});
afterAll(() => web.stop());

test('a body of broken bytes, brackets without end or a broken stream is a 400, not a crash', async () => {
  const path = { tenantRef: 'shop' };
  for (const body of [
    '['.repeat(100_000),
    '{"a":'.repeat(50_000),
    '"\\',
    '{"name":"\\ud800"}',
    'nul',
    '{"name":1e999}',
  ]) {
    const answer = await call('putTenant', { key, path, body });
    expect(answer.status).toBe(400);
  }
  const broken = (bytes: Uint8Array<ArrayBuffer>) =>
    readBody(new Request('http://x/', { method: 'POST', body: bytes }), 1024).then(parseJson);
  await expect(broken(Uint8Array.of(0x22, 0xff, 0x22))).rejects.toMatchObject({ status: 400 });
  await expect(broken(new Uint8Array(1025))).rejects.toMatchObject({ status: 413 });
});

test('a body that is too large is refused while it streams, whatever it says of its length', async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  // Node asks for `duplex`, which the DOM's types do not know.
  const init = { method: 'POST', body: endless, duplex: 'half' };
  const request = new Request('http://x/', init);
  await expect(readBody(request, 1024 * 1024)).rejects.toMatchObject({ status: 413 });
  expect(sent).toBeLessThan(2 * 1024 * 1024);
});
