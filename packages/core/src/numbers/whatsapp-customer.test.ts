import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressForms } from './address-forms.ts';
import { readCustomerOn } from './customer.ts';
import { readWhatsAppCustomer, recipientOf, whatsAppAddress } from './whatsapp-customer.ts';

test('a number in any form is stored with its plus sign', () => {
  for (const written of ['+12185552828', '12185552828', '0012185552828', '+1 (218) 555-2828']) {
    expect(readWhatsAppCustomer(written)).toEqual({
      kind: 'ok',
      address: '+12185552828',
      addressType: 'WHATSAPP_USER',
      number: '+12185552828',
    });
  }
});

test('a user ID is stored as it is, with its country in upper case', () => {
  for (const [written, address] of [
    ['US.1349', 'US.1349'],
    [' us.13aB49 ', 'US.13aB49'],
    ['US.ENT.118', 'US.ENT.118'],
    ['us.ent.118', 'US.ENT.118'],
  ] as const) {
    expect(readWhatsAppCustomer(written)).toMatchObject({ kind: 'ok', address, number: null });
  }
});

test('emergency numbers and other addresses are rejected', () => {
  for (const emergency of ['112', '911']) expect(readWhatsAppCustomer(emergency).kind).toBe('emergency');
  for (const wrong of [
    '',
    'sip:ada@example.com',
    'anonymous',
    'U.1',
    'US.',
    `US.${'1'.repeat(129)}`,
    'US.1 2',
    '+1',
  ])
    expect(readWhatsAppCustomer(wrong), wrong).toEqual({ kind: 'invalid' });
});

test('a customer of a webhook is known by number, otherwise by user ID', () => {
  expect(whatsAppAddress('12185552828', 'US.1349')).toBe('+12185552828');
  expect(whatsAppAddress(null, 'us.1349')).toBe('US.1349');
  expect(whatsAppAddress(null, 'odd id')).toBe('odd id');
  expect(whatsAppAddress(null, null)).toBeNull();
});

test('whatever is typed for a stored customer finds the stored form', () => {
  const digits = fc.stringMatching(/^[1-9]\d{7,14}$/);
  const userId = fc.stringMatching(/^[A-Z]{2}\.[A-Za-z0-9]{1,128}$/);
  fc.assert(
    fc.property(fc.oneof(digits, userId), fc.boolean(), (sent, lower) => {
      const isUserId = sent.includes('.');
      const stored = isUserId ? whatsAppAddress(null, sent) : whatsAppAddress(sent, null);
      const typed = isUserId && lower ? sent.slice(0, 2).toLowerCase() + sent.slice(2) : sent;
      expect(addressForms(typed)).toContain(stored);
      expect(recipientOf(stored ?? '')).toEqual(isUserId ? { recipient: stored } : { to: sent });
    }),
  );
});

test('the type of the line decides what can be called', () => {
  for (const type of [null, 'E164', 'WHATSAPP_USER'] as const) {
    expect(readCustomerOn('WHATSAPP', '0012185552828', type)).toMatchObject({
      address: '+12185552828',
      addressType: 'WHATSAPP_USER',
    });
    expect(readCustomerOn('WHATSAPP', 'US.1349', type)).toMatchObject({ addressType: 'WHATSAPP_USER' });
  }
  expect(readCustomerOn('WHATSAPP', '+12185552828', 'SIP_URI')).toEqual({ kind: 'invalid' });
  expect(readCustomerOn('WHATSAPP', 'sip:ada@example.com', null)).toEqual({ kind: 'invalid' });
  expect(readCustomerOn('SIP', 'US.1349', null)).toEqual({ kind: 'invalid' });
  expect(readCustomerOn('SIP', '+12185552828', 'WHATSAPP_USER')).toEqual({ kind: 'invalid' });
  expect(readCustomerOn('SIP', '+12185552828', null)).toMatchObject({ addressType: 'E164' });
});
