/**
 * The files of the published package: self-contained bundles, and types that refer neither to zod nor to other workspaces. The
 * package has no dependencies.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { endpointsScript, endpointsTypes } from './endpoints-module.ts';
import { protocolTypes, shownModules } from './protocol-types.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../..', import.meta.url));
const sdk = join(repository, 'packages/sdk');
const modules = join(repository, 'node_modules');
const entries = {
  browser: join(sdk, 'src/browser/index.ts'),
  node: join(sdk, 'src/node/index.ts'),
  reactNative: join(sdk, 'src/react-native/index.ts'),
};

/** The service worker is a classic script: a page registers its file, and no bundler sees it. */
export const webPushWorker = {
  entryPoints: [join(sdk, 'src/web-push-worker/worker.ts')],
  bundle: true,
  format: 'iife',
  platform: 'browser',
  minify: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

export const browserTargets = ['chrome111', 'firefox115', 'safari16.4'];
/** Metro, which bundles the app, converts the rest for the engine of React Native. */
export const reactNativeTarget = 'es2020';

type Files = Record<string, string>;

export async function packageFiles(): Promise<Files> {
  const [browser, node, reactNative, worker, types, readme] = await Promise.all([
    bundled({ entryPoints: [entries.browser], platform: 'browser', target: browserTargets }),
    bundled({
      entryPoints: [entries.node],
      platform: 'node',
      target: 'node20',
      plugins: [withoutSchemas],
    }),
    bundled({
      entryPoints: [entries.reactNative],
      platform: 'browser',
      target: reactNativeTarget,
      plugins: [partsOfZod],
    }),
    build({ ...webPushWorker, target: browserTargets, write: false }),
    declarations(),
    readFile(join(sdk, 'PACKAGE.md'), 'utf8'),
  ]);
  return {
    'package.json': await manifest(),
    'README.md': readme,
    'THIRD-PARTY.md': await notices([browser, node, reactNative].flatMap(({ packages }) => packages)),
    'dist/browser/index.js': browser.text,
    'dist/node/index.js': node.text,
    'dist/react-native/index.js': reactNative.text,
    'react-native/package.json': withoutExports('react-native'),
    'dist/web-push-worker.js': worker.outputFiles[0]?.text ?? '',
    ...types,
  };
}

async function manifest(): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(sdk, 'package.json'), 'utf8'));
  const entry = (folder: string) => ({
    types: `./dist/${folder}/index.d.ts`,
    default: `./dist/${folder}/index.js`,
  });
  const written = {
    name,
    version,
    description: 'The Clarion SDK for browsers, React Native and backends.',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.3' },
    exports: {
      '.': entry('browser'),
      './node': entry('node'),
      './react-native': entry('react-native'),
      // Not to import, but to copy to the files of a site.
      './web-push-worker.js': './dist/web-push-worker.js',
      './package.json': './package.json',
    },
  };
  return `${JSON.stringify(written, null, 2)}\n`;
}

/** For bundlers that ignore `exports`, such as Metro before React Native 0.79. */
const withoutExports = (folder: string) =>
  `${JSON.stringify({ main: `../dist/${folder}/index.js`, types: `../dist/${folder}/index.d.ts` }, null, 2)}\n`;

/** A bundle, and the names of the third-party packages that it contains. */
async function bundled(options: BuildOptions): Promise<{ text: string; packages: string[] }> {
  const { outputFiles, metafile } = await build({
    ...options,
    bundle: true,
    format: 'esm',
    write: false,
    metafile: true,
    absWorkingDir: repository,
    logLevel: 'warning',
  });
  const packages = Object.keys(metafile.inputs).flatMap((file) => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
    return name === undefined ? [] : [name];
  });
  return { text: outputFiles?.[0]?.text ?? '', packages };
}

/** Replaces the imports from the protocol with generated code, so that neither the schemas nor zod are included. */
const withoutSchemas: Plugin = {
  name: 'without-schemas',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]node[/\\]endpoints\.ts$/ }, () => ({ contents: endpointsScript(), loader: 'js' }));
  },
};

/** esbuild leaves out what is not used of a namespace, but not of the object `z`: 180 kB instead of 540. */
export const partsOfZod: Plugin = {
  name: 'parts-of-zod',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]protocol[/\\]src[/\\][\w-]+\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace("import { z } from 'zod'", "import * as z from 'zod'"),
      loader: 'ts',
    }));
  },
};

async function declarations(): Promise<Files> {
  const dir = await mkdtemp(join(tmpdir(), 'clarion-sdk-types-'));
  try {
    const config = join(dir, 'tsconfig.json');
    await writeFile(config, JSON.stringify(tsconfig(dir)));
    await run(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', config]);
    const emitted = (module: string) => readFile(join(dir, `packages/protocol/src/${module}.d.ts`), 'utf8');
    const texts = await Promise.all(
      shownModules.map(async (module) => [module, await emitted(module)] as const),
    );
    return {
      ...(await declarationsOf('agent', join(dir, 'packages/sdk/src/agent'))),
      ...(await declarationsOf('browser', join(dir, 'packages/sdk/src/browser'))),
      ...(await declarationsOf('node', join(dir, 'packages/sdk/src/node'))),
      ...(await declarationsOf('react-native', join(dir, 'packages/sdk/src/react-native'))),
      'dist/protocol.d.ts': protocolTypes(Object.fromEntries(texts)),
      'dist/node/endpoints.d.ts': endpointsTypes(),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function declarationsOf(name: string, folder: string): Promise<Files> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      const here = text
        .replaceAll(/(from '\.\.?\/[\w/-]+)\.ts'/g, "$1.js'")
        .replaceAll(
          new RegExp(`from '@clarion/protocol/(${shownModules.join('|')})'`, 'g'),
          "from '../protocol.js'",
        );
      return [`dist/${name}/${file}`, here] as const;
    }),
  );
  return Object.fromEntries(files);
}

const tsconfig = (outDir: string) => ({
  extends: join(repository, 'tsconfig.base.json'),
  compilerOptions: {
    lib: ['es2024', 'dom', 'dom.iterable'],
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: repository,
    outDir,
    typeRoots: [join(modules, '@types')],
  },
  files: [
    ...Object.values(entries),
    ...shownModules.map((module) => join(repository, `packages/protocol/src/${module}.ts`)),
  ],
});

/** The third-party packages in the bundles, with their licences. */
async function notices(packages: string[]): Promise<string> {
  const texts = [...new Set(packages)].toSorted().map(async (name) => {
    const folder = join(modules, name);
    const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? `License: ${license}` : await readFile(join(folder, file), 'utf8');
    return `## ${name} ${version}\n\n${text.trim()}\n`;
  });
  return `# Third-party packages in the bundles\n\n${(await Promise.all(texts)).join('\n')}`;
}
