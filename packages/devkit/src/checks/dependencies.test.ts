import { expect, test } from 'vitest';
import { looseVersions, registryHosts, undocumentedDependencies } from './dependencies.ts';
import { gapsInLockFile } from './lock-file.ts';
import { projectOf } from './project-files.ts';

const manifest = (dependencies: Record<string, string>, devDependencies: Record<string, string> = {}) =>
  JSON.stringify({ dependencies, devDependencies });

test('every dependency is listed in docs/dependencies.md, and everything listed there is a dependency', () => {
  const project = projectOf({
    'package.json': manifest({ pg: '1.0.0' }, { vitest: '1.0.0' }),
    'apps/web/package.json': manifest({ next: '1.0.0', '@clarion/core': '0.1.0' }),
    'docs/dependencies.md': '| `pg`   | PostgreSQL |\n| `next` |  |\n| `left` | unused |\n',
  });
  expect(undocumentedDependencies(project)).toEqual([
    'docs/dependencies.md lacks vitest',
    'docs/dependencies.md lacks next',
    'docs/dependencies.md has left, which nothing uses',
  ]);
});

test('versions must be exact and equal in all workspaces', () => {
  const project = projectOf({
    'package.json': manifest({ pg: '1.0.0' }, { zod: '^4.0.0' }),
    'apps/web/package.json': manifest({ pg: '1.0.1' }),
    'apps/cli/package.json': manifest({ pg: '1.0.0' }),
  });
  expect(looseVersions(project)).toEqual([
    'package.json: zod is ^4.0.0, not an exact version',
    'apps/web/package.json: pg is 1.0.1, but 1.0.0 in package.json',
  ]);
});

test('no file may contain the host of a package registry', () => {
  const host = ['registry', 'npmjs', 'org'].join('.');
  const project = projectOf({ '.npmrc': `registry=https://${host}/`, 'README.md': 'npm', 'a.png': host });
  expect(registryHosts(project)).toEqual([`.npmrc names the package registry ${host}`]);
});

test('the lock file must be complete and contain no URLs', () => {
  const lock = {
    packages: {
      '': { optionalDependencies: { absent: '1.0.0' } },
      'node_modules/a': { resolved: 'https://packages.example.com/a.tgz' },
      'node_modules/b': { resolved: 'packages/b' },
    },
  };
  expect(gapsInLockFile(projectOf({ 'package-lock.json': JSON.stringify(lock) }))).toEqual([
    'package-lock.json lacks absent: npm run lock fixes it',
    'package-lock.json contains the URL from which node_modules/a was downloaded',
  ]);
});
