import { expect, test } from 'vitest';
import { clocksInPureFolders, folderCycles, impureImports, unusedExportsOfCore } from './folders.ts';
import { projectOf } from './project-files.ts';

test('a pure folder may not read the clock, but its tests may', () => {
  const source = 'const a = new Date(0);\nconst b = new Date();\n';
  const project = projectOf({
    'packages/core/src/ivr/flow.ts': source,
    'packages/core/src/ivr/flow.test.ts': source,
    'packages/core/src/event/record.ts': source,
  });
  expect(clocksInPureFolders(project)).toEqual([
    'packages/core/src/ivr/flow.ts:2 reads the clock: a pure folder takes `now`',
  ]);
});

test('a pure folder may import only pure folders', () => {
  const project = projectOf({
    'packages/core/src/ivr/flow.ts':
      "import { a } from '../numbers/a.ts';\nimport { b } from '../event/b.ts';",
    'packages/core/src/event/b.ts': "import { a } from '../ivr/flow.ts';",
  });
  expect(impureImports(project)).toEqual([
    'packages/core/src/ivr/flow.ts imports packages/core/src/event/b.ts: a pure folder imports pure folders only',
  ]);
});

test('folders that import one another are reported with the imports, including those by an alias', () => {
  const project = projectOf({
    'apps/web/package.json': '{ "imports": { "#lib/*": "./lib/*" } }',
    'apps/web/lib/a/1.ts': "import { b } from '#lib/b/1.ts';",
    'apps/web/lib/b/1.ts': "import { a } from '../a/1.ts';",
    'apps/web/lib/c/1.ts': "import { a } from '../a/1.ts';",
  });
  expect(folderCycles(project, ['apps/web/lib'])).toEqual([
    [
      'apps/web/lib: these folders import one another: a, b',
      '  apps/web/lib/a/1.ts imports apps/web/lib/b/1.ts',
      '  apps/web/lib/b/1.ts imports apps/web/lib/a/1.ts',
    ].join('\n'),
  ]);
});

test('an export of core that no other package imports is reported', () => {
  const project = projectOf({
    'packages/core/package.json': JSON.stringify({
      exports: { './used': '', './unused': '', './any/*': '' },
    }),
    'packages/core/src/a.ts': "import { a } from '@clarion/core/unused';",
    'apps/web/a.ts': "import { a } from '@clarion/core/used';",
  });
  expect(unusedExportsOfCore(project)).toEqual([
    'packages/core/package.json exports ./unused, which no other package imports',
  ]);
});
