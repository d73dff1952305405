import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseJson, readBody } from '../../lib/api/body.ts';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName } from '@clarion/protocol/v1/registry';
import { call, startWeb } from '../support.ts';
import type { Web } from '../support.ts';
import { createWorld } from '../world.ts';

/** Whatever is sent, no endpoint fails: an answer is a success or a refusal in the error shape (`call` checks both). */
let web: Web;
let key: string;
let good: Record<string, string | number>;
beforeAll(async () => {
  web = await startWeb();
  ({ key } = await createWorld(web, 'acme'));
  good = {
    tenantRef: 'shop',
    agentRef: 'ada',
    queueRef: 'support',
    channelRef: 'main',
    callId: 1,
    trunkId: 1,
    eventId: crypto.randomUUID(),
  };
});
afterAll(() => web.stop());

const RUNS = 40;
/** Requests are this far apart, so that none of them is refused for being one too many. */
const STEP_MS = 100;
const names = Object.keys(registry).filter((name): name is EndpointName => name in registry);
/** Deleting what the others are tried on would only make them 404. */
const gentle = names.filter((name) => !name.startsWith('delete'));

const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '__proto__',
    'x'.repeat(10_000),
    -1,
    0,
    1.5,
    2 ** 31,
    2 ** 53,
    1e308,
    true,
    [],
    {},
    [null],
    { access_token: '\0' },
    { a: { b: ['\0'] } },
    'ACTIVE',
    'shop',
    'ada',
    '\'; drop table "Call"; --',
    '+442079460123',
    '%',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.integer(),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The example's body with some of its fields, at any depth, replaced, dropped or added. */
function spoiled(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ weight: 2, arbitrary: fc.constant(value) }, nasty);
  if (Array.isArray(value)) {
    return fc.oneof(
      { weight: 3, arbitrary: fc.tuple(...value.map(spoiled)).map((entries): unknown => entries) },
      { weight: 1, arbitrary: fc.array(nasty, { maxLength: 3 }).map((entries): unknown => entries) },
      { weight: 1, arbitrary: nasty },
    );
  }
  const fields = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoiled(inner)]));
  return fc.oneof(
    { weight: 6, arbitrary: fc.record(fields, { requiredKeys: [] }).map((entries): unknown => entries) },
    { weight: 1, arbitrary: nasty },
  );
}

const neverFails = (status: number, text: string) => expect(status, text).toBeLessThan(500);

test.for(gentle)('%s bears any body, query and path', async (name) => {
  const endpoint: EndpointDefinition = registry[name];
  const fields = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field ?? '');
  const path = fc
    .record(
      Object.fromEntries(
        fields.map((field) => [
          field,
          fc.oneof(
            { weight: 5, arbitrary: fc.constant(String(good[field])) },
            { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 200 }) },
            { weight: 1, arbitrary: fc.constantFrom('\0', ' ', '-1', '1e9', '99999999999', 'x'.repeat(192)) },
          ),
        ]),
      ),
    )
    // URL parsing resolves these before any handler sees them: another path, not another ref.
    .filter((params) => Object.values(params).every((value) => !/^\.{1,2}$/.test(value)));
  const query = fc
    .array(
      fc.tuple(
        fc.constantFrom(
          ...[
            'limit',
            'after_id',
            'before_id',
            'page',
            'status',
            'from',
            'to',
            'customer',
            'address',
            'type',
          ],
          ...[
            'agent_ref',
            'channel_ref',
            'owner_agent_ref',
            'queue_ref',
            'stats',
            'live',
            'call_id',
            'tenant_ref',
          ],
          ...['external_ref', 'unowned', 'direction'],
        ),
        fc.oneof(
          fc.string({ maxLength: 40 }),
          fc.constantFrom('\0', '2147483648', '-1', 'true', '2026-01-01T00:00:00Z'),
        ),
      ),
      { maxLength: 4 },
    )
    .map((pairs) => new URLSearchParams(pairs).toString());
  await fc.assert(
    fc.asyncProperty(path, query, spoiled(endpoint.example.body ?? {}), async (params, search, body) => {
      web.setNow(new Date(web.runtime.now().getTime() + STEP_MS));
      const sent = endpoint.method === 'GET' ? {} : { body };
      const answer = await call(name, { key, path: params, query: search, ...sent });
      neverFails(answer.status, answer.text);
    }),
    { numRuns: RUNS },
  );
});

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
