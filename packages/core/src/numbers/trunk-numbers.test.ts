import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calledOnTrunk, callerOnTrunk, readCalled, readCaller, toE164 } from './trunk-numbers.ts';

const uk = { countryCode: '44', nationalPrefix: '0' };
const plain = { techPrefixes: null, quirks: {} };

describe('the dialled number', () => {
  test.each([
    ['+442071234567', plain, '442071234567'],
    ['+442071234567', { techPrefixes: { outbound: '99#' }, quirks: {} }, '99#442071234567'],
    ['+442071234567', { techPrefixes: null, quirks: { calledPlus: true } }, '+442071234567'],
    [
      '+442071234567',
      { techPrefixes: null, numberRules: uk, quirks: { nationalOutbound: true } },
      '02071234567',
    ],
    [
      '+442071234567',
      {
        techPrefixes: { outbound: '9' },
        numberRules: { countryCode: '44' },
        quirks: { nationalOutbound: true },
      },
      '92071234567',
    ],
    [
      '+4930123456',
      { techPrefixes: null, numberRules: uk, quirks: { nationalOutbound: true, calledPlus: true } },
      '+4930123456',
    ],
    ['+442071234567', { techPrefixes: null, quirks: { nationalOutbound: true } }, '442071234567'],
    ['sip:bob@example.com', { techPrefixes: { outbound: '99#' }, quirks: {} }, 'sip:bob@example.com'],
  ])('%s on %o is %s', (address, trunk, dialled) => {
    expect(calledOnTrunk(address, trunk)).toBe(dialled);
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
    const users = fc.array(fc.constantFrom('s', '', 'operator', null), { maxLength: 2 });
    fc.assert(
      fc.property(users, fc.string(), fc.string(), (before, rest, after) => {
        const read = readCalled(
          [...before, `77%23${encodeURIComponent(rest)}`, after, '442071234567'],
          trunk,
        );
        expect(read).toEqual({ number: toE164(rest.split(';')[0]?.trim() ?? '', uk), prefix });
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
