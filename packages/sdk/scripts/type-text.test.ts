import { expect, test } from 'vitest';
import { typeText } from './type-text.ts';

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['integer', 'null'] }, 'number | null'],
  [{ enum: ['A', 'B', null] }, '"A" | "B" | null'],
  [{ const: 'A' }, '"A"'],
  [{ not: {} }, 'never'],
  [{}, 'unknown'],
  [{ $ref: '#/components/schemas/Tenant' }, 'Tenant'],
  [{ type: 'array', items: { enum: ['A', 'B'] } }, '("A" | "B")[]'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [key: string]: number }'],
  [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, '{\n  a: string;\n}'],
  [
    {
      anyOf: [
        { type: 'object', properties: { 'a-b': { type: 'boolean', description: 'Why */.' } } },
        { type: 'null' },
      ],
    },
    '{\n  /** Why * /. */\n  "a-b"?: boolean | undefined;\n} | null',
  ],
] as const)('%j is %s', (schema, text) => {
  expect(typeText(JSON.parse(JSON.stringify(schema)), 'output')).toBe(text);
});

test('a time may be passed as a Date, and is returned as a string', () => {
  const moment = { anyOf: [{ type: 'string' as const, format: 'date-time' }, { type: 'string' as const }] };
  expect(typeText(moment, 'input')).toBe('string | Date');
  expect(typeText(moment, 'output')).toBe('string');
});

test('a schema without a TypeScript type causes an error', () => {
  expect(() => typeText({ type: 'array', items: [{ type: 'string' }] }, 'output')).toThrow('tuple');
});
