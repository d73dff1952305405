/** What every installation serves of the SDK: `{base_url}/sdk.js` for pages, `{base_url}/sdk.tgz` for backends. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { browserTargets, packageFiles } from './package-files.ts';
import { tarball } from './tarball.ts';

const served = (file: string) => fileURLToPath(new URL(`../../../apps/web/public/${file}`, import.meta.url));

/** The browser entry with the global `Clarion`. A path on the command line takes its place, and then nothing else is built. */
const [, , onlyScript] = process.argv;
await build({
  entryPoints: [fileURLToPath(new URL('../src/browser/index.ts', import.meta.url))],
  outfile: onlyScript ?? served('sdk.js'),
  bundle: true,
  format: 'iife',
  globalName: 'Clarion',
  platform: 'browser',
  target: browserTargets,
  minify: true,
  sourcemap: true,
  logLevel: 'warning',
});
if (onlyScript === undefined) await writeFile(served('sdk.tgz'), tarball(await packageFiles()));
