/** Builds `{base_url}/embed.js`, the self-contained custom element, and prints its size. A path on the command line is its output. */
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, transform, type Plugin } from 'esbuild';
import { shadowStyles } from './shadow-styles.ts';

/** Browsers that support `light-dark()` and constructable style sheets. */
const TARGETS = ['chrome123', 'firefox120', 'safari17.5'];
/** The maximum size of the script, compressed. */
const MAX_COMPRESSED_BYTES = 200_000;

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const outfile = process.argv[2] ?? path('../../../apps/web/public/embed.js');
const stylesheet = path('../src/element/phone.css');

const styles: Plugin = {
  name: 'phone-styles',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^phone-styles$/ }, () => ({ path: stylesheet, namespace: 'phone-styles' }));
    onLoad({ filter: /.*/, namespace: 'phone-styles' }, async () => {
      const css = await shadowStyles(await readFile(stylesheet, 'utf8'), stylesheet);
      const { code } = await transform(css, { loader: 'css', minify: true, target: TARGETS });
      return { contents: code, loader: 'text' };
    });
  },
};

await build({
  entryPoints: [path('../src/element/element.tsx')],
  outfile,
  bundle: true,
  format: 'iife',
  platform: 'browser',
  target: TARGETS,
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  minify: true,
  sourcemap: true,
  logLevel: 'warning',
  plugins: [styles],
});
const [{ size }, compressed] = [await stat(outfile), gzipSync(await readFile(outfile)).length];
process.stdout.write(`embed.js: ${size} bytes, ${compressed} compressed\n`);
if (compressed > MAX_COMPRESSED_BYTES)
  throw new Error(`embed.js is larger than ${MAX_COMPRESSED_BYTES} bytes compressed.`);
