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

test('an import is found however it is written, and packages are none of ours', () => {
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

test('an alias leads to its folder', () => {
  const aliases = { '#lib/': 'apps/web/lib/' };
  expect(importsOf(file('apps/web/app/page.tsx', '#lib/api/roles.ts', '#other/a.ts'), aliases)).toEqual([
    'apps/web/lib/api/roles.ts',
  ]);
});

test('a file directly in the root stands for itself, and what lies elsewhere for nothing', () => {
  expect(folderOf('src', 'src/call/list-calls.ts')).toBe('call');
  expect(folderOf('src', 'src/context.ts')).toBe('context');
  expect(folderOf('src', 'srcs/context.ts')).toBeNull();
});

test('folders that reach one another are one cycle; those that only lead there are in none', () => {
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

test('a root without a cycle has none', () => {
  const files = [
    file('src/a/1.ts', '../b/1.ts'),
    file('src/b/1.ts', '../c/1.ts'),
    file('src/a/2.ts', './1.ts'),
  ];
  expect(cyclesOf(folderImports('src', files))).toEqual([]);
});

test('a pure folder may import another, and neither a file of the root nor any other folder', () => {
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

test('tests, their data, stories and declarations are not looked at', () => {
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
