import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressForms } from './address-forms.ts';
import { readCustomer } from './customer.ts';
import { isEmergency } from './emergency.ts';

test('a number is accepted in each international form and stored in E.164', () => {
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

test('emergency short codes are recognised alone, with + or 00, after a calling code and inside a URI', () => {
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
    'sip:999*@gateway.example.com',
    'sip:*999%23@gateway.example.com',
    'sip:1-1-2@gateway.example.com',
    'sip:%2539%2531%2531@gateway.example.com',
    'sip:112;phone-context=+44@gateway.example.com',
  ]) {
    expect(readCustomer(emergency, null), emergency).toEqual({ kind: 'emergency' });
  }
  for (const ordinary of ['+442079460999', '+12025550112', '+4991123456'])
    expect(isEmergency(ordinary)).toBe(false);
});

test('a SIP URI is kept unchanged, and the number in it is found', () => {
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

test('digits in a SIP URI that are not one complete number are rejected in every notation', () => {
  for (const wrong of [
    'sip:01133123456789@gw.example.com', // the North American way to dial abroad
    'sip:+331234567890000@gw.example.com', // more digits than the number has
    'sip:09001234567@gw.example.com',
    'sip:118118@gw.example.com',
    'sip:9002345678@gw.example.com', // premium in North America, and Turkish behind a +
    'sip:33123456789@gw.example.com',
    'sip:0033123456789@gw.example.com',
    'sip:*31%23+33123456789@gw.example.com',
    'sip:9,+33123456789@gw.example.com',
    'sip:x33123456789@gw.example.com',
    'sip:33a123456789@gw.example.com',
    'sip:%30%31%31%33%33%31%32%33%34%35%36%37%38%39@gw.example.com',
    'sip:%2530%2531%2531%2533%2533123456789@gw.example.com',
    'sip:%EF%BC%90%EF%BC%91%EF%BC%9133123456789@gw.example.com', // full-width 011
    'sip:%D9%A0%D9%A1%D9%A133@gw.example.com', // Arabic-Indic 011
    'sip:12%00@gw.example.com',
    'sip:12345;phone-context=+33@gw.example.com',
    'sip:+442079460123;rn=+33123456789@gw.example.com',
    'sip:204%3bphone-context=+331@gw.example.com',
    'sip:ada@gw.example.com;rn=+33123456789',
    'sip:ada@gw.example.com;%72n=+33123456789',
    'sip:0033123456789',
    'sip:ada@0033123456789',
    'sip:ada%@gw.example.com',
  ]) {
    expect(readCustomer(wrong, null), wrong).toEqual({ kind: 'invalid' });
  }
});

test('a number in a SIP URI is checked as that number in every notation', () => {
  for (const written of [
    'sip:+33123456789@gw.example.com',
    'sip:+33(1)23.45-67-89@gw.example.com',
    'sip:%2B3312345678%39@gw.example.com',
    'sip:+3312345678%2539@gw.example.com',
    'sip:+33123456789;npdi@gw.example.com',
    'sip:+33123456789@gw.example.com;user=phone',
  ]) {
    expect(readCustomer(written, null), written).toMatchObject({ kind: 'ok', number: '+33123456789' });
  }
});

/** The user part before its parameters, fully decoded. */
function userOf(uri: string): string {
  let user = uri.slice('sip:'.length, uri.lastIndexOf('@'));
  while (/%[0-9a-f]{2}/i.test(user)) user = decodeURIComponent(user);
  return user.split(';')[0] ?? '';
}

const escapedTimes = (character: string, times: number): string => {
  if (times === 0) return character;
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
  return `%${'25'.repeat(times - 1)}${hex}`;
};
const userParts = fc
  .array(
    fc.tuple(
      fc.oneof(
        { arbitrary: fc.constantFrom(...'0123456789'), weight: 12 },
        { arbitrary: fc.constantFrom(...'+-.()*#,;=/_~!&$ab'), weight: 1 },
      ),
      fc.oneof({ arbitrary: fc.constant(0), weight: 8 }, fc.nat({ max: 3 })),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((characters) => characters.map(([character, times]) => escapedTimes(character, times)).join(''));
const prefixes = fc.constantFrom('', '+', '00', '011', '9', '+33', '+44', '+1900', '%2B44', '*31%23');

test('from every accepted SIP URI, a carrier can dial fewer than six digits or exactly the number that was checked', () => {
  fc.assert(
    fc.property(prefixes, userParts, (prefix, rest) => {
      const uri = `sip:${prefix}${rest}@gw.example.com`;
      const read = readCustomer(uri, null);
      if (read.kind !== 'ok') return;
      // The most lenient carrier dials every digit it finds.
      const dialled = userOf(uri).replaceAll(/\D/g, '');
      expect(isEmergency(dialled) && !/[a-z]/.test(userOf(uri))).toBe(false);
      if (read.number === null) expect(dialled.length).toBeLessThan(6);
      else expect([userOf(uri)[0], `+${dialled}`]).toEqual(['+', read.number]);
    }),
    { numRuns: 5_000 },
  );
});

test('no input makes the reader throw', () => {
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
