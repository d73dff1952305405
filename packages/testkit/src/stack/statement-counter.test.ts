import { expect, test } from 'vitest';
import { countAll, countByProcess, executedBetween, withoutIdle, type Reading } from './statement-counter.ts';

/** Rows as `process query calls`. */
const reading = (at: number, ...lines: string[]): Reading => ({
  at,
  rows: new Map(
    lines.map((line) => {
      const [process = '', query = '', calls] = line.split(' ');
      return [`${process} ${query}`, { process, query, calls: Number(calls) }];
    }),
  ),
});

test('counts between two readings, with statements that are new in the second', () => {
  const executed = executedBetween(
    reading(1000, 'realtime select 10', 'worker update 5'),
    reading(3000, 'realtime select 14', 'worker update 5', 'worker insert 2'),
  );
  expect(executed.seconds).toBe(2);
  expect(countByProcess(executed)).toEqual({
    realtime: { statements: 4, commits: 0 },
    worker: { statements: 2, commits: 0 },
  });
});

test('transaction control is no statement, and only a commit is a commit', () => {
  const executed = executedBetween(
    reading(0),
    reading(1, 'web BEGIN 3', 'web COMMIT 2', 'web ROLLBACK 1', 'web select 7'),
  );
  expect(countAll(executed)).toEqual({ statements: 7, commits: 2 });
});

test('the idle rate is subtracted statement by statement, for as long as the measurement took', () => {
  const idle = executedBetween(reading(0), reading(10_000, 'realtime sweep 10', 'worker poll 20'));
  const executed = executedBetween(reading(0), reading(5_000, 'realtime sweep 5', 'realtime select 8'));
  const { rows } = withoutIdle(executed, idle);
  expect(Object.fromEntries(rows.map(({ query, calls }) => [query, calls]))).toEqual({
    sweep: 0,
    select: 8,
    poll: -10, // less than when idle: it evens out over several measurements
  });
});
