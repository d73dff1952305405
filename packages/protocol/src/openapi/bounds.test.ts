import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { EndpointDefinition } from '../v1/endpoint.ts';
import { fieldPath } from '../v1/fields/field-error.ts';
import { registry } from '../v1/registry.ts';
import { bodyCases, queryCases } from '../../test/field-cases.ts';
import { toJsonSchema } from './json-schema.ts';
import { fieldsOf, typesOf, withField } from './schema-walk.ts';
import type { Step } from './schema-walk.ts';

/** The published bounds of a body are those of its schema: each is tested at the bound and one past it. */
const withBody = Object.entries<EndpointDefinition>(registry).flatMap(([name, { body, example }]) =>
  body ? [{ name, body, example: example.body, published: toJsonSchema(body).schema }] : [],
);

const firstIssue = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { reportInput: true }).error?.issues[0];
const named = (issue: z.core.$ZodIssue | undefined) => (issue ? fieldPath(issue.path) : null);
/** Whether an issue is about a bound of the field, not about a rule between fields. */
const isOfBound = (issue: z.core.$ZodIssue) =>
  issue.code !== 'custom' || /^must be at (most|least) /.test(issue.message);

describe.each(withBody)('$name', ({ body, example, published }) => {
  const cases = bodyCases(published, example);
  test('accepts every value at a bound', () => {
    for (const each of cases.filter(({ fits }) => fits)) {
      const issue = firstIssue(body, each.body);
      if (issue && isOfBound(issue)) expect(named(issue), each.label).not.toBe(each.field);
    }
  });
  test('rejects every value past a bound, naming the field', () => {
    for (const each of cases.filter(({ fits }) => !fits)) {
      expect(named(firstIssue(body, each.body)), each.label).toBe(each.field);
    }
  });
});

const withQuery = Object.entries<EndpointDefinition>(registry).flatMap(([name, { query, example }]) =>
  query ? [{ name, query, example: Object.fromEntries(new URLSearchParams(example.query)) }] : [],
);
describe.each(withQuery)('$name', ({ query, example }) => {
  const cases = queryCases(toJsonSchema(query).schema, example);
  test('accepts every query parameter at its bounds, and rejects it past them', () => {
    for (const each of cases) {
      const issue = firstIssue(query, each.query);
      if (!each.fits) expect(named(issue), each.label).toBe(each.field);
      else if (issue && isOfBound(issue)) expect(named(issue), each.label).not.toBe(each.field);
    }
  });
  test('ignores unknown and blank parameters', () => {
    const known = query.safeParse(example);
    expect(query.safeParse({ ...example, nonsense: '1', __proto: 'x' })).toEqual(known);
    expect(query.safeParse({ ...blankFor(query), ...example })).toEqual(known);
  });
});
const blankFor = (query: z.ZodType) =>
  Object.fromEntries(Object.keys(toJsonSchema(query).schema.properties ?? {}).map((name) => [name, ' ']));

describe.each(withBody)('$name', ({ body, example, published }) => {
  test('ignores unknown fields at any depth, except in objects that keep additional fields', () => {
    const known = body.safeParse(example);
    for (const { at, schema } of [{ at: [], schema: published }, ...fieldsOf(published)]) {
      if (!typesOf(schema).includes('object') || schema.additionalProperties !== undefined) continue;
      const within = at.reduce<unknown>(
        (value, step) => (value as Record<Step, unknown> | undefined)?.[step],
        example,
      );
      if (within === undefined) continue;
      const more = withField(example, published, [...at, 'nonsense_field'], 1);
      expect(body.safeParse(more), at.join('.')).toEqual(known);
    }
  });
});

test('the cases cover the fields of every body', () => {
  for (const { name, example, published } of withBody) {
    const reached = new Set(bodyCases(published, example).map(({ label }) => label.split(' ')[0]));
    expect(reached.size, name).toBeGreaterThanOrEqual(
      fieldsOf(published).filter(({ schema }) => !schema.oneOf && Object.keys(schema).length > 0).length / 2,
    );
  }
});
