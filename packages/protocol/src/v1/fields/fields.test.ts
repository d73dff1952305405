import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldError } from './field-error.ts';
import { optional, orDefault, orNull, queryTimestamp, required, text, enumField } from './fields.ts';
import { putQueueBody } from '../tenant/queues.ts';
import { registry } from '../registry.ts';

const body = z.object({
  name: required(text(5)),
  note: orNull(text(5)),
  kind: orDefault(enumField(['A', 'B']), 'A'),
  extra: optional(text(5)),
});
const errorOf = (schema: z.ZodType, value: unknown) => {
  const parsed = schema.safeParse(value, { reportInput: true });
  return parsed.success ? null : fieldError(parsed.error).toBody().error;
};

test('strings are trimmed, blank and null count as missing, and enum values are case-insensitive', () => {
  expect(body.parse({ name: ' ada ', note: '  ', kind: ' b ', extra: null })).toEqual({
    name: 'ada',
    note: null,
    kind: 'B',
  });
  expect(body.parse({ name: 'ada' })).toEqual({ name: 'ada', note: null, kind: 'A' });
});

test('if null has a meaning of its own, blank still counts as missing', () => {
  const wait = (max_wait_seconds: unknown) =>
    putQueueBody.parse({ name: 'q', max_wait_seconds }).maxWaitSeconds;
  expect([wait(null), wait(undefined), wait(' '), wait(60)]).toEqual([null, 300, 300, 60]);
  expect(putQueueBody.parse({ name: 'q' }).maxWaitSeconds).toBe(300);
});

test('the error names a required field that is missing, blank, null or invalid', () => {
  for (const name of [undefined, '   ', null]) {
    expect(errorOf(body, { name })).toEqual({
      code: 'invalid_request',
      message: 'name is required.',
      details: { field: 'name' },
    });
  }
  expect(errorOf(body, { name: 7 })?.message).toBe('name must be a string.');
  expect(errorOf(body, { name: 'ada', kind: 'c' })?.message).toBe('kind must be A or B.');
});

test('the maximum length is inclusive and counts characters, not code units', () => {
  expect(errorOf(body, { name: 'abcde' })).toBeNull();
  expect(errorOf(body, { name: '🙂🙂🙂🙂🙂' })).toBeNull();
  expect(errorOf(body, { name: 'abcdef' })?.message).toBe('name must be at most 5 characters.');
});

test('text that the database cannot store is rejected', () => {
  expect(errorOf(body, { name: 'a\0b' })?.details).toEqual({ field: 'name' });
  expect(errorOf(body, { name: 'a\ud800' })?.details).toEqual({ field: 'name' });
});

test('a nested field is named by its path as sent', () => {
  const members = [
    { agent_ref: 'a' },
    { agent_ref: 'b', priority: 1000 },
    { agent_ref: 'c', priority: 1001 },
  ];
  expect(errorOf(putQueueBody, { name: 'q', members })?.details).toEqual({
    field: 'members[2].priority',
  });
  expect(errorOf(putQueueBody, { name: 'q', members: [members[0], members[0]] })?.details).toEqual({
    field: 'members[1].agent_ref',
  });
  expect(errorOf(putQueueBody, { name: 'q', members: [{}] })?.details).toEqual({
    field: 'members[0].agent_ref',
  });
});

test('the error for a body that is not an object names no field', () => {
  for (const value of [null, [], 'text', 7]) expect(errorOf(body, value)).not.toHaveProperty('details');
});

test('timestamps in a query are ISO 8601, in UTC unless an offset is given', () => {
  const read = (value: string) => queryTimestamp.parse(value).toISOString();
  expect(read('2026-02-03')).toBe('2026-02-03T00:00:00.000Z');
  expect(read('2026-02-03T10:00:00')).toBe('2026-02-03T10:00:00.000Z');
  expect(read('2026-02-03T10:00:00 01:00')).toBe('2026-02-03T09:00:00.000Z');
  expect(read('2026-02-03T10:00:00.5Z')).toBe('2026-02-03T10:00:00.500Z');
  for (const wrong of ['yesterday', '2026-02-30', '2026-13-01T00:00:00Z', '1700000000']) {
    expect(queryTimestamp.safeParse(wrong).success, wrong).toBe(false);
  }
});

test('every example in the registry matches its schemas', () => {
  for (const [name, endpoint] of Object.entries(registry)) {
    const { example } = endpoint;
    if ('body' in endpoint)
      expect(endpoint.body.safeParse(example['body' as never]).error, name).toBeUndefined();
    if ('body' in endpoint.answer) {
      expect(endpoint.answer.body.safeParse(example['answer' as never]).error, name).toBeUndefined();
    }
    for (const [, field] of endpoint.path.matchAll(/\{(\w+)\}/g)) {
      expect(example['path' as never], name).toHaveProperty(field ?? '');
    }
  }
});
