import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayName, escapeUser, infoDigit, parseNameAddr, parseQ850 } from './headers.ts';

describe('an address', () => {
  test.each([
    [
      '"Ada L." <sip:+4930@example.org:5060;user=phone>;tag=1',
      { name: 'Ada L.', user: '+4930', host: 'example.org', hostPort: 'example.org:5060' },
    ],
    [
      'Ada <sips:ada@[2001:db8::1]:5061>',
      { name: 'Ada', user: 'ada', host: '[2001:db8::1]', hostPort: '[2001:db8::1]:5061' },
    ],
    ['sip:100@10.0.0.1;tag=x', { name: null, user: '100', host: '10.0.0.1', hostPort: '10.0.0.1' }],
    ['<sip:10.0.0.1>', { name: null, user: '', host: '10.0.0.1', hostPort: '10.0.0.1' }],
    ['<tel:+4930;phone-context=de>', { name: null, user: '+4930', host: '', hostPort: '' }],
    ['"a\\"b" <sip:%2B49;cic=1:pw@h>', { name: 'a"b', user: '+49', host: 'h', hostPort: 'h' }],
  ])('%s is parsed', (header, expected) => {
    expect(parseNameAddr(header)).toEqual(expected);
  });

  test('of any text is an address or null', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const address = parseNameAddr(header);
        expect(address === null || typeof address.user === 'string').toBe(true);
      }),
    );
    expect(parseNameAddr(undefined)).toBeNull();
  });
});

test('the Q.850 cause is found among several reasons', () => {
  expect(parseQ850('Q.850;cause=17;text="User busy"')).toBe(17);
  expect(parseQ850('SIP;cause=200, q.850 ; text="x" ; cause=21')).toBe(21);
  expect(parseQ850('SIP;cause=600')).toBeNull();
  expect(parseQ850(undefined)).toBeNull();
});

test('any caller can be written to a header or URI without escaping from it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'+49#<>@:;" \r\n\\%äé') }), (text) => {
      expect(escapeUser(text)).toMatch(/^[A-Za-z0-9\-_.!~*'()&=+$,;?/%]*$/);
      expect(displayName(text)).not.toMatch(/["\\\r\n<]/);
    }),
  );
});

test('digits are read from INFO bodies', () => {
  expect(infoDigit('application/dtmf-relay', 'Signal=5\r\nDuration=160')).toBe('5');
  expect(infoDigit('application/dtmf-relay; x=y', 'Duration=1\r\nSignal= 11')).toBe('#');
  expect(infoDigit('application/dtmf', '*')).toBe('*');
  expect(infoDigit('application/dtmf', 'a')).toBe('A');
  expect(infoDigit('text/plain', '5')).toBeNull();
  expect(infoDigit(undefined, undefined)).toBeNull();
});
