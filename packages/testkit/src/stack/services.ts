/**
 * The processes of `npm start` on free ports with their own data directory. Under vitest, their database is a copy of the run's migrated
 * one; otherwise (and with `ownPostgres`) they start a separate PostgreSQL server.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from '@clarion/db/testing';
import { startStack, type ProcessName, type Stack } from '@clarion/devkit/stack/stack';
import { freePort } from '@clarion/devkit/settings/free-port';
import { freeStackPorts } from '@clarion/devkit/settings/ports';
import { PushDevices } from '../peers/push-devices.ts';
import { Meta } from '../peers/whatsapp-customer.ts';
import { rtpPortRange, sharedRtpPortRange, type PortRange } from './rtp-ports.ts';
import { COUNTING_SETTINGS, giveEachAppARole } from './statement-counter.ts';

const RTP_PORTS = 600;

export interface ServiceOptions {
  env?: Record<string, string>;
  only?: Exclude<ProcessName, 'postgres'>[];
  /** Starts a second node of these as well: realtime2, media2. */
  second?: readonly ('realtime' | 'media')[];
  /** Starts a separate PostgreSQL server, as `npm start` does, for tests that kill it. */
  ownPostgres?: boolean;
  /** Counts the statements of each process (`statements`). Includes `ownPostgres`. */
  countStatements?: boolean;
  /** Creates the demo account, as the first `npm start` does. */
  seed?: boolean;
}

export interface Services {
  readonly stack: Stack;
  /** WhatsApp's side of the stack's calls; not with the demo account, which has its own. */
  readonly meta: Meta | null;
  /** The push services of the stack, and devices there. */
  readonly devices: PushDevices;
  /** Log lines of every process, newest last. */
  readonly log: readonly string[];
  /** Stops the processes, unless other test files use them. */
  release(): Promise<void>;
}

export interface SharedServices extends Services {
  /** The number of test files that have used them. */
  users: number;
}

let shared: Promise<SharedServices> | undefined;

/** The same processes for every test file of this vitest worker. They end with the worker, and the run removes their directory. */
export function sharedServices(): Promise<SharedServices> {
  return (shared ??= (async () => {
    const { inject } = await import('vitest');
    const place = { directory: inject('runDirectory'), rtpPorts: sharedRtpPortRange() };
    const { stack, log, meta, devices } = await startServices({}, place);
    return { stack, log, meta, devices, users: 0, release: async () => undefined };
  })());
}

export async function startServices(
  options: ServiceOptions,
  {
    directory = tmpdir(),
    rtpPorts = rtpPortRange(RTP_PORTS),
  }: { directory?: string; rtpPorts?: PortRange } = {},
): Promise<Services> {
  const dataDir = mkdtempSync(join(directory, 'clarion-e2e-'));
  const log: string[] = [];
  const database = options.ownPostgres || options.countStatements ? null : await databaseOfRun();
  const ports = await freeStackPorts();
  const meta = options.seed ? null : await Meta.start(`http://127.0.0.1:${ports.web}/webhooks/whatsapp`);
  const devices = await PushDevices.start();
  const env = {
    ...withoutSettings(process.env),
    ...(database && { DATABASE_URL: database.url }),
    CLARION_RTP_PORTS: `${rtpPorts.first}-${rtpPorts.last}`,
    CLARION_LOG_LEVEL: process.env.CLARION_LOG_LEVEL ?? 'info',
    CLARION_DEMO_FAR_END_PORT: String(await freePort()),
    CLARION_DEMO_HISTORY: '0',
    ...meta?.env,
    ...devices.env,
    ...options.env,
  };
  const stack = await startStack({
    dataDir,
    ports,
    env,
    ...(options.only ? { only: options.only } : {}),
    ...(options.second ? { second: options.second } : {}),
    seed: options.seed ?? false,
    ...(options.countStatements
      ? { postgresSettings: COUNTING_SETTINGS, prepareDatabase: giveEachAppARole }
      : {}),
    migrate: database === null, // the copy of the run's database is up to date
    onLine: (name, line) => {
      log.push(`${name} ${line}`);
      if (process.env.CLARION_TEST_LOG) process.stderr.write(`${name} ${line}\n`);
    },
  });
  return {
    stack,
    log,
    meta,
    devices,
    async release() {
      await stack.stop();
      await meta?.close();
      await devices.close();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Removes the settings of the shell and of another running copy, so that they do not affect the test. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(CLARION_|DRACHTIO_|DATABASE_URL$|S3_)/.test(name)),
  ),
  NODE_ENV: env.NODE_ENV,
});

/** A database of vitest's run; null outside vitest. */
async function databaseOfRun(): Promise<TestDatabase | null> {
  if (!process.env.VITEST) return null;
  const { createTestDatabase } = await import('@clarion/db/testing'); // imports vitest, which `npm run prove` does not use
  return createTestDatabase();
}
