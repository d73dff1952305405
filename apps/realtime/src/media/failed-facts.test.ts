import { Prisma } from '@clarion/db';
import { expect, test } from 'vitest';
import { FailedFacts, MAX_FACT_TRIES } from './failed-facts.ts';

const works = () => Promise.resolve(true);
const tries = async (facts: FailedFacts, factId: string, error: unknown, count: number) => {
  const found: boolean[] = [];
  for (let n = 0; n < count; n += 1) found.push(await facts.isHopeless(factId, error));
  return found;
};
const hopelessLast = (count: number) => [...Array.from({ length: count - 1 }, () => false), true];

test('a fact is set aside after the maximum number of attempts, counted per fact', async () => {
  const facts = new FailedFacts(works);
  expect(await facts.isHopeless('other', new Error('no'))).toBe(false);
  expect(await tries(facts, 'poison', new Error('no'), MAX_FACT_TRIES)).toEqual(hopelessLast(MAX_FACT_TRIES));
});

test('a processed fact starts counting from zero', async () => {
  const facts = new FailedFacts(works);
  await tries(facts, 'late', new Error('no'), MAX_FACT_TRIES - 1);
  facts.processed('late');
  expect(await facts.isHopeless('late', new Error('no'))).toBe(false);
});

test('no fact is set aside while the database does not work', async () => {
  const facts = new FailedFacts(() => Promise.resolve(false));
  expect(await tries(facts, 'poison', new Error('no'), 3 * MAX_FACT_TRIES)).not.toContain(true);
});

test.each(['P1001', 'P2024', 'P2028', 'P2034'])('%s is temporary and does not count', async (code) => {
  const facts = new FailedFacts(works);
  const error = new Prisma.PrismaClientKnownRequestError('busy', { code, clientVersion: '7' });
  expect(await tries(facts, 'unlucky', error, 3 * MAX_FACT_TRIES)).not.toContain(true);
});

test.each([
  [
    'the shutdown of the database',
    Object.assign(new Error('terminating'), { code: '57P01', severity: 'FATAL' }),
  ],
  ['a lost connection', new Error('Connection terminated unexpectedly')],
  ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
])('%s is temporary and does not count', async (_, error) => {
  const facts = new FailedFacts(works);
  expect(await tries(facts, 'unlucky', error, 3 * MAX_FACT_TRIES)).not.toContain(true);
});

test('counters of facts that never return do not grow without bound', async () => {
  const facts = new FailedFacts(works);
  await tries(facts, 'first', new Error('no'), MAX_FACT_TRIES - 1);
  for (let n = 0; n < 1_000; n += 1) await facts.isHopeless(`fact-${n}`, new Error('no'));
  expect(await facts.isHopeless('first', new Error('no'))).toBe(false);
});
