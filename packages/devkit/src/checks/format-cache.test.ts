import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rememberFormatted, uncheckedFiles } from './format-cache.ts';
import { projectOf } from './project-files.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'clarion-format-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('a file is checked again if its contents or its path have changed', () => {
  const cache = join(dir, 'cache', 'formatted');
  const pathsOf = (texts: Record<string, string>) =>
    uncheckedFiles(projectOf(texts), cache).map(({ path }) => path);
  const project = projectOf({ 'a.ts': '1', 'b.ts': '2' });
  expect(pathsOf({ 'a.ts': '1', 'b.ts': '2' })).toEqual(['a.ts', 'b.ts']);

  rememberFormatted(project, uncheckedFiles(project, cache), cache);
  expect(pathsOf({ 'a.ts': '1', 'b.ts': '2' })).toEqual([]);
  expect(pathsOf({ 'a.ts': '1', 'b.ts': 'changed', 'c.ts': '1' })).toEqual(['b.ts', 'c.ts']);
});
