/**
 * Builds the SDK files that every installation serves: `{base_url}/sdk.js` for pages, `{base_url}/sdk.tgz` for backends, and the service
 * worker of the phone in the service's own pages.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { browserTargets, packageFiles, webPushWorker } from './package-files.ts';
import { tarball } from './tarball.ts';

const served = (file: string) => fileURLToPath(new URL(`../../../apps/web/public/${file}`, import.meta.url));

/** The browser bundle with the global `Clarion`. With a path on the command line, only this file is built, to that path. */
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
if (onlyScript === undefined) {
  await build({ ...webPushWorker, target: browserTargets, outfile: served('embed/push-worker.js') });
  await writeFile(served('sdk.tgz'), tarball(await packageFiles()));
}
