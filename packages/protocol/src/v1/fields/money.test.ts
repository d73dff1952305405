import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldError } from './field-error.ts';
import { required } from './fields.ts';
import { amount, amountText, currency, readAmount } from './money.ts';

const body = z.object({ amount: required(amount({ min: 0.01 })) });
const messageOf = (value: unknown) => {
  const parsed = body.safeParse({ amount: value }, { reportInput: true });
  return parsed.success ? null : fieldError(parsed.error).toBody().error.message;
};

test('an amount is a number or a string, and is returned as a decimal string', () => {
  const read = ['12.50', ' 7 ', '007.10', '+1', '-0.5', '-0', 3, 0.1, 1e-3, 0.000001, 1.5].map(readAmount);
  expect(read).toEqual(['12.5', '7', '7.1', '1', '-0.5', '0', '3', '0.1', '0.001', '0.000001', '1.5']);
});

test('a value that cannot be stored exactly is rejected', () => {
  const wrong = [
    '',
    '.',
    '1,5',
    '0x10',
    '1e3',
    'NaN',
    '1.0000001',
    '1234567890123',
    Number.NaN,
    Infinity,
    1e-7,
  ];
  for (const value of [...wrong, 0.1 + 0.2]) expect(readAmount(value), String(value)).toBeNull();
  expect(readAmount('999999999999.999999')).toBe('999999999999.999999');
});

test('the minimum is inclusive, and errors name the field', () => {
  expect(messageOf(0.01)).toBeNull();
  expect(messageOf('0.01')).toBeNull();
  expect(messageOf('0.009999')).toBe('amount must be at least 0.01.');
  expect(messageOf('ten')).toMatch(/^amount must be a decimal amount of at most/);
  expect(messageOf(true)).toBe('amount must be a decimal amount.');
  for (const missing of [undefined, null, '  ']) expect(messageOf(missing)).toBe('amount is required.');
});

test('every parsed amount is valid in a response, and parses to itself', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.stringMatching(/^[+-]?\d{1,12}(\.\d{1,6})?$/)), (value) => {
      const read = readAmount(value);
      if (read === null) return;
      expect(Number(read)).toBe(Number(value) + 0);
      expect(amountText.safeParse(read).success).toBe(true);
      expect(readAmount(read)).toBe(read);
    }),
  );
});

test('a currency is a case-insensitive ISO 4217 code', () => {
  expect(currency.parse(' eur ')).toBe('EUR');
  for (const wrong of ['EU', 'EURO', 'QQQ', '€']) expect(currency.safeParse(wrong).success).toBe(false);
});
