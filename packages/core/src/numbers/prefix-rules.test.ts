import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDialable, ruleFor } from './prefix-rules.ts';
import type { PrefixRule } from './prefix-rules.ts';

const rule = (change: Partial<PrefixRule>): PrefixRule => ({
  prefix: '',
  caller: '',
  called: '',
  ...change,
});
const call = { prefix: '88#', rest: '+4930123', caller: '+447700900123' };

describe('the rule of a call', () => {
  test.each<[string, Partial<PrefixRule>, boolean]>([
    ['any call', {}, true],
    ['its prefix', { prefix: '88#' }, true],
    ['another prefix', { prefix: '88' }, false],
    ['the first digits of the called number', { called: '4930' }, true],
    ['other digits of the called number', { called: '4931' }, false],
    ['the first digits of the caller', { caller: '4477' }, true],
    ['other digits of the caller', { caller: '4478' }, false],
    ['a caller, but not the called number', { caller: '4477', called: '1' }, false],
  ])('applies to %s', (_, change, applies) => {
    expect(ruleFor([rule(change)], call) !== null).toBe(applies);
  });

  test('with a caller does not apply to a call without one', () => {
    const withheld = { ...call, caller: null };
    expect(ruleFor([rule({ caller: '4' })], withheld)).toBeNull();
    expect(ruleFor([rule({})], withheld)).not.toBeNull();
  });

  test('is the most specific one, whatever their order', () => {
    const ascending = [
      rule({}),
      rule({ prefix: '88#' }),
      rule({ caller: '44' }),
      rule({ caller: '4477' }),
      rule({ caller: '4477', prefix: '88#' }),
      rule({ called: '4' }),
      rule({ called: '4930' }),
      rule({ called: '4930', caller: '4' }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(ascending, { minLength: 1 }), (some) => {
        const best = ascending.findLast((known) => some.includes(known));
        expect(ruleFor(some, call)).toBe(best);
      }),
    );
  });
});

test.each([
  ['4930123', true],
  ['+4930123', true],
  ['12', true],
  ['*31#', true],
  ['1'.repeat(32), true],
  ['1'.repeat(33), false],
  ['', false],
  ['+', false],
  ['12;phone-context=x', false],
  ['12>', false],
])('what follows the prefix may be %s: %s', (rest, allowed) => expect(isDialable(rest)).toBe(allowed));
