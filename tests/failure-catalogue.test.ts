/**
 * Every entry of the failure catalogue is produced by a test over a real wire, or over a real socket or database where there is no wire, and
 * read back. The tests say what they produce: in a list `producedFailures`, or as `failure` of a row that is checked.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { failureCodes } from '@clarion/protocol';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const TESTS = ['tests/e2e', 'apps', 'packages'];
const NOT_TESTS = /node_modules|\.next|generated/;
const TEST_FILE = /\.test\.ts$|-rows\.ts$/;
const LIST = /\bproducedFailures\b[^=;]*=\s*\[([^\]]*)\]/g;
const ROW = /\bfailure: '([a-z_]+)'/g;
const QUOTED = /'([a-z_]+)'/g;

const files = TESTS.flatMap((directory) =>
  readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => TEST_FILE.test(file) && !NOT_TESTS.test(file))
    .map((file) => join(directory, file)),
);

function producedBy(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const lists = [...text.matchAll(LIST)].flatMap(([, list = '']) => [...list.matchAll(QUOTED)]);
  return [...lists, ...text.matchAll(ROW)].map(([, code = '']) => code);
}

const produced = new Map(files.flatMap((file) => producedBy(file).map((code) => [code, file] as const)));

test.each(failureCodes)('%s is produced by a test', (code) => {
  expect(produced.get(code), `add ${code} to producedFailures of the test that produces it`).toBeDefined();
});

test('a test produces entries of the catalogue only', () => {
  expect([...produced.keys()].filter((code) => !failureCodes.some((known) => known === code))).toEqual([]);
});
