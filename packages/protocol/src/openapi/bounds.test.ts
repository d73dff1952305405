import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { fieldPath } from '../v1/field-error.ts';
import { allEndpoints } from '../v1/planned.ts';
import { bodyCases } from './field-cases.ts';
import { toJsonSchema } from './json-schema.ts';
import { fieldsOf } from './schema-walk.ts';

/** What is published of a body is what its schema does: at each bound, and one past it. Planned endpoints too. */
const withBody = Object.entries(allEndpoints).flatMap(([name, { body, example }]) =>
  body ? [{ name, body, example: example.body, published: toJsonSchema(body).schema }] : [],
);

const firstIssue = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { reportInput: true }).error?.issues[0];
const named = (issue: z.core.$ZodIssue | undefined) => (issue ? fieldPath(issue.path) : null);
/** Rather than of what the value means beside other fields. */
const isOfBound = (issue: z.core.$ZodIssue) =>
  issue.code !== 'custom' || /^must be at (most|least) /.test(issue.message);

describe.each(withBody)('$name', ({ body, example, published }) => {
  const cases = bodyCases(published, example);
  test('takes every bound at its edge', () => {
    for (const each of cases.filter(({ fits }) => fits)) {
      const issue = firstIssue(body, each.body);
      if (issue && isOfBound(issue)) expect(named(issue), each.label).not.toBe(each.field);
    }
  });
  test('refuses what is one past it, naming the field', () => {
    for (const each of cases.filter(({ fits }) => !fits)) {
      expect(named(firstIssue(body, each.body)), each.label).toBe(each.field);
    }
  });
});

test('the cases reach every field', () => {
  for (const { name, example, published } of withBody) {
    const reached = new Set(bodyCases(published, example).map(({ label }) => label.split(' ')[0]));
    expect(reached.size, name).toBeGreaterThanOrEqual(
      fieldsOf(published).filter(({ schema }) => !schema.oneOf && Object.keys(schema).length > 0).length / 2,
    );
  }
});
