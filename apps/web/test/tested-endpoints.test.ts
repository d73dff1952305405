import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { registry } from '@clarion/protocol/v1/registry';
import { expect, test } from 'vitest';

/** Tests that iterate over the registry do not count: they name few endpoints. */
const tests = globSync('**/*.test.ts', { cwd: import.meta.dirname })
  .filter((file) => basename(file) !== basename(import.meta.filename))
  .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
  .join('\n');

/** Verbs of core are tested through their endpoints: docs/decisions/verbs-are-tested-through-endpoints.md. */
test.each(Object.keys(registry))('%s has a test of its own', (name) => {
  expect(tests.includes(`'${name}'`), 'a test in apps/web/test must call it by its name').toBe(true);
});
