/** What browsers load: the imports of each 'use client' file, followed transitively without type imports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const CLIENT_CODE = ['apps/web/app', 'apps/web/lib', 'packages/ui/src', 'packages/phone/src'];

/** Pure server modules that pages may import: the flow interpreter, prices, the roles and the name of the session header. */
const FOR_BROWSERS_TOO =
  /^packages\/core\/src\/(?:ivr|rating)\/|^apps\/web\/lib\/api\/(?:roles|session-header)\.ts$/;
const FOR_SERVERS_ONLY = /^packages\/(?:core|db|store|docs)\/|^apps\/web\/(?:env|lib\/api|lib\/mcp)/;
const SERVER_PACKAGES =
  /^(?:node:|pg$|pino|prom-client|@prisma\/|@clarion\/(?:db|store)|next-auth$|jose$|graphile)/;

const IMPORT =
  /^\s*(?:import|export)\s+(?!type\b)(?:[^'";]*?\bfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

const sources = CLIENT_CODE.flatMap((directory) =>
  readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|stories)\.tsx?$/.test(file))
    .map((file) => join(directory, file)),
);
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The file of this repository that an import resolves to; null for an external package. */
function fileOf(wanted: string, from: string): string | null {
  if (wanted.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(from), wanted));
  if (wanted.startsWith('#lib/')) return join('apps/web/lib', wanted.slice('#lib/'.length));
  const [, name = '', path = ''] = /^@clarion\/([^/]+)\/?(.*)$/.exec(wanted) ?? [];
  const home = [`packages/${name}`, `apps/${name}`].find((each) => name && existsSync(join(ROOT, each)));
  if (home === undefined) return null;
  const { exports }: { exports: Record<string, string> } = JSON.parse(read(`${home}/package.json`));
  const target = exports[path === '' ? '.' : `./${path}`] ?? exports['./*']?.replace('*', path);
  return target === undefined ? null : join(home, target);
}

test('no page imports server code', () => {
  const entries = sources.filter((file) => /^(?:\/\*[\s\S]*?\*\/\s*)?['"]use client['"]/.test(read(file)));
  expect(entries.length).toBeGreaterThan(100);
  const wrong: string[] = [];
  const ways = new Map(entries.map((entry) => [entry, [entry]])); // a shortest import path to each file; grows during the walk
  for (const [at, way] of ways) {
    if (FOR_SERVERS_ONLY.test(at) && !FOR_BROWSERS_TOO.test(at)) wrong.push(way.join(' → '));
    if (!/\.tsx?$/.test(at)) continue;
    for (const [, named, called] of read(at).matchAll(IMPORT)) {
      const wanted = named ?? called ?? '';
      const next = fileOf(wanted, at);
      if (next === null && SERVER_PACKAGES.test(wanted)) wrong.push([...way, wanted].join(' → '));
      if (next !== null && !ways.has(next) && existsSync(join(ROOT, next))) ways.set(next, [...way, next]);
    }
  }
  expect(wrong).toEqual([]);
  // The walk resolves every kind of import: relative, `#lib/…` and `@clarion/…`.
  const reached = (folder: string) => [...ways.keys()].filter((file) => file.startsWith(folder)).length;
  expect(reached('apps/web/lib/')).toBeGreaterThan(50);
  expect(reached('packages/core/src/ivr/')).toBeGreaterThan(5);
});
