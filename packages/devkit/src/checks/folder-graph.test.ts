import { expect, test } from 'vitest';
import {
  cyclesOf,
  folderImports,
  folderOf,
  importsOf,
  importsOutside,
  isProductCode,
} from './folder-graph.ts';

const file = (path: string, ...specifiers: string[]) => ({
  path,
  text: specifiers.map((specifier) => `import { a } from '${specifier}';`).join('\n'),
});

test('imports are found in every notation, and imports of packages are ignored', () => {
  const text = `import type { A } from '../a/a.ts';
    import {
      b,
    } from "./b.ts";
    export * from '../../c.ts';
    import './d.css';
    const e = await import('../e/e.ts');
    import { z } from 'zod';`;
  expect(importsOf({ path: 'src/x/y.ts', text })).toEqual([
    'src/a/a.ts',
    'src/x/b.ts',
    'c.ts',
    'src/x/d.css',
    'src/e/e.ts',
  ]);
});

test('an alias resolves to its folder', () => {
  const aliases = { '#lib/': 'apps/web/lib/' };
  expect(importsOf(file('apps/web/app/page.tsx', '#lib/api/roles.ts', '#other/a.ts'), aliases)).toEqual([
    'apps/web/lib/api/roles.ts',
  ]);
});

test('a file directly in the root counts as its own folder, and files elsewhere are ignored', () => {
  expect(folderOf('src', 'src/call/list-calls.ts')).toBe('call');
  expect(folderOf('src', 'src/context.ts')).toBe('context');
  expect(folderOf('src', 'srcs/context.ts')).toBeNull();
});

test('folders that import one another form a cycle; folders that only import them are not part of it', () => {
  const files = [
    file('src/a/1.ts', '../b/1.ts', './2.ts', '../context.ts'),
    file('src/b/1.ts', '../c/1.ts'),
    file('src/c/1.ts', '../a/2.ts'),
    file('src/d/1.ts', '../a/1.ts', '../e/1.ts'),
    file('src/e/1.ts', '../d/1.ts'),
    file('src/f/1.ts', '../e/1.ts', '../../outside/1.ts'),
  ];
  expect(cyclesOf(folderImports('src', files))).toEqual([
    ['a', 'b', 'c'],
    ['d', 'e'],
  ]);
});

test('no cycle is reported where there is none', () => {
  const files = [
    file('src/a/1.ts', '../b/1.ts'),
    file('src/b/1.ts', '../c/1.ts'),
    file('src/a/2.ts', './1.ts'),
  ];
  expect(cyclesOf(folderImports('src', files))).toEqual([]);
});

test('a pure folder may import another one, but no file of the root and no other folder', () => {
  const files = [
    file('src/pure/1.ts', './2.ts', '../math/1.ts', '../context.ts', '../verbs/1.ts', '../../elsewhere/1.ts'),
    file('src/verbs/1.ts', '../context.ts'),
  ];
  expect(importsOutside('src', ['pure', 'math'], files).map(({ target }) => target)).toEqual([
    'src/context.ts',
    'src/verbs/1.ts',
    'elsewhere/1.ts',
  ]);
});

test('tests, their data, stories and declarations are not checked', () => {
  expect(isProductCode('packages/core/src/call/list-calls.ts')).toBe(true);
  for (const path of [
    'a/b.test.ts',
    'a/__fixtures__/b.ts',
    'apps/web/test/b.ts',
    'a/B.stories.tsx',
    'a/b.d.mts',
  ])
    expect(isProductCode(path)).toBe(false);
});
