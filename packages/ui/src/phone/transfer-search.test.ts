import { expect, test } from 'vitest';
import { matchingChoices } from './transfer-search.ts';

const choices = {
  colleagues: [
    { id: 1, name: 'Zoe Free', state: 'free' },
    { id: 2, name: 'Anna Offline', state: 'offline' },
    { id: 3, name: 'Bert Müller', state: 'busy' },
    { id: 4, name: 'Cleo Away', state: 'away' },
  ] as const,
  queues: [{ id: 1, name: 'Sales', waiting: 0, available: 2 }],
};
const names = (search: string) =>
  matchingChoices({ ...choices, colleagues: [...choices.colleagues] }, search).map(
    ({ choice }) => choice.name,
  );

test('targets that can take the call now come first', () =>
  expect(names('')).toEqual(['Zoe Free', 'Sales', 'Cleo Away', 'Bert Müller', 'Anna Offline']));

test('a search matches the beginnings of words, ignoring case and accents', () => {
  expect(names('MUL')).toEqual(['Bert Müller']);
  expect(names('be mu')).toEqual(['Bert Müller']);
  expect(names('sal')).toEqual(['Sales']);
  expect(names('ales')).toEqual([]);
});
