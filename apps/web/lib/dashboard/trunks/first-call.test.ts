import { expect, test } from 'vitest';
import { arrivals } from './first-call.ts';

const at = (second: number) => `2026-01-05T09:00:${String(second).padStart(2, '0')}.000Z`;
const invite = { source: '203.0.113.7', number: '+442071838750' };
const rejected = (second: number, code: string, more: object = {}) => ({
  ...invite,
  at: at(second),
  reason: 'a reason',
  fix: 'a fix',
  field: null,
  docs: null,
  code,
  ...more,
});
const lines = ['+442071838750'];
const rules = { country_code: '44', national_prefix: '0' };

test('an INVITE from an address that is not listed offers to add exactly that address', () => {
  const refusals = [rejected(1, 'source_not_of_trunk', { field: 'inbound_source_cidrs' })];
  expect(arrivals({ lastInvite: null, refusals }, lines, null)).toEqual([
    expect.objectContaining({ kind: 'rejected', action: { kind: 'add-source', source: '203.0.113.7' } }),
  ]);
});

test('an INVITE to a number without a line offers to create the line, if the number can be read', () => {
  const actions = ['+442079460001', '2079460001'].map(
    (number) =>
      arrivals(
        { lastInvite: null, refusals: [rejected(1, 'number_without_line', { number })] },
        lines,
        null,
      )[0],
  );
  expect(actions).toMatchObject([
    { action: { kind: 'create-line', number: '+442079460001' } },
    { action: null },
  ]);
});

test('repeated attempts count once, and the newest comes first', () => {
  const refusals = [
    rejected(9, 'no_common_codec', { field: 'codecs' }),
    rejected(8, 'source_not_of_trunk'),
    rejected(2, 'source_not_of_trunk'),
  ];
  const lastInvite = { ...invite, at: at(20) };
  const [first, ...rest] = arrivals({ lastInvite, refusals }, lines, null);
  expect(first).toMatchObject({ kind: 'reached', line: '+442071838750' });
  expect(rest).toMatchObject([{ at: at(9), action: { kind: 'edit', field: 'codecs' } }, { at: at(8) }]);
});

test('an INVITE that was rejected is not a call that reached a line', () => {
  const refusals = [rejected(5, 'no_common_codec')];
  const found = arrivals({ lastInvite: { ...invite, at: at(5) }, refusals }, lines, null);
  expect(found.map(({ kind }) => kind)).toEqual(['rejected']);
});

test.each([
  ['442071838750', null, '+442071838750'],
  ['00442071838750', null, '+442071838750'],
  ['02071838750', rules, '+442071838750'],
  ['2071838750', rules, '+442071838750'],
  ['02071838750', null, null],
  ['+442079460001', rules, null],
])('a call to %s with the number rules %j reached the line %s', (number, given, line) => {
  const lastInvite = { source: '198.41.0.4', number, at: at(1) };
  expect(arrivals({ lastInvite, refusals: [] }, lines, given)).toMatchObject([{ kind: 'reached', line }]);
});
