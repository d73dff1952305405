import { expect, test } from 'vitest';
import { currentHref } from './current-href.ts';

const nav = [
  { items: ['/', '/calls', '/calls/live', '/settings'].map((href) => ({ href, label: href, icon: null })) },
];

test('the item marked is the one that leads furthest towards the open page', () => {
  expect(currentHref(nav, '/calls/live/17')).toBe('/calls/live');
  expect(currentHref(nav, '/calls/17')).toBe('/calls');
  expect(currentHref(nav, '/')).toBe('/');
});

test('no item is marked where none leads to the page', () => {
  expect(currentHref(nav, '/callsign'), 'home is not above everything').toBeUndefined();
  expect(
    currentHref([{ items: [{ href: '/calls', label: 'Calls', icon: null }] }], '/profile'),
  ).toBeUndefined();
});
