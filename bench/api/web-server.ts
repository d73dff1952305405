/** Built Next servers of the repository, as processes of their own. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';
import { WEB_FLAGS } from '@clarion/devkit/stack/app-specs';
import { freePort } from '@clarion/devkit/settings/free-port';

const root = resolve(import.meta.dirname, '../..');
export const next = join(root, 'node_modules/next/dist/bin/next');
export const node = join(root, 'node_modules/.bin/node');

export interface Server {
  origin: string;
  pid: number;
}

type Started = [settings: Record<string, string>, path: string, children: ChildProcess[]];

/** Clarion's own web process. @param path requested until it answers; @param children gets the process, which the caller ends */
export const startedWeb = (...rest: Started): Promise<Server> =>
  started(join(root, 'apps/web'), () => ['server.ts'], ...rest);

/** A project that was built with Next, by Next's own server. */
export const startedNext = (dir: string, ...rest: Started): Promise<Server> =>
  started(dir, (port) => [next, 'start', '-p', String(port), '-H', '127.0.0.1'], ...rest);

async function started(
  dir: string,
  args: (port: number) => string[],
  ...[settings, path, children]: Started
): Promise<Server> {
  const port = await freePort();
  const child = spawn(node, [...WEB_FLAGS, ...args(port)], {
    cwd: dir,
    env: {
      ...process.env,
      ...settings,
      NODE_ENV: 'production',
      CLARION_WEB_PORT: String(port),
      CLARION_ALLOW_PRIVATE_EGRESS: '0',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  children.push(child);
  const origin = `http://127.0.0.1:${port}`;
  const until = Date.now() + 30_000;
  for (;;) {
    const answered = await fetch(origin + path).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) return { origin, pid: child.pid ?? 0 };
    if (Date.now() > until || child.exitCode !== null) throw new Error(`${dir} did not start`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}
