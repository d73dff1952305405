import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { shadowStyles } from './shadow-styles.ts';

const file = fileURLToPath(new URL('../src/element/phone.css', import.meta.url));
let css: string;
beforeAll(async () => {
  css = await shadowStyles(await readFile(file, 'utf8'), file);
});

test('nothing in it depends on the page around: no root, no rem, no @property', () => {
  expect(css).not.toMatch(/(^|[\s,{}])(:root|html|body)\b/);
  // A backslash: the name of a class, not a length.
  expect(css).not.toMatch(/\drem\b(?!\\)/);
  expect(css).not.toContain('@property');
});

test('the variables are those of the host, and can be set on it', () => {
  expect(css).toMatch(/:host\s*\{[^}]*--cl-accent: light-dark\(/);
  expect(css).toContain('--cl-space: 4px');
});

test('what Tailwind counts on is said of every element, under everything else', () => {
  const initial =
    /@layer properties\s*\{\s*\*, ::before, ::after, ::backdrop\s*\{([^}]*)\}/.exec(css)?.[1] ?? '';
  expect(initial).toContain('--tw-border-style: solid');
  expect(initial).toContain('--tw-shadow: 0 0 #0000');
  expect(css.indexOf('@layer properties')).toBeLessThan(css.indexOf('@layer theme'));
});
