/**
 * The files of the published package: scripts with everything they need inside, and types that name neither zod nor a package of
 * ours. Nothing has to be fetched beside it.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { endpointsScript, endpointsTypes } from './endpoints-module.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../..', import.meta.url));
const sdk = join(repository, 'packages/sdk');
const nodeEntry = join(sdk, 'src/node/index.ts');
const modules = join(repository, 'node_modules');

export async function packageFiles(): Promise<Record<string, string>> {
  const [script, types, readme, notice] = await Promise.all([
    nodeScript(),
    nodeTypes(),
    readFile(join(sdk, 'PACKAGE.md'), 'utf8'),
    notices(['jose']),
  ]);
  return {
    'package.json': await manifest(),
    'README.md': readme,
    'THIRD-PARTY.md': notice,
    'dist/node/index.js': script,
    ...types,
  };
}

async function manifest(): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(sdk, 'package.json'), 'utf8'));
  return `${JSON.stringify(
    {
      name,
      version,
      description: "A backend's side of Clarion: the Management API, tokens, webhooks.",
      type: 'module',
      engines: { node: '>=20.3' },
      exports: {
        './node': { types: './dist/node/index.d.ts', default: './dist/node/index.js' },
        './package.json': './package.json',
      },
    },
    null,
    2,
  )}\n`;
}

async function nodeScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [nodeEntry],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
    logLevel: 'warning',
    plugins: [withoutSchemas],
  });
  return outputFiles[0]?.text ?? '';
}

/** What the client takes from the protocol is written out: neither the schemas nor zod go along. */
const withoutSchemas: Plugin = {
  name: 'without-schemas',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]node[/\\]endpoints\.ts$/ }, () => ({ contents: endpointsScript(), loader: 'js' }));
  },
};

async function nodeTypes(): Promise<Record<string, string>> {
  const dir = await mkdtemp(join(tmpdir(), 'clarion-sdk-types-'));
  try {
    const config = join(dir, 'tsconfig.json');
    await writeFile(config, JSON.stringify(tsconfig(dir)));
    await run(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', config]);
    const emitted = join(dir, 'packages/sdk/src/node');
    const files = (await readdir(emitted)).filter((file) => file !== 'endpoints.d.ts');
    const types = await Promise.all(
      files.map(async (file) => {
        const text = await readFile(join(emitted, file), 'utf8');
        return [`dist/node/${file}`, text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")] as const;
      }),
    );
    return { ...Object.fromEntries(types), 'dist/node/endpoints.d.ts': endpointsTypes() };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
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
  files: [nodeEntry],
});

/** What is inside and whose it is. */
async function notices(packages: string[]): Promise<string> {
  const texts = packages.map(async (name) => {
    const { version } = JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8'));
    return `## ${name} ${version}\n\n${await readFile(join(modules, name, 'LICENSE.md'), 'utf8')}`;
  });
  return `# Packages inside the scripts\n\n${(await Promise.all(texts)).join('\n')}`;
}
