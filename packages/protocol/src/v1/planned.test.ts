import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { errorTable } from '../errors.ts';
import { commonErrors, pathFields, type EndpointDefinition } from './endpoint.ts';
import { allEndpoints, planned } from './planned.ts';
import { registry } from './registry.ts';

const endpoints: [string, EndpointDefinition][] = Object.entries(planned);

describe('a planned endpoint', () => {
  test.each(endpoints)('%s: its example matches its schemas', (_, { example, body, query, answer, path }) => {
    if (body) expect(body.safeParse(example.body).error).toBeUndefined();
    else expect(example.body).toBeUndefined();
    if (query) {
      const values = Object.fromEntries(new URLSearchParams(example.query));
      expect(query.safeParse(values).error).toBeUndefined();
    }
    if (answer.body) expect(answer.body.safeParse(example.answer).error).toBeUndefined();
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field);
    expect(Object.keys(example.path ?? {})).toEqual(named);
    for (const field of named) expect(pathFields).toHaveProperty(field ?? '');
  });

  test('has a unique path and name, and lists only errors that not every endpoint has', () => {
    const places = Object.values(allEndpoints).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(places).size).toBe(places.length);
    expect(Object.keys(planned).filter((name) => name in registry)).toEqual([]);
    for (const [name, { errors, method, summary }] of endpoints) {
      expect(summary, name).toMatch(/\.$/);
      for (const code of errors) expect(errorTable, name).toHaveProperty(code);
      expect(
        errors.filter((code) => (commonErrors as readonly string[]).includes(code)),
        name,
      ).toEqual([]);
      expect(errors.includes('idempotency_key_in_use'), name).toBe(method === 'POST');
    }
  });

  test('can be converted to JSON Schema, both its request and its response', () => {
    for (const [name, { body, query, answer }] of endpoints) {
      for (const schema of [body, query])
        if (schema) expect(z.toJSONSchema(schema, { io: 'input' }), name).toHaveProperty('type', 'object');
      if (answer.body) expect(() => z.toJSONSchema(answer.body ?? z.never()), name).not.toThrow();
    }
  });
});
