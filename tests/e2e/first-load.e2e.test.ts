/**
 * The scripts that a browser must load before a page of the dashboard becomes interactive: those in its HTML, compressed as they are sent.
 * Everything else is loaded on demand. Also what no script may contain. Checks the same build as the other tests.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const BUILT = join(ROOT, 'apps/web/.next');

/** Limit for the first load of a page, in kB of compressed JavaScript. */
const MOST_KILOBYTES = 200;

/** Code that only some visitors of a page need, identified by strings in it: the flow canvas, charts, the waveform of a recording. */
const ON_DEMAND = { canvas: 'react-flow__', charts: 'Show as table', waveform: 'decodeAudioData' };

/** Code that runs only on the server, identified by strings that no minifier changes. */
const SERVER_ONLY = [
  'PrismaClient',
  'graphile_worker',
  'pg_notify',
  'SCRAM-SHA-256',
  'node:crypto',
  'argon2',
];

/** Next's lists of the scripts in a page's HTML: build-manifest.json for all pages, the other one for each part of a page. */
interface PageManifest {
  entryJSFiles: Record<string, string[]>;
}
const MANIFEST = 'page_client-reference-manifest.js';
const { rootMainFiles }: { rootMainFiles: string[] } = JSON.parse(
  readFileSync(join(BUILT, 'build-manifest.json'), 'utf8'),
);

const filesBelow = (directory: string, ending: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(ending));

function scriptsOf(manifest: string): string[] {
  const page: { __RSC_MANIFEST?: Record<string, PageManifest> } = {};
  runInNewContext(readFileSync(join(BUILT, 'server/app/app', manifest), 'utf8'), page);
  const parts = Object.values(page.__RSC_MANIFEST ?? {}).flatMap(({ entryJSFiles }) =>
    Object.values(entryJSFiles).flat(),
  );
  return [...new Set([...rootMainFiles, ...parts])];
}

const code = new Map<string, { text: string; kilobytes: number }>();
function load(script: string): { text: string; kilobytes: number } {
  const text = readFileSync(join(BUILT, script), 'utf8');
  const loaded = code.get(script) ?? { text, kilobytes: gzipSync(text).length / 1000 };
  code.set(script, loaded);
  return loaded;
}

test(`each page's first load is under ${MOST_KILOBYTES} kB, without canvas, charts and waveform`, () => {
  const pages = filesBelow(join(BUILT, 'server/app/app'), MANIFEST).map((manifest) => {
    const scripts = scriptsOf(manifest).map(load);
    return {
      page: ['/app', ...manifest.split('/').filter((part) => !/^\(|\.js$/.test(part))].join('/'),
      kilobytes: Math.round(scripts.reduce((sum, { kilobytes }) => sum + kilobytes, 0)),
      early: Object.entries(ON_DEMAND)
        .filter(([, word]) => scripts.some(({ text }) => text.includes(word)))
        .map(([what]) => what),
    };
  });
  pages.sort((a, b) => b.kilobytes - a.kilobytes);
  const lines = pages.map(({ page, kilobytes }) => `${String(kilobytes).padStart(6)} kB  ${page}`);
  process.stdout.write(`First load of each page, compressed:\n${lines.join('\n')}\n`);
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter(({ kilobytes, early }) => kilobytes >= MOST_KILOBYTES || early.length > 0)).toEqual([]);
});

test('no script contains the name of a server setting or server-only code', () => {
  const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
  const settings = [...example.matchAll(/^#?\s*([A-Z][A-Z0-9]*_[A-Z0-9_]+)=/gm)].map(
    ([, name]) => name ?? '',
  );
  expect(settings).toEqual(expect.arrayContaining(['CLARION_MASTER_KEY', 'DATABASE_URL']));
  const scripts = filesBelow(join(BUILT, 'static'), '.js').map((file) => join('static', file));
  const found = scripts.flatMap((script) =>
    [...settings, ...SERVER_ONLY]
      .filter((word) => load(script).text.includes(word))
      .map((word) => `${script}: ${word}`),
  );
  expect(found).toEqual([]);
  // The strings by which the first test identifies code that is loaded on demand are still valid.
  for (const word of Object.values(ON_DEMAND))
    expect(
      scripts.some((script) => load(script).text.includes(word)),
      word,
    ).toBe(true);
});
