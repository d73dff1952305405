import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Coalesced } from './coalesced.ts';

/** Work that counts its runs, and how many of them were concurrent. */
function counted() {
  const counts = { runs: 0, running: 0, concurrent: 0 };
  const work = new Coalesced<string>(async () => {
    counts.runs += 1;
    counts.running += 1;
    counts.concurrent = Math.max(counts.concurrent, counts.running);
    await turn();
    counts.running -= 1;
  });
  return { work, counts };
}

test('requests during a run share one further run', async () => {
  const { work, counts } = counted();
  await Promise.all(Array.from({ length: 10 }, () => work.run('queue')));
  expect(counts).toMatchObject({ runs: 2, concurrent: 1 });
});

test('a request at the end of a run joins the run that is about to begin', async () => {
  const { work, counts } = counted();
  const first = work.run('queue');
  const second = work.run('queue');
  const third = first.then(() => work.run('queue'));
  await Promise.all([first, second, third]);
  expect(counts).toMatchObject({ runs: 2, concurrent: 1 });
});

test('a run that fails does not prevent the next one', async () => {
  let runs = 0;
  const work = new Coalesced<string>(() => {
    runs += 1;
    return runs === 1 ? Promise.reject(new Error('no database')) : Promise.resolve();
  });
  const [first, second] = await Promise.allSettled([work.run('queue'), work.run('queue')]);
  expect(first.status).toBe('rejected');
  expect(second.status).toBe('fulfilled');
});
