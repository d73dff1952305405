import { expect, test } from 'vitest';
import { storable, storableText } from './storable-text.ts';

test('text loses only the characters that PostgreSQL cannot store', () => {
  expect(storableText('Busy\0 here\0')).toBe('Busy here');
  expect(storableText('half \ud83d of a smile')).toBe('half \ufffd of a smile');
  expect(storableText('Zoë 😀 \t\r\n')).toBe('Zoë 😀 \t\r\n');
});

test('a message keeps its shape, and every text in it is clean', () => {
  const message = { end: { sipReason: 'No\0way', q850: null, provisional: false }, list: ['\udc00', 1] };
  expect(storable(message)).toEqual({
    end: { sipReason: 'Noway', q850: null, provisional: false },
    list: ['\ufffd', 1],
  });
});

test('a message that is not there stays so', () => {
  expect(storable(undefined)).toBeUndefined();
  expect(storable({ end: undefined })).toEqual({});
});
