/**
 * Runs a program with the environment of this directory's copy of Clarion: `scripts/program.ts [--database | --built] <entry.ts>
 * [args…]`. With `--database`, the embedded database is started for the duration of the program unless the copy is running; with
 * `--built`, the pages are built first, for a program that starts a copy.
 */
import { pathToFileURL } from 'node:url';
import { inRoot } from '@clarion/devkit/paths';
import { prepare } from '@clarion/devkit/prepare/prepare';
import { useEnvironment } from '@clarion/devkit/program/environment';
import { loadDotEnv } from '@clarion/devkit/settings/dot-env';
import { exitWith, sayOn } from '@clarion/devkit/terminal/log';

sayOn(process.stderr);
const [first = '', ...rest] = process.argv.slice(2);
const hasOption = first === '--database' || first === '--built';
const [entry = '', ...args] = hasOption ? rest : [first, ...rest];
try {
  loadDotEnv();
  await prepare(first === '--built' ? {} : { build: [] });
  await useEnvironment({ database: first === '--database' });
} catch (error) {
  exitWith(error);
}
process.argv.splice(1, process.argv.length, inRoot(entry), ...args);
await import(pathToFileURL(inRoot(entry)).href);
