/** What holds for every endpoint, the planned ones too, without a service to ask. */
import { expect, test } from 'vitest';
import type { EndpointDefinition } from './endpoint.ts';
import { allEndpoints } from './planned.ts';

const endpoints = Object.entries<EndpointDefinition>(allEndpoints);
/** What its body means depends on the provider in its path: it is read in full behind the registry. */
const VALIDATED_BY_PROVIDER = 'putPushCredentials';

test.each(
  endpoints.filter(([name, { body, anyJson }]) => body && !anyJson && name !== VALIDATED_BY_PROVIDER),
)('%s ignores fields that it does not know', (_, { body, example }) => {
  const known = body?.parse(example.body);
  expect(body?.parse(Object.assign({}, example.body, { not_a_field: { of: ['ours'] } }))).toEqual(known);
  const hostile: unknown = JSON.parse(
    JSON.stringify(example.body).replace(/^\{/, '{"__proto__":{"name":"x"},"constructor":1,'),
  );
  expect(body?.parse(hostile)).toEqual(known);
});

test.each(endpoints.filter(([, { query }]) => query))(
  '%s ignores parameters that it does not know',
  (_, { query, example }) => {
    const sent = Object.fromEntries(new URLSearchParams(example.query));
    expect(query?.parse({ ...sent, not_a_parameter: '1' })).toEqual(query?.parse(sent));
  },
);
