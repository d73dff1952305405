import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventTypes } from '@clarion/protocol';
import { expect, test } from 'vitest';

/** Event types are recorded as literals: in effects of the call machine, or in calls of `record-event.ts`. */
const RECORDED = /(?:\b(?:event|type): |\w\(\s*tx,\s*)'([a-z_]+\.[a-z_]+)'/g;

const src = resolve(import.meta.dirname, '..');
const recorded = new Set(
  globSync('**/*.ts', { cwd: src })
    .filter((file) => !/\.test\.ts$|__fixtures__|^demo\//.test(file))
    .flatMap((file) => [...readFileSync(join(src, file), 'utf8').matchAll(RECORDED)])
    .map(([, type]) => type),
);

test.each(eventTypes)('%s is recorded by something', (type) => {
  expect(recorded).toContain(type);
});
