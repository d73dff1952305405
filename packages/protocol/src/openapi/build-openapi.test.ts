import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { eventTypes } from '../events.ts';
import type { EndpointDefinition } from '../v1/endpoint.ts';
import { registry } from '../v1/registry.ts';
import { buildOpenApi } from './build-openapi.ts';
import type { JsonSchema } from './input-shape.ts';
import { checkerOf } from '../../test/openapi-checker.ts';

const document = buildOpenApi({ baseUrl: 'https://clarion.example', version: '1.2.3' });

const { schemaErrors, undocumented } = checkerOf(document);

const endpoints = Object.entries<EndpointDefinition>(registry);

test('an independent validator accepts the document as OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('the document contains every endpoint by its name', () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  );
  expect(operations).toHaveLength(endpoints.length);
  for (const [name, { path, method }] of endpoints) {
    expect(document.paths[path]?.[method.toLowerCase()], name).toMatchObject({ operationId: name });
  }
});

test('the document contains every event type', () => {
  expect(Object.keys(document.webhooks).toSorted()).toEqual([...eventTypes].toSorted());
});

test('every reference can be resolved', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, at = '']) => at);
  expect(refs.length).toBeGreaterThan(100);
  for (const at of new Set(refs)) {
    const found = at
      .split('/')
      .reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], document);
    expect(found, at).toBeDefined();
  }
});

describe.each(endpoints)('%s', (name, { path, method, body, answer, example, query }) => {
  const operation = document.paths[path]?.[method.toLowerCase()] as {
    requestBody?: { content: { 'application/json': { schema: JsonSchema } } };
    parameters?: object[];
  };
  test('its examples match the published schemas', () => {
    const sent = operation.requestBody?.content['application/json'].schema;
    expect(sent !== undefined).toBe(body !== undefined);
    if (sent) expect(schemaErrors(sent, example.body)).toEqual([]);
    const text = answer.body ? JSON.stringify(example.answer) : '';
    const contentType = answer.body ? 'application/json' : (answer.file?.[0] ?? null);
    expect(undocumented(path, method, { status: answer.status, contentType, text })).toEqual([]);
    if (query)
      expect(query.safeParse(Object.fromEntries(new URLSearchParams(example.query))).error).toBeUndefined();
  });
  test('every field of its body and query has a published type', () => {
    expect(openEnded(operation.requestBody), name).toEqual([]);
    expect(openEnded(operation.parameters), name).toEqual([]);
  });
});

/** Paths of schemas without a type. */
function openEnded(node: unknown, at = ''): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const found = Object.entries(node).flatMap(([key, inner]): string[] => {
    if (key === 'example' || key === 'examples') return [];
    return openEnded(inner, `${at}/${key}`);
  });
  const parent = at.split('/').at(-2);
  const isSchema = at.endsWith('/schema') || at.endsWith('/items') || parent === 'properties';
  const hasType = ['type', 'anyOf', 'oneOf', 'allOf', '$ref', 'const', 'enum'].some((key) => key in node);
  return isSchema && !hasType ? [at, ...found] : found;
}
