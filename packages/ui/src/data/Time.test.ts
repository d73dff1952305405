import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DateTime, LiveTimer, RelativeTime } from './Time.tsx';

const AT = '2026-11-21T23:15:04Z';
const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, '');

test('the server renders neither its time nor its time zone, so that hydration matches', () => {
  for (const Time of [DateTime, RelativeTime])
    expect(textOf(renderToString(createElement(Time, { at: AT })))).toBe('21 Nov 2026, 23:15');
  expect(textOf(renderToString(createElement(LiveTimer, { since: AT })))).toBe('0:00');
});

test('a missing or invalid time is a dash with a text for screen readers', () => {
  for (const at of [null, undefined, 'yesterday'])
    expect(textOf(renderToString(createElement(DateTime, { at })))).toBe('–none');
});
