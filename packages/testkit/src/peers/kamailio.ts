/** Debian's Kamailio on 127.0.0.1. Its user writes only what it does with requests. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { freePort } from '@clarion/devkit/settings/free-port';
import { terminate } from './terminate.ts';

const PROGRAM = '/usr/sbin/kamailio';
export const hasKamailio = existsSync(PROGRAM);

const READY_TIMEOUT_MS = 10_000;
/** Logged by its first worker, when all sockets are bound. */
const READY = 'ready for requests';
/** The end of its log that an error message quotes. */
const LOG_CHARACTERS = 8_000;

/** What every stateful proxy needs, and xlog, with which it reports that it is ready. */
const MODULES = ['tm', 'sl', 'rr', 'pv', 'siputils', 'textops', 'xlog'];

export interface KamailioConfiguration {
  /** UDP alone if omitted. */
  transports?: readonly ('udp' | 'tcp')[];
  /** Global parameters, such as `alias`. */
  globals?: string;
  /** Loaded in addition to those of a stateful proxy. */
  modules?: readonly string[];
  /** Lines with `modparam`. */
  parameters?: string;
  /** The statements of `request_route`. */
  route: string;
}

export interface Kamailio {
  port: number;
  /** Of the process that started the workers. */
  pid: number | undefined;
  stop: () => Promise<void>;
}

/** Resolves when it responds to requests. */
export async function startKamailio(configuration: KamailioConfiguration): Promise<Kamailio> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'clarion-kamailio-'));
  const file = join(dir, 'kamailio.cfg');
  await writeFile(file, fileOf(configuration, port));
  const child = spawn(PROGRAM, ['-DD', '-E', '-f', file, '-w', dir, '-Y', dir, '-m', '64', '-M', '8'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = async (): Promise<void> => {
    await terminate(child);
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await ready(child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, pid: child.pid, stop };
}

function fileOf(
  { transports = ['udp'], globals = '', modules = [], parameters = '', route }: KamailioConfiguration,
  port: number,
): string {
  return `#!KAMAILIO
debug=-1
log_stderror=yes
children=1
tcp_children=1
${transports.map((transport) => `listen=${transport}:127.0.0.1:${port}`).join('\n')}
${globals}
${[...MODULES, ...modules].map((name) => `loadmodule "${name}.so"`).join('\n')}
${parameters}
event_route[core:worker-one-init] { xlog("L_ALERT", "${READY}\\n"); }
request_route {
${route}
}
`;
}

function ready(child: ChildProcessByStdio<null, null, Readable>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let log = '';
  const fail = (reason: string): void => reject(new Error(`kamailio ${reason}\n${log}`));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-LOG_CHARACTERS);
    if (log.includes(READY)) resolve();
  });
  child.once('error', reject);
  child.once('close', (code) => fail(`has exited with ${code ?? 'a signal'}`));
  const timer = setTimeout(fail, READY_TIMEOUT_MS, 'is not ready');
  return promise.finally(() => clearTimeout(timer));
}
