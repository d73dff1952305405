import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot } from '../paths.ts';

/** Runs `<folder>/<name>.ts` with the remaining arguments. Lists the programs of the folder if there is none with that name. */
export async function dispatch(folder: string, [name, ...args]: string[]): Promise<void> {
  const file = name && /^[\w-]+$/.test(name) ? inRoot(folder, `${name}.ts`) : undefined;
  if (file && existsSync(file)) {
    process.argv.splice(1, process.argv.length, file, ...args);
    await import(pathToFileURL(file).href);
    return;
  }
  if (name) process.stderr.write(`There is no ${folder}/${name}.ts.\n\n`);
  process.stdout.write(`npm run ${folder} -- <name>\n\n${list(folder)}\n`);
  process.exitCode = name ? 2 : 0;
}

/** Each program with the first line of its head comment. */
function list(folder: string): string {
  const dir = inRoot(folder);
  const names = existsSync(dir) ? readdirSync(dir).filter((file) => /^[\w-]+\.ts$/.test(file)) : [];
  if (names.length === 0) return '  (none)';
  return names
    .map((file) => {
      const head =
        /\/\*\*\s*(?:\*\s*)?(.+?)(?:\s*\*\/)?$/m.exec(readFileSync(join(dir, file), 'utf8'))?.[1] ?? '';
      return `  ${file.replace(/\.ts$/, '').padEnd(16)} ${head}`;
    })
    .join('\n');
}
