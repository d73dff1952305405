import { expect, test } from 'vitest';
import { forwardedNumbers } from './forwarded-numbers.ts';

const trunk = { techPrefixes: { outbound: '7#' }, numberRules: { countryCode: '44' }, quirks: {} };
const call = { called: '0442079460001', number: '+442079460001', caller: '+447700900123' };

test('a number is sent in the form of the trunk', () => {
  expect(forwardedNumbers(call, trunk)).toEqual({
    called: '7#442079460001',
    caller: '447700900123',
    withheld: false,
  });
  const quirks = { calledPlus: true, callerIdPlus: true };
  expect(forwardedNumbers(call, { ...trunk, quirks })).toMatchObject({
    called: '7#+442079460001',
    caller: '+447700900123',
  });
});

test('a short code is sent as it came, after the prefix of the trunk', () => {
  expect(forwardedNumbers({ ...call, called: '*31', number: null }, trunk)).toMatchObject({
    called: '7#*31',
  });
});

test('a caller without a number in E.164 is sent as it came, and a withheld one as anonymous', () => {
  expect(forwardedNumbers({ ...call, caller: '123' }, trunk)).toMatchObject({
    caller: '123',
    withheld: false,
  });
  expect(forwardedNumbers({ ...call, caller: 'sip:ada@pbx.example' }, trunk)).toMatchObject({
    caller: 'ada',
  });
  expect(forwardedNumbers({ ...call, caller: null }, trunk)).toMatchObject({
    caller: 'anonymous',
    withheld: true,
  });
});
