import { expect, test } from 'vitest';
import { suggestRef } from './suggest-ref.ts';

test.each([
  ['Support', 'support'],
  ['  Café Zürich & Co. ', 'cafe-zurich-co'],
  ['Ada Byron', 'ada-byron'],
  ['日本', ''],
  ['---', ''],
  ['x'.repeat(60), 'x'.repeat(40)],
])('%j is suggested as %j', (name, ref) => {
  expect(suggestRef(name)).toBe(ref);
});

test('an existing ref gets a number', () => {
  expect(suggestRef('Support', ['support'])).toBe('support-2');
  expect(suggestRef('Support', ['support', 'support-2', 'support-3'])).toBe('support-4');
});
