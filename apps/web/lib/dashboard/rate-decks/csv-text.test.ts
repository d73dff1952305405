import { expect, test } from 'vitest';
import { refusalOf, textOf } from './csv-text.ts';

const text = 'Code,Zone\n33,Réunion';
const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

test.each([
  ['UTF-8', bufferOf(Buffer.from(text, 'utf8'))],
  ['UTF-16 as Excel writes it', bufferOf(Buffer.from(`\uFEFF${text}`, 'utf16le'))],
  ['Windows-1252', bufferOf(Buffer.from(text, 'latin1'))],
])('%s is read', (_, content) => {
  expect(textOf(content)).toBe(text);
});

test('a workbook is refused with what to do about it, a CSV file is not', () => {
  expect(refusalOf({ name: 'Rates March.XLSX', size: 9000 })).toContain('CSV (UTF-8)');
  expect(refusalOf({ name: 'rates.csv', size: 9000 })).toBeUndefined();
  expect(refusalOf({ name: 'rates.csv', size: 0 })).toBe('This file is empty.');
});
