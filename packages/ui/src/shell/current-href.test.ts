import { expect, test } from 'vitest';
import { currentHref } from './current-href.ts';

const nav = [
  { items: ['/', '/calls', '/calls/live', '/settings'].map((href) => ({ href, label: href, icon: null })) },
];

test('the item with the longest matching path is current', () => {
  expect(currentHref(nav, '/calls/live/17')).toBe('/calls/live');
  expect(currentHref(nav, '/calls/17')).toBe('/calls');
  expect(currentHref(nav, '/')).toBe('/');
});

test('no item is current if none matches', () => {
  expect(currentHref(nav, '/callsign'), 'home is not above everything').toBeUndefined();
  expect(
    currentHref([{ items: [{ href: '/calls', label: 'Calls', icon: null }] }], '/profile'),
  ).toBeUndefined();
});
