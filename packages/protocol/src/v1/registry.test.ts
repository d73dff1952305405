/** Rules for all endpoints, including planned ones, that need no running service. */
import { expect, test } from 'vitest';
import type { EndpointDefinition } from './endpoint.ts';
import { allEndpoints } from './planned.ts';

const endpoints = Object.entries<EndpointDefinition>(allEndpoints);
/** The valid body depends on the provider in the path, so it is validated after the registry's schema. */
const VALIDATED_BY_PROVIDER = 'putPushCredentials';

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
