/** Rules for all endpoints that need no running service. */
import { expect, test } from 'vitest';
import type { ErrorCode } from '../errors.ts';
import { commonErrors } from './endpoint.ts';
import type { EndpointDefinition } from './endpoint.ts';
import { registry } from './registry.ts';

const endpoints = Object.entries<EndpointDefinition>(registry);
/** The valid body depends on the provider in the path, so it is validated after the registry's schema. */
const VALIDATED_BY_PROVIDER = 'putPushCredentials';

test('no two endpoints have the same method and path', () => {
  const places = endpoints.map(([, { method, path }]) => `${method} ${path}`);
  expect(new Set(places).size).toBe(places.length);
});

test.each(endpoints)('%s lists only errors that not every endpoint has', (_, { errors }) => {
  expect(errors.filter((code) => (commonErrors as readonly ErrorCode[]).includes(code))).toEqual([]);
});

test.each(
  endpoints.filter(([name, { body, anyJson }]) => body && !anyJson && name !== VALIDATED_BY_PROVIDER),
)('%s ignores unknown fields', (_, { body, example }) => {
  const known = body?.parse(example.body);
  expect(body?.parse(Object.assign({}, example.body, { not_a_field: { of: ['ours'] } }))).toEqual(known);
  const hostile: unknown = JSON.parse(
    JSON.stringify(example.body).replace(/^\{/, '{"__proto__":{"name":"x"},"constructor":1,'),
  );
  expect(body?.parse(hostile)).toEqual(known);
});

test.each(endpoints.filter(([, { query }]) => query))(
  '%s ignores unknown parameters',
  (_, { query, example }) => {
    const sent = Object.fromEntries(new URLSearchParams(example.query));
    expect(query?.parse({ ...sent, not_a_parameter: '1' })).toEqual(query?.parse(sent));
  },
);
