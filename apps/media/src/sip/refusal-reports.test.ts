import { expect, test } from 'vitest';
import {
  MAX_REPORTS_PER_MINUTE,
  MAX_REPORTS_PER_SOURCE_AND_MINUTE,
  RefusalReports,
} from './refusal-reports.ts';

const kept = (times: number, take: (index: number) => boolean): number =>
  Array.from({ length: times }, (_, index) => take(index)).filter(Boolean).length;

test('reports are limited by source, and a source at its limit leaves room for others', () => {
  const reports = new RefusalReports();
  expect(kept(1_000, () => reports.take('198.51.100.1', 0))).toBe(MAX_REPORTS_PER_SOURCE_AND_MINUTE);
  expect(reports.take('198.51.100.2', 0)).toBe(true);
});

test('forged sources together cause a limited number of reports a minute', () => {
  const reports = new RefusalReports();
  expect(kept(1_000, (index) => reports.take(`source-${index}`, 59_000))).toBe(MAX_REPORTS_PER_MINUTE);
  expect(reports.take('198.51.100.1', 60_000)).toBe(true);
});
