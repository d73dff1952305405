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
      void place.take(consumerId, null).then(() => (decision.taken = true));
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
  const ids = [30, 31, 32, 33];
  for (const reads of permutations([...accounts.keys()])) {
    const order = new ArrivalOrder();
    const places = accounts.map(() => order.begin());
    const committed: { index: number; id: number | null | undefined }[] = [];
    const committing = new Set<number>();
    const reading = reads.map(async (index, turnOfRead) => {
      const account = accounts[index] ?? 0;
      const id = await places[index]?.take(account, ids[turnOfRead] ?? null);
      expect(committing.has(account)).toBe(false);
      committing.add(account);
      await turn();
      committed.push({ index, id });
      committing.delete(account);
      places[index]?.end();
    });
    await Promise.all(reading);
    const used = committed.flatMap(({ id }) => id ?? []);
    expect(used).toHaveLength(new Set(used).size);
    const ofAcme = committed.flatMap(({ index, id }) => (accounts[index] === ACME ? (id ?? []) : []));
    expect(ofAcme).toEqual(ofAcme.toSorted());
    expect(committed.filter(({ index }) => accounts[index] === ACME).map(({ index }) => index)).toEqual([
      0, 2, 3,
    ]);
  }
});

test('the IDs of an account follow the order of arrival, whatever the order in which they were taken', async () => {
  for (const ids of permutations([30, 31, 32])) {
    const order = new ArrivalOrder();
    const places = ids.map((id) => ({ id, turn: order.begin() }));
    // The first one reads last: it waits for none of the others.
    const used = places.toReversed().map(({ id, turn: place }) => place.take(ACME, id).finally(place.end));
    expect(await Promise.all(used)).toEqual([32, 31, 30]);
  }
});

test('a call whose ID is taken later, or that belongs to another account, exchanges nothing', async () => {
  const order = new ArrivalOrder();
  const [first, other, owner, last] = [order.begin(), order.begin(), order.begin(), order.begin()];
  const used = Promise.all([
    first.take(ACME, 7),
    other.take(GLOBEX, 5),
    owner.take(ACME, null),
    last.take(ACME, 8),
  ]);
  for (const place of [first, other, owner, last]) {
    await turn();
    place.end();
  }
  expect(await used).toEqual([7, 5, null, 8]);
});

test('a call whose ID was read after an earlier call had got a higher one needs a new ID', async () => {
  const order = new ArrivalOrder();
  const [first, second, third] = [order.begin(), order.begin(), order.begin()];
  expect(await first.take(ACME, 8)).toBe(8);
  first.end();
  expect(await second.take(ACME, 7)).toBeNull();
  second.end();
  expect(await third.take(ACME, 9)).toBe(9);
});
