import { describe, expect, test } from 'vitest';
import { fieldError } from '../fields/field-error.ts';
import { pricePlanBody } from './price-plans.ts';

/** The field for which a plan with these items is rejected; null if it is accepted. */
function rejected(...items: Record<string, unknown>[]) {
  const parsed = pricePlanBody.safeParse({ name: 'Plan', items }, { reportInput: true });
  return parsed.success ? null : fieldError(parsed.error).details?.field;
}
const seat = { kind: 'seat', method: 'flat', flat_rate: 5 };
const markup = (markup_percent: unknown, more: Record<string, unknown> = {}) => ({
  kind: 'CALL',
  method: 'DECK_MARKUP',
  markup_percent,
  ...more,
});

test('a plan has at most 50 items', () => {
  expect(rejected(...Array.from({ length: 50 }, () => seat))).toBeNull();
  expect(rejected(...Array.from({ length: 51 }, () => seat))).toBe('items');
});

describe('the error names the field of the invalid item', () => {
  test.for<[Record<string, unknown>, string | null]>([
    [{ ...seat, kind: 'FAX' }, 'kind'],
    [{ ...seat, method: null }, 'method'],
    [{ kind: 'SEAT', method: 'DECK', deck_id: 1 }, 'method'],
    [{ kind: 'CALL', method: 'DECK', deck_id: 1, direction: 'outbound', trunk_owner: 'consumer' }, null],
    [{ kind: 'CALL', method: 'DECK' }, 'deck_id'],
    [{ ...seat, deck_id: 1 }, 'deck_id'],
    [{ kind: 'SEAT', method: 'FLAT' }, 'flat_rate'],
    [{ ...seat, flat_rate: 0 }, null],
    [{ ...seat, flat_rate: -1 }, 'flat_rate'],
    [{ ...seat, flat_rate: '0.0000001' }, 'flat_rate'],
    [markup(5, { flat_rate: 1 }), 'flat_rate'],
    [markup(5, { deck_id: 1 }), null],
    [markup(5, { deck_id: 1, kind: 'RECORDING' }), 'deck_id'],
    [markup(5, { kind: 'STORAGE' }), null],
    [markup(null), 'markup_percent'],
    [markup(-100), null],
    [markup('-100.000001'), 'markup_percent'],
    [markup(100_000), null],
    [markup(100_001), 'markup_percent'],
    [markup('1.0000001'), 'markup_percent'],
    [{ ...seat, markup_percent: 1 }, 'markup_percent'],
    [{ ...seat, initial_seconds: 1, increment_seconds: 3600 }, null],
    [{ ...seat, initial_seconds: 3601 }, 'initial_seconds'],
    [{ ...seat, increment_seconds: 0 }, 'increment_seconds'],
    [{ ...seat, direction: 'SIDEWAYS' }, 'direction'],
    [{ ...seat, channel: 'FAX' }, 'channel'],
    [{ ...seat, trunk_owner: 'CARRIER' }, 'trunk_owner'],
  ])('%j: %s', ([item, field]) => {
    expect(rejected(seat, item)).toBe(field === null ? null : `items[1].${field}`);
  });
});
