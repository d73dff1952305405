import { expect, test } from 'vitest';
import { batchedReads } from './batched-reads.ts';

test('rows requested in one turn of the event loop are one query', async () => {
  const queries: number[][] = [];
  const read = batchedReads(async (ids) => {
    queries.push(ids);
    return ids.filter((id) => id !== 3).map((id) => ({ id, name: `row ${id}` }));
  });
  const rows = await Promise.all([read(1), read(2), read(1), read(3)]);
  expect(rows.map((row) => row?.name ?? null)).toEqual(['row 1', 'row 2', 'row 1', null]);
  expect(queries).toEqual([[1, 2, 3]]);
  await read(2);
  expect(queries).toEqual([[1, 2, 3], [2]]);
});

test('a failed query rejects its own requests only', async () => {
  let isReachable = false;
  const read = batchedReads(async (ids) => {
    if (!isReachable) throw new Error('no connection');
    return ids.map((id) => ({ id }));
  });
  await expect(Promise.all([read(1), read(2)])).rejects.toThrow('no connection');
  isReachable = true;
  expect(await read(1)).toEqual({ id: 1 });
});

test('rows requested while a query runs are one query, which begins after it', async () => {
  const queries: { ids: number[]; answer: () => void }[] = [];
  const read = batchedReads(
    (ids) =>
      new Promise<{ id: number }[]>((resolve) => {
        queries.push({ ids, answer: () => resolve(ids.map((id) => ({ id }))) });
      }),
  );
  const first = read(1);
  await expect.poll(() => queries.length).toBe(1);
  const later = [read(1), read(2)];
  await new Promise((resolve) => setImmediate(resolve));
  later.push(read(3));
  expect(queries.map(({ ids }) => ids)).toEqual([[1]]);
  queries[0]?.answer();
  expect(await first).toEqual({ id: 1 });
  await expect.poll(() => queries.map(({ ids }) => ids)).toEqual([[1], [1, 2, 3]]);
  queries[1]?.answer();
  expect(await Promise.all(later)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
});

test('a query that hangs does not hold up the next', async () => {
  const queries: number[][] = [];
  const read = batchedReads<{ id: number }>((ids) => {
    queries.push(ids);
    return queries.length === 1 ? new Promise(() => undefined) : Promise.resolve(ids.map((id) => ({ id })));
  });
  void read(1);
  await expect.poll(() => queries.length).toBe(1);
  expect(await read(2)).toEqual({ id: 2 });
});
