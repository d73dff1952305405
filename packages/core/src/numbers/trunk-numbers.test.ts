import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calledOnTrunk, callerOnTrunk, readCalled, readCaller, toE164 } from './trunk-numbers.ts';

const uk = { countryCode: '44', nationalPrefix: '0' };
const us = { countryCode: '1' };
const plain = { techPrefixes: null, numberRules: null, quirks: {} };
const national = { ...plain, numberRules: uk, quirks: { nationalOutbound: true } };

describe('the dialled number', () => {
  test.each([
    ['+442071234567', plain, '442071234567'],
    ['+442071234567', { ...plain, techPrefixes: { outbound: '99#' } }, '99#442071234567'],
    ['+442071234567', { ...plain, quirks: { calledPlus: true } }, '+442071234567'],
    ['sip:bob@example.com', { ...plain, techPrefixes: { outbound: '99#' } }, 'sip:bob@example.com'],
    // The rules alone change nothing outbound.
    ['+442071234567', { ...plain, numberRules: uk }, '442071234567'],
    ['+442071234567', national, '02071234567'],
    ['+12125550123', national, '12125550123'],
    ['+12125550123', { ...national, numberRules: us }, '2125550123'],
    ['+442071234567', { ...national, techPrefixes: { outbound: '99#' } }, '99#02071234567'],
    ['+442071234567', { ...national, numberRules: null }, '442071234567'],
    ['sip:44@example.com', national, 'sip:44@example.com'],
  ])('%s on %o is %s', (address, trunk, dialled) => {
    expect(calledOnTrunk(address, trunk)).toBe(dialled);
  });

  test('is international with a + and national without one, if the carrier requires both', () => {
    const trunk = { ...national, quirks: { nationalOutbound: true, calledPlus: true } };
    expect(calledOnTrunk('+442071234567', trunk)).toBe('02071234567');
    expect(calledOnTrunk('+12125550123', trunk)).toBe('+12125550123');
  });

  test('in national form is read back as the same number', () => {
    const rules = fc.constantFrom(
      uk,
      { countryCode: '49', nationalPrefix: '0' },
      { countryCode: '36', nationalPrefix: '06' },
    );
    fc.assert(
      fc.property(rules, fc.stringMatching(/^[1-9]\d{7,11}$/), (numberRules, rest) => {
        const number = `+${numberRules.countryCode}${rest}`;
        const dialled = calledOnTrunk(number, { ...national, numberRules });
        expect(dialled).toBe(numberRules.nationalPrefix + rest);
        expect(toE164(dialled, numberRules)).toBe(number);
      }),
    );
  });

  test('the caller ID has no + unless the carrier requires it', () => {
    expect(callerOnTrunk('+442071234567', {})).toBe('442071234567');
    expect(callerOnTrunk('+442071234567', { callerIdPlus: true })).toBe('+442071234567');
  });
});

describe('the called number', () => {
  const read = (
    user: string,
    more: Parameters<typeof readCalled>[1] = { techPrefixes: null, numberRules: null },
  ) => readCalled([user], more)?.number;

  test.each([
    '+442071234567',
    '442071234567',
    '00442071234567',
    '%2B442071234567',
    '+44 20 7123-4567',
    '442071234567;npdi',
  ])('%s is read as E.164', (user) => {
    expect(read(user)).toBe('+442071234567');
  });

  test('national numbers need the rules of the trunk', () => {
    expect(read('02071234567', { techPrefixes: null, numberRules: uk })).toBe('+442071234567');
    expect(read('442071234567', { techPrefixes: null, numberRules: uk })).toBe('+442071234567');
    expect(read('2071234567', { techPrefixes: null, numberRules: { countryCode: '1' } })).toBe(
      '+12071234567',
    );
    expect(read('02071234567')).toBeUndefined();
  });

  test('the longest tech prefix is removed before the number is read', () => {
    const techPrefixes = {
      inbound: [
        { prefix: '7', purpose: 'FORWARD' as const },
        { prefix: '77#', purpose: 'PROCESS' as const },
      ],
    };
    expect(readCalled(['77%23442071234567'], { techPrefixes, numberRules: null })).toEqual({
      number: '+442071234567',
      prefix: { prefix: '77#', purpose: 'PROCESS' },
      rest: '442071234567',
    });
  });

  test('falls back from the request URI to To and to the diverted number', () => {
    const trunk = { techPrefixes: null, numberRules: null };
    expect(readCalled(['s', '442071234567', null], trunk)?.number).toBe('+442071234567');
    expect(readCalled(['', 'anything', '442071234567'], trunk)?.number).toBe('+442071234567');
    expect(readCalled(['s', 'x', null], trunk)).toBeNull();
  });

  test('a user part with a tech prefix decides, even if no number follows', () => {
    const prefix = { prefix: '77#', purpose: 'FILTER' as const };
    const trunk = { techPrefixes: { inbound: [prefix] }, numberRules: uk };
    const users = fc.array(fc.constantFrom('s', '', 'operator', '442071234560', null), { maxLength: 2 });
    fc.assert(
      fc.property(users, fc.string(), fc.string(), (before, rest, after) => {
        const read = readCalled(
          [...before, `77%23${encodeURIComponent(rest)}`, after, '442071234567'],
          trunk,
        );
        expect(read).toMatchObject({ number: toE164(rest.split(';')[0]?.trim() ?? '', uk), prefix });
      }),
    );
  });
});

describe('the caller', () => {
  test.each([
    [null, '447700900123', { address: '+447700900123', addressType: 'E164' }],
    ['+447700900123', 'unknown', { address: '+447700900123', addressType: 'E164' }],
    ['+447700900123', 'anonymous', { address: null, addressType: 'E164' }],
    ['Restricted', '447700900123', { address: null, addressType: 'E164' }],
    [null, 'unavailable', { address: null, addressType: 'E164' }],
    [null, 'anonymous', { address: null, addressType: 'E164' }],
    [null, '07700900123', { address: '+447700900123', addressType: 'E164' }],
    [null, '12345', { address: '12345', addressType: 'E164' }],
    [null, 'bob', { address: 'bob', addressType: 'SIP_URI' }],
  ] as const)('asserted %s, From %s', (asserted, from, expected) => {
    expect(readCaller({ withheld: false, assertedUser: asserted, fromUser: from }, uk)).toEqual(expected);
    const withheld = readCaller({ withheld: true, assertedUser: asserted, fromUser: from }, uk);
    expect(withheld).toEqual({ address: null, addressType: 'E164' });
  });
});

test('for any input from a carrier, a number is E.164 or null', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(null, uk), (text, rules) => {
      const number = toE164(text, rules);
      expect(number === null || /^\+[1-9]\d{7,14}$/.test(number)).toBe(true);
      expect(() => readCalled([text], { techPrefixes: null, numberRules: rules })).not.toThrow();
    }),
  );
});

test('E.164 is read back unchanged, with or without rules', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\+[1-9]\d{7,14}$/), fc.constantFrom(null, uk), (number, rules) => {
      expect(toE164(number, rules)).toBe(number);
    }),
  );
});
