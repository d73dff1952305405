import { expect, test } from 'vitest';
import { storable, storableText } from './storable-text.ts';

test('only characters that PostgreSQL cannot store are removed or replaced', () => {
  expect(storableText('Busy\0 here\0')).toBe('Busy here');
  expect(storableText('half \ud83d of a smile')).toBe('half \ufffd of a smile');
  expect(storableText('Zoë 😀 \t\r\n')).toBe('Zoë 😀 \t\r\n');
});

test('a message keeps its structure, and each string in it is cleaned', () => {
  const message = { end: { sipReason: 'No\0way', q850: null, provisional: false }, list: ['\udc00', 1] };
  expect(storable(message)).toEqual({
    end: { sipReason: 'Noway', q850: null, provisional: false },
    list: ['\ufffd', 1],
  });
});

test('undefined stays undefined', () => {
  expect(storable(undefined)).toBeUndefined();
  expect(storable({ end: undefined })).toEqual({});
});
