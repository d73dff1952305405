import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../../..');

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'clarion-lint-'));
  copyFileSync(join(root, '.oxlintrc.json'), join(dir, '.oxlintrc.json'));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** The lint rules that a file with this source would violate. */
function broken(file: string, source: string): string[] {
  const path = join(dir, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${source}\n`);
  const args = [join(root, 'node_modules/oxlint/bin/oxlint'), '--format=json', file];
  const { stdout } = spawnSync(process.execPath, args, { cwd: dir, encoding: 'utf8' });
  rmSync(path);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string }[] };
  return diagnostics.map(({ code }) => code);
}

const IMPORT = ['eslint(no-restricted-imports)'];

test.each([
  ['packages/protocol/src/a.ts', '@clarion/db'],
  ['packages/db/src/a.ts', '@clarion/core/context'],
  ['packages/store/src/a.ts', '@clarion/core/context'],
  ['packages/core/src/agent/a.ts', '@clarion/sdk'],
  ['packages/core/src/agent/a.ts', '@clarion/db/testing'],
  ['packages/core/src/agent/a.ts', '@clarion/devkit/paths'],
  ['packages/devkit/src/stack/a.ts', '@clarion/db'],
  ['packages/core/src/call-machine/machine.ts', '@clarion/db'],
  ['packages/core/src/call-machine/transfer/a.ts', 'node:crypto'],
  ['packages/core/src/queue-routing/strategies/a.ts', '@clarion/db'],
  ['packages/sip-gateway/src/a.ts', '@clarion/protocol'],
  ['packages/meta-simulator/src/a.ts', '@clarion/protocol'],
  ['packages/push-simulator/src/a.ts', '@clarion/protocol'],
  ['apps/realtime/src/a.ts', '@clarion/meta-simulator'],
  ['apps/worker/src/a.ts', '@clarion/push-simulator'],
  ['packages/sdk/src/browser/a.ts', '@clarion/core/context'],
  ['packages/ui/src/a.ts', 'next/link'],
  ['packages/ui/src/a.ts', '@clarion/protocol'],
  ['apps/media/src/a.ts', '@clarion/core/context'],
  ['apps/media/src/a.ts', '@clarion/db'],
  ['apps/realtime/src/a.ts', '@clarion/testkit'],
  ['apps/worker/src/a.ts', '@clarion/db/testing'],
  ['apps/worker/src/a.ts', '@clarion/devkit/stack/stack'],
  ['apps/web/lib/a.ts', '@clarion/protocol/openapi/testing'],
  ['apps/cli/src/a.ts', '@clarion/testkit'],
  ['apps/web/lib/a.ts', '@clarion/testkit/stack/stack'],
  ['apps/web/app/v1/queues/route.ts', '@clarion/db'],
])('%s may not import %s', (file, imported) => {
  expect(broken(file, `import { a } from '${imported}';\nexport const b = a;`)).toEqual(IMPORT);
});

test.each([
  ['packages/db/src/a.ts', '@clarion/protocol'],
  ['packages/core/src/agent/a.ts', '@clarion/db'],
  ['packages/core/src/agent/a.ts', '@clarion/store/store'],
  ['packages/core/src/call-machine/machine.ts', '@clarion/protocol/call'],
  ['packages/sdk/src/browser/a.ts', '@clarion/protocol/socket'],
  ['apps/media/src/a.ts', '@clarion/protocol'],
  ['apps/media/src/a.ts', '@clarion/store/store'],
  ['apps/media/test/a.test.ts', '@clarion/testkit'],
  ['apps/web/app/v1/queues/route.ts', '@clarion/core/queue/put-queue'],
])('%s may import %s', (file, imported) => {
  expect(broken(file, `import { a } from '${imported}';\nexport const b = a;`)).toEqual([]);
});

test.each([
  ['Date.now()', 'eslint(no-restricted-properties)'],
  ['Math.random()', 'eslint(no-restricted-properties)'],
  ['setTimeout(() => undefined, 1)', 'eslint(no-restricted-globals)'],
])('a pure folder may not use %s, but other code may', (expression, rule) => {
  const source = `export const a = ${expression};`;
  expect(broken('packages/core/src/queue-routing/strategies/a.ts', source)).toEqual([rule]);
  expect(broken('packages/core/src/event/a.ts', source)).toEqual([]);
});

test('process.env may be read only in env.ts, in scripts and in devkit', () => {
  const source = "export const a = process.env['A'];";
  expect(broken('apps/realtime/src/server.ts', source)).toEqual(['node(no-process-env)']);
  expect(broken('apps/realtime/src/env.ts', source)).toEqual([]);
  expect(broken('scripts/a.mjs', source)).toEqual([]);
  expect(broken('packages/devkit/src/a.ts', source)).toEqual([]);
});

test('any, console, to-do comments and suppressed compiler errors are not allowed', () => {
  expect(broken('packages/core/src/a.ts', 'export const a: any = 1;')).toEqual([
    'typescript(no-explicit-any)',
  ]);
  expect(broken('packages/core/src/a.ts', "console.log('a');")).toEqual(['eslint(no-console)']);
  expect(broken('packages/core/src/a.ts', `// ${'TO'}DO later\nexport const a = 1;`)).toEqual([
    'eslint(no-warning-comments)',
  ]);
  expect(broken('packages/core/src/a.ts', `// @ts-${'ignore'}\nexport const a = 1;`)).toEqual([
    'typescript(ban-ts-comment)',
  ]);
});
