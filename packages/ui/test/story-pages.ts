/** Builds and serves Storybook and lists its stories, for the accessibility test and for screenshots. */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const STORYBOOK = join(PACKAGE, 'node_modules/storybook/dist/bin/dispatcher.js');
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface StoryPages {
  ids: string[];
  /** The URL of Storybook's page for a single story, before it shows any. */
  emptyUrl: string;
  close(): Promise<void>;
}

export async function buildStoryPages(): Promise<StoryPages> {
  const directory = await mkdtemp(join(tmpdir(), 'clarion-stories-'));
  await promisify(execFile)(process.execPath, [STORYBOOK, 'build', '--quiet', '-o', directory], {
    cwd: PACKAGE,
    maxBuffer: 16 * 1024 * 1024,
  });
  const index = JSON.parse(await readFile(join(directory, 'index.json'), 'utf8')) as {
    entries: Record<string, { type: string }>;
  };
  const server = await serve(directory);
  const { port } = server.address() as AddressInfo;
  return {
    ids: Object.entries(index.entries).flatMap(([id, { type }]) => (type === 'story' ? [id] : [])),
    emptyUrl: `http://127.0.0.1:${port}/iframe.html?viewMode=story`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function serve(directory: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    readFile(join(directory, path)).then(
      (body) =>
        response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream').end(body),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
