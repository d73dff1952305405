import { expect, test } from 'vitest';
import {
  MAX_PER_SOURCE_AND_MINUTE,
  MAX_PER_TRUNK_AND_MINUTE,
  MAX_UNKNOWN_SOURCES_OF_TRUNKS_PER_MINUTE,
  MAX_UNKNOWN_SOURCES_PER_MINUTE,
  MAX_UNKNOWN_SOURCES_PER_TRUNK_AND_MINUTE,
  RefusalBudget,
} from './refusal-budget.ts';

const now = new Date('2026-03-01T12:00:10.000Z');
const nextMinute = new Date('2026-03-01T12:01:00.000Z');
const kept = (times: number, one: (index: number) => boolean): number =>
  Array.from({ length: times }, (_, index) => one(index)).filter(Boolean).length;

test('unknown sources do not use up the limits of carriers, nor those of a trunk that is being set up', () => {
  const budget = new RefusalBudget();
  const knock = (trunkIds: number[]) => (index: number) =>
    budget.take({ trunkIds, unknownSource: true }, `203.0.113.${index % 250}`, now);
  expect(kept(1_000, knock([]))).toBe(MAX_UNKNOWN_SOURCES_PER_MINUTE);
  expect(kept(1_000, knock([7]))).toBe(MAX_UNKNOWN_SOURCES_PER_TRUNK_AND_MINUTE);
  expect(kept(1_000, (index) => knock([8 + index])(index))).toBe(
    MAX_UNKNOWN_SOURCES_OF_TRUNKS_PER_MINUTE - MAX_UNKNOWN_SOURCES_PER_TRUNK_AND_MINUTE,
  );
  expect(budget.take({ trunkIds: [7], unknownSource: false }, '198.51.100.1', now)).toBe(true);
  expect(budget.take({ trunkIds: [], unknownSource: true }, '203.0.113.1', nextMinute)).toBe(true);
});

test('refusals of a carrier are limited per minute, by source and by trunk', () => {
  const budget = new RefusalBudget();
  const refusal = { trunkIds: [7], unknownSource: false };
  expect(kept(1_000, () => budget.take(refusal, '198.51.100.1', now))).toBe(MAX_PER_SOURCE_AND_MINUTE);
  expect(budget.take({ ...refusal, trunkIds: [8] }, '198.51.100.1', now)).toBe(true);
  // Refusals of the first source that were not stored have not used up the trunk's limit.
  expect(budget.take(refusal, '198.51.100.2', now)).toBe(true);
  const fresh = new RefusalBudget();
  expect(kept(1_000, (index) => fresh.take(refusal, `198.51.100.${index}`, now))).toBe(
    MAX_PER_TRUNK_AND_MINUTE,
  );
});
