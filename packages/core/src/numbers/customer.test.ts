import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressForms } from './address-forms.ts';
import { readCustomer } from './customer.ts';
import { isAllowedDestination } from './destination.ts';
import { isEmergency } from './emergency.ts';

test('a number is read in each of its international forms and kept in E.164', () => {
  for (const written of ['+442079460123', '442079460123', '00442079460123', '+44 (20) 7946-0123']) {
    expect(readCustomer(written, null)).toEqual({
      kind: 'ok',
      address: '+442079460123',
      addressType: 'E164',
      number: '+442079460123',
    });
  }
});

test('what cannot be a telephone number is invalid', () => {
  for (const wrong of [
    'abc',
    '+',
    '+44',
    '+4420',
    '+4420794601234567',
    '+999123456789',
    '02079460123',
    '12',
    '',
  ]) {
    expect(readCustomer(wrong, null), wrong).toEqual({ kind: 'invalid' });
  }
  expect(readCustomer('+442079460123', 'WHATSAPP_USER')).toEqual({ kind: 'invalid' });
  expect(readCustomer('sip:ada@example.com', 'E164')).toEqual({ kind: 'invalid' });
  expect(readCustomer('+442079460123', 'SIP_URI')).toEqual({ kind: 'invalid' });
});

test('emergency short codes are known alone, with + or 00, behind a calling code and inside a URI', () => {
  for (const emergency of [
    '112',
    '911',
    '999',
    '000',
    '+112',
    '00112',
    '+44999',
    '+44 112',
    '+1911',
    '+61000',
    '+3317',
    '+49110',
    'sip:911@gateway.example.com',
    'sip:%39%31%31@gateway.example.com',
    'sip:+44999;phone-context=x@gateway.example.com',
  ]) {
    expect(readCustomer(emergency, null), emergency).toEqual({ kind: 'emergency' });
  }
  for (const ordinary of ['+442079460999', '+12025550112', '+4991123456'])
    expect(isEmergency(ordinary)).toBe(false);
});

test('a SIP URI stands as it is, and the number it hides is found', () => {
  expect(readCustomer('sip:ada@example.com', null)).toMatchObject({ kind: 'ok', number: null });
  expect(readCustomer('sip:204@pbx.example.com:5062;transport=tcp', null)).toMatchObject({ number: null });
  expect(readCustomer('sip:+881612345678@gw.example.com', null)).toMatchObject({ number: '+881612345678' });
  for (const wrong of [
    'sip:',
    'sip:a@b?Subject=x',
    'sip:a b@c',
    'sip:a@b\r\nVia: x',
    'sip:a@b>',
    'sip:"x"@y',
    'sip:a:pw@b',
  ]) {
    expect(readCustomer(wrong, null), wrong).toEqual({ kind: 'invalid' });
  }
});

test('satellite and premium ranges are refused under every plan', () => {
  for (const number of ['+881612345678', '+870773123456', '+979123456789', '+19005551234', '+449098790000']) {
    expect(isAllowedDestination(number, []), number).toBe(false);
    expect(isAllowedDestination(number, ['US', 'GB']), number).toBe(false);
  }
});

test('a plan with countries allows those alone, also where a calling code is shared', () => {
  expect(isAllowedDestination('+442079460123', ['GB'])).toBe(true);
  expect(isAllowedDestination('+442079460123', ['US'])).toBe(false);
  expect(isAllowedDestination('+12125550123', ['US'])).toBe(true);
  expect(isAllowedDestination('+18765550123', ['US'])).toBe(false); // Jamaica
  expect(isAllowedDestination('+18765550123', ['JM'])).toBe(true);
  expect(isAllowedDestination('+77172123456', ['RU'])).toBe(false); // Kazakhstan
});

test('reading never throws, whatever is sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 191 }), (text) => {
      expect(['ok', 'emergency', 'invalid']).toContain(readCustomer(text, null).kind);
      readCustomer(`sip:${text}`, 'SIP_URI');
      expect(addressForms(text)).toContain(text);
    }),
  );
});

test('a filter finds a number with or without + or 00', () => {
  for (const written of ['+442079460123', '442079460123', '00442079460123']) {
    expect(addressForms(written)).toContain('+442079460123');
  }
  expect(addressForms('sip:ada@example.com')).toEqual(['sip:ada@example.com']);
  expect(addressForms('SIP:Ada@Example.COM;Line=A')).toContain('sip:Ada@example.com;Line=A');
  expect(readCustomer('sips:Ada@EXAMPLE.com:5061', null)).toMatchObject({
    address: 'sips:Ada@example.com:5061',
  });
});
