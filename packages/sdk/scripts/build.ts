/** Bundles the browser entry into the file that every installation serves at `{base_url}/sdk.js`: global `Clarion`. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

await build({
  entryPoints: [fileURLToPath(new URL('../src/browser/index.ts', import.meta.url))],
  outfile: process.argv[2] ?? fileURLToPath(new URL('../../../apps/web/public/sdk.js', import.meta.url)),
  bundle: true,
  format: 'iife',
  globalName: 'Clarion',
  platform: 'browser',
  target: ['chrome111', 'firefox115', 'safari16.4'],
  minify: true,
  sourcemap: true,
  logLevel: 'warning',
});
