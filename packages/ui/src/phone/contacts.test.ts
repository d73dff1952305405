import { expect, test } from 'vitest';
import { contactsLike } from './contacts.ts';
import { inboundCall } from './story-models.ts';

const entry = (customerAddress: string | null) => ({
  call: { ...inboundCall, customerAddress },
  at: 0,
  talkedSeconds: 0,
  missed: false,
  note: '',
});
const history = [entry('+14155550123'), entry('+14155550123'), entry('+442071838750'), entry(null)];
const found = (typed: string) => contactsLike(history, typed).map(({ customerAddress }) => customerAddress);

test('typed digits match customers of the history, each once', () => {
  expect(found('4155')).toEqual(['+14155550123']);
  expect(found('0207183')).toEqual(['+442071838750']);
});

test('two digits suggest nothing, and neither does a complete number', () => {
  expect(found('44')).toEqual([]);
  expect(found('+442071838750')).toEqual([]);
});
