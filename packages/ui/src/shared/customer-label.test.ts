import { expect, test } from 'vitest';
import { customerLabel, customerNumber, isWhatsAppUserId } from './customer-label.ts';

const known = { name: 'Grace', address: '+442079460123', addressWithheld: false };

test('a customer is shown by name, then by number, then by the fallback', () => {
  expect(customerLabel(known, 'Erased customer')).toBe('Grace');
  expect(customerLabel({ ...known, name: null }, 'Erased customer')).toBe('+442079460123');
  expect(customerLabel({ ...known, name: null, address: null }, 'Erased customer')).toBe('Erased customer');
});

test('a withheld number is labelled as such, even with a name', () => {
  const withheld = { name: null, address: 'anonymous', addressWithheld: true };
  expect(customerLabel(withheld, 'Erased customer')).toBe('Withheld number');
  expect(customerLabel({ ...withheld, name: 'Grace' }, 'Erased customer')).toBe('Grace');
  expect(customerNumber({ ...withheld, name: 'Grace' })).toBe('Withheld number');
});

test('a WhatsApp customer without a number is shown by the user ID', () => {
  const user = { name: null, address: 'US.13491208', addressWithheld: false };
  expect(customerLabel(user, 'Erased customer')).toBe('WhatsApp user US.13491208');
  expect(customerLabel({ ...user, name: 'Grace' }, 'Erased customer')).toBe('Grace');
  expect(customerNumber({ ...user, address: 'US.ENT.13491208' })).toBe('WhatsApp user US.ENT.13491208');
});

test.each(['+12185552828', 'sip:us.1349@example.com', 'anonymous', 'us.1349', 'US.', ''])(
  '%j is not a WhatsApp user ID',
  (address) => expect(isWhatsAppUserId(address)).toBe(false),
);
