import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ArrivalOrder } from './arrival-order.ts';

const ACME = 1;
const GLOBEX = 2;

/** Begins a decision. `taken` says whether it may commit. */
function decisionOf(order: ArrivalOrder) {
  const place = order.begin();
  const decision = {
    taken: false,
    take: (consumerId: number) => {
      void place.take(consumerId).then(() => (decision.taken = true));
      return turn();
    },
    end: () => {
      place.end();
      return turn();
    },
  };
  return decision;
}

test('a decision waits for earlier ones of its account, also for those whose account is not known yet', async () => {
  const order = new ArrivalOrder();
  const [first, second] = [decisionOf(order), decisionOf(order)];
  await second.take(ACME);
  expect(second.taken).toBe(false);
  await first.take(ACME);
  expect([first.taken, second.taken]).toEqual([true, false]);
  await first.end();
  expect(second.taken).toBe(true);
});

test('decisions of other accounts and refusals hold up nothing', async () => {
  const order = new ArrivalOrder();
  const [other, refused, last] = [decisionOf(order), decisionOf(order), decisionOf(order)];
  await last.take(ACME);
  await other.take(GLOBEX);
  expect(last.taken).toBe(false);
  await refused.end();
  expect([other.taken, last.taken]).toEqual([true, true]);
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

test('whatever the order of the reads, each account commits one call at a time, in order of arrival', async () => {
  const accounts = [ACME, GLOBEX, ACME, ACME];
  for (const reads of permutations([...accounts.keys()])) {
    const order = new ArrivalOrder();
    const places = accounts.map(() => order.begin());
    const committed: number[] = [];
    const committing = new Set<number>();
    const decide = async (index: number) => {
      const account = accounts[index] ?? 0;
      await places[index]?.take(account);
      expect(committing.has(account)).toBe(false);
      committing.add(account);
      await turn();
      committed.push(index);
      committing.delete(account);
      places[index]?.end();
    };
    await Promise.all(reads.map(decide));
    expect(committed.filter((index) => accounts[index] === ACME)).toEqual([0, 2, 3]);
    expect(committed).toHaveLength(accounts.length);
  }
});
