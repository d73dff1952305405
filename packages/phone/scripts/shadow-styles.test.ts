import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { shadowStyles } from './shadow-styles.ts';

const file = fileURLToPath(new URL('../src/element/phone.css', import.meta.url));
let css: string;
beforeAll(async () => {
  css = await shadowStyles(await readFile(file, 'utf8'), file);
});

test('the styles do not depend on the surrounding page: no root, no rem, no @property', () => {
  expect(css).not.toMatch(/(^|[\s,{}])(:root|html|body)\b/);
  // A backslash marks a class name, not a length.
  expect(css).not.toMatch(/\drem\b(?!\\)/);
  expect(css).not.toContain('@property');
});

test('the variables are defined on the host and can be overridden there', () => {
  expect(css).toMatch(/:host\s*\{[^}]*--cl-accent: light-dark\(/);
  expect(css).toContain('--cl-space: 4px');
});

test('the initial values that Tailwind relies on apply to every element, with the lowest precedence', () => {
  const initial =
    /@layer properties\s*\{\s*\*, ::before, ::after, ::backdrop\s*\{([^}]*)\}/.exec(css)?.[1] ?? '';
  expect(initial).toContain('--tw-border-style: solid');
  expect(initial).toContain('--tw-shadow: 0 0 #0000');
  expect(css.indexOf('@layer properties')).toBeLessThan(css.indexOf('@layer theme'));
});
