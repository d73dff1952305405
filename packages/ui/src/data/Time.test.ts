import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DateTime, LiveTimer, RelativeTime } from './Time.tsx';

const AT = '2026-11-21T23:15:04Z';
const words = (html: string) => html.replaceAll(/<[^>]+>/g, '');

test('what a server writes depends on neither its clock nor its zone, so that a browser finds what it expects', () => {
  for (const Time of [DateTime, RelativeTime])
    expect(words(renderToString(createElement(Time, { at: AT })))).toBe('21 Nov 2026, 23:15');
  expect(words(renderToString(createElement(LiveTimer, { since: AT })))).toBe('0:00');
});

test('a time that is not there, or is none, is a dash that is read out', () => {
  for (const at of [null, undefined, 'yesterday'])
    expect(words(renderToString(createElement(DateTime, { at })))).toBe('–none');
});
