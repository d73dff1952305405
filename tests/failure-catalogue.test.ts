/**
 * Every entry of the failure catalogue is produced by a test over a real wire, or over a real socket or database where there is no wire, and
 * read back. The tests say what they produce: in a list `producedFailures`, or as `failure` of a row that is checked.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { failureCodes } from '@clarion/protocol';
import type { FailureCode } from '@clarion/protocol';
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

/** Entries of what is being built: an entry leaves this list with the test that produces it. */
const AWAITED = new Set<FailureCode>([
  'trunk_call_limit',
  'host_not_found',
  'host_private',
  'tls_certificate',
  'redirect_not_followed',
  'trunk_rate_limit',
  'answer_unusable',
  'registration_rejected',
  'registration_not_found',
  'registration_no_response',
  'registration_error',
  'source_not_listed',
  'no_sources',
  'tcp_failed',
  'certificate_untrusted',
  'certificate_name',
  'certificate_expired',
  'certificate_expires',
  'options_no_response',
  'options_error',
  'digest_required',
  'digest_rejected',
  'address_translated',
  'no_shared_codec',
]);

test.each(failureCodes)('%s is produced by a test', (code) => {
  const file = produced.get(code);
  if (AWAITED.has(code)) expect(file, `${code} is produced: remove it from AWAITED`).toBeUndefined();
  else expect(file, `add ${code} to producedFailures of the test that produces it`).toBeDefined();
});

test('a test produces entries of the catalogue only', () => {
  expect([...produced.keys()].filter((code) => !failureCodes.some((known) => known === code))).toEqual([]);
});
