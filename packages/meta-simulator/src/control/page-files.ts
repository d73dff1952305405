/** The page that plays a customer (../page): files without a build step, their types removed as Node does it for its own programs. */
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';

const PAGE = new URL('../page/', import.meta.url);
const FILES: Readonly<Record<string, string>> = {
  '/': 'index.html',
  '/page/phone.css': 'phone.css',
  '/page/main.ts': 'main.ts',
  '/page/control-client.ts': 'control-client.ts',
  '/page/screen.ts': 'screen.ts',
  '/page/story.ts': 'story.ts',
  '/page/voice.ts': 'voice.ts',
};
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
};
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'permissions-policy': 'microphone=(self)',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** @returns false if the path is not a file of the page */
export async function sendPageFile(pathname: string, response: ServerResponse): Promise<boolean> {
  const file = FILES[pathname];
  if (file === undefined) return false;
  const text = await readFile(new URL(file, PAGE), 'utf8');
  const extension = extname(file);
  response.writeHead(200, { ...HEADERS, 'content-type': TYPES[extension] ?? '' });
  response.end(extension === '.ts' ? stripTypeScriptTypes(text) : text);
  return true;
}
