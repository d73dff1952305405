import { existsSync, readFileSync } from 'node:fs';
import { inRoot } from '../paths.ts';

/** Reads `.env` next to package.json if it exists. Variables that are already set in the environment take precedence. */
export function loadDotEnv(file = inRoot('.env')): void {
  if (!existsSync(file)) return;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name && process.env[name] === undefined) process.env[name] = value.replace(/^(['"])(.*)\1$/, '$2');
  }
}
