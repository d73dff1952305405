import { expect, test } from 'vitest';
import { SeededRandom } from '../lib/seeded-random.ts';
import { sipCorpus } from './corpus.ts';
import { mutated } from './mutate.ts';

const some = (seed: number) => {
  const random = new SeededRandom(seed);
  return Array.from({ length: 200 }, () => mutated(random, sipCorpus).toString('latin1'));
};

test('the same seed makes the same messages, another seed makes others', () => {
  expect(some(7)).toEqual(some(7));
  expect(some(7)).not.toEqual(some(8));
});

test('most messages differ from every well-formed one', () => {
  const wellFormed = new Set(sipCorpus.map((message) => message.toString('latin1')));
  expect(some(7).filter((message) => !wellFormed.has(message)).length).toBeGreaterThan(180);
});
