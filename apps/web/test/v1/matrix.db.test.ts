import { createApiKey, revokeApiKey } from '@clarion/core/consumer/keys';
import { bodyCases, queryCases } from '@clarion/protocol/openapi/field-cases';
import { toJsonSchema } from '@clarion/protocol/openapi/json-schema';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName } from '@clarion/protocol/v1/registry';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { staffSession } from '../dashboard.ts';
import { call, expectError, startWeb } from '../support.ts';
import type { Answer, Call, Web } from '../support.ts';
import { createTenantFixture } from '../tenant-fixture.ts';

/** Rules of all endpoints, tested with each: new endpoints are included without a change here. */
let web: Web;
let key: string;
/** For endpoints of dashboard users only. */
let session: string;
let unusable: Record<string, string>;
beforeAll(async () => {
  web = await startWeb();
  // The hosts of the examples do not exist, and a name server may take seconds to say so.
  web.runtime.settings.resolve = async () => ['198.41.0.4'];
  ({ key } = await createTenantFixture(web, 'acme'));
  ({ session } = await staffSession(web, 'acme'));
  unusable = await unusableKeys();
});
afterAll(() => web.stop());

/** The interval of requests, with a separate minute for each test, so that none is rate limited. */
const STEP_MS = 100;
const MINUTE_MS = 60_000;
let minutes = 0;
beforeEach(() => {
  minutes += 1;
  web.setNow(new Date(Date.now() + minutes * MINUTE_MS));
});
const tick = () => web.setNow(new Date(web.runtime.now().getTime() + STEP_MS));

async function unusableKeys(): Promise<Record<string, string>> {
  const { db } = web.runtime;
  const consumer = await db.consumer.findUniqueOrThrow({ where: { slug: 'acme' } });
  const at = (now: Date) => ({ ...web.operator, consumer, now });
  const input = { name: 'brief', expiresInDays: 1 };
  const expired = await createApiKey(at(new Date(Date.now() - 2 * 24 * 60 * 60_000)), input);
  const revoked = await createApiKey(at(new Date()), input);
  await revokeApiKey(at(new Date()), revoked.apiKey.id);
  return {
    'no credentials': '',
    'a key that is none': 'Bearer nonsense',
    'a key of nobody': `Bearer ${key.slice(0, -4)}0000`,
    'a key without its scheme': key,
    'another scheme': `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
    'an expired key': `Bearer ${expired.secret}`,
    'a revoked key': `Bearer ${revoked.secret}`,
  };
}

const names = Object.keys(registry).filter((name): name is EndpointName => name in registry);
const definitionOf = (name: EndpointName): EndpointDefinition => registry[name];
const withBody = names.filter((name) => definitionOf(name).body);
const withQuery = names.filter((name) => definitionOf(name).query);

/** The example with the refs of this fixture. */
const here = { tenantRef: 'shop', agentRef: 'ada', queueRef: 'support', channelRef: 'main' };
const exampleOf = (name: EndpointName): Call & { path: Record<string, string | number> } => {
  const { example, sessionOnly } = definitionOf(name);
  return {
    ...(sessionOnly ? { session } : { key }),
    path: { ...example.path, ...here },
    ...(example.body !== undefined && { body: example.body }),
  };
};
async function send(name: EndpointName, options: Call): Promise<Answer<EndpointName>> {
  tick();
  return call(name, options);
}

test.for(names)('%s is for nobody without a key that is valid now', async (name) => {
  for (const [what, authorization] of Object.entries(unusable)) {
    const { key: _, session: __, ...request } = exampleOf(name);
    const answer = await send(name, { ...request, headers: authorization ? { authorization } : {} });
    expect({ what, status: answer.status }).toEqual({ what, status: 401 });
    expectError(answer, 401, 'unauthorized');
  }
});

test('every endpoint rejects a suspended account', async () => {
  const { apiKey } = await web.consumer('late');
  await web.changeConsumer('late', { status: 'SUSPENDED' });
  for (const name of names) {
    const { session: _, ...request } = exampleOf(name);
    expectError(await send(name, { ...request, key: apiKey }), 403, 'consumer_suspended');
  }
});

const NO_JSON = ['', '{', '{"name":', 'name=ada', '{} {}', '['.repeat(200_000)];
const NO_OBJECT = ['null', '[]', '[{}]', '"text"', '7'];
test.for(withBody)('%s takes a JSON object and nothing else', async (name) => {
  for (const body of [...NO_JSON, ...(definitionOf(name).anyJson ? [] : NO_OBJECT)]) {
    expectError(await send(name, { ...exampleOf(name), body }), 400, 'invalid_request');
  }
});

const complains =
  /must be at (most|least) |is required\.|must be (a string|a number|a whole number|a boolean|a list|an object)/;
/** A value at a bound may be rejected for its meaning (no such agent), but not for its size, type or spelling. */
function expectTaken({ status, error }: Answer<EndpointName>, field: string, label: string): void {
  if (status === 400 && error?.details?.['field'] === field)
    expect(error.message, label).not.toMatch(complains);
}
function expectRefused({ status, error }: Answer<EndpointName>, field: string, label: string): void {
  expect({ label, status, field: error?.details?.['field'] }).toEqual({ label, status: 400, field });
}

test.for(withBody)('%s holds each field of its body to its bounds', async (name) => {
  const { body, example } = definitionOf(name);
  for (const each of body ? bodyCases(toJsonSchema(body).schema, example.body) : []) {
    const answer = await send(name, { ...exampleOf(name), body: each.body });
    (each.fits ? expectTaken : expectRefused)(answer, each.field, each.label);
  }
});

test.for(withQuery)('%s holds each parameter of its query to its bounds', async (name) => {
  const { query, example } = definitionOf(name);
  const shown = Object.fromEntries(new URLSearchParams(example.query));
  for (const each of query ? queryCases(toJsonSchema(query).schema, shown) : []) {
    const search = new URLSearchParams({ ...each.query, nonsense: '1' }).toString();
    const answer = await send(name, { ...exampleOf(name), query: search });
    (each.fits ? expectTaken : expectRefused)(answer, each.field, each.label);
  }
});
