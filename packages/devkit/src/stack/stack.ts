/** The whole system as processes on this machine: for `npm start`, and for end-to-end tests on free ports. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDir, inRoot, node24, root } from '../paths.ts';
import { preparePostgres } from '../postgres/cluster.ts';
import { createDatabaseIfMissing } from '../postgres/database.ts';
import { guardPostgres, type Guard } from '../postgres/postmaster.ts';
import { ensureMediasoupWorker } from '../prepare/mediasoup-worker.ts';
import { metaSimulatorEnv } from '../settings/meta-simulator.ts';
import type { Ports } from '../settings/ports.ts';
import type { Mode } from '../settings/production.ts';
import { resolveSettings, type Env, type Settings } from '../settings/settings.ts';
import { exec } from '../system/exec.ts';
import { step } from '../terminal/log.ts';
import { createOutput } from '../terminal/output.ts';
import { appSpecs, demoCarrierSpec, metaSimulatorSpec, postgresSpec, type AppSpec } from './app-specs.ts';
import { claimDataDir } from './claim.ts';
import { answers } from './probes.ts';
import { APP_NAMES, type AppName, type ProcessName } from './process-names.ts';
import { secondNodes, withOwnEnv, type OwnEnv, type SecondNode, type SecondPort } from './second-nodes.ts';
import { supervise, type ProcessSpec, type SupervisedProcess } from './supervise.ts';

export type { ProcessName } from './process-names.ts';

const READY_TIMEOUT_MS = 20_000;
const READY_POLL_MS = 100;

export interface StackOptions {
  /** Default: CLARION_DATA_DIR, or .clarion next to package.json. */
  dataDir?: string;
  ports?: Partial<Ports>;
  /** Default: process.env. If it contains DATABASE_URL, that database is used. */
  env?: Env;
  /** Default: all. */
  only?: readonly AppName[];
  /** Also starts a second node of these: realtime2, media2. */
  second?: readonly SecondNode[];
  /** Serves pages with hot reload. */
  dev?: boolean;
  /** Default true. */
  restart?: boolean;
  /** False if the database is known to be up to date. */
  migrate?: boolean;
  /** Creates the demo account, and starts what it calls: the demo carrier and the simulator of WhatsApp. */
  seed?: boolean;
  /** Settings of the embedded PostgreSQL beside those that it always has. */
  postgresSettings?: Record<string, string>;
  /** Runs when the database is migrated and no app uses it yet. Returns variables for single processes. */
  prepareDatabase?: (url: string) => Promise<OwnEnv>;
  /** Default: readable lines on standard output. */
  onLine?: (name: string, line: string) => void;
}

export interface Stack {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly mode: Mode;
  readonly ports: Ports & Partial<Record<SecondPort, number>>;
  /** The environment of every process. */
  readonly env: Record<string, string>;
  readonly processes: Partial<Record<ProcessName, SupervisedProcess>>;
  kill(name: ProcessName, signal?: NodeJS.Signals): Promise<void>;
  waitHealthy(name: ProcessName): Promise<void>;
  /** Waits until the process is connected to everything that it needs, for example after one of these was killed. */
  waitReady(name: ProcessName): Promise<void>;
  stop(): Promise<void>;
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const settings = await resolveSettings(options);
  const { dataDir, baseUrl, mode } = settings;
  const onLine = options.onLine ?? createOutput(settings.env['CLARION_LOG_LEVEL']);
  const claim = claimDataDir(dataDir);

  const processes: Partial<Record<ProcessName, SupervisedProcess>> = {};
  const started: SupervisedProcess[] = []; // in order, for stopping
  let guard: Guard | undefined;
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      for (const supervised of started.toReversed()) await supervised.stop();
      await guard?.release();
      claim.release();
    })());

  const run = (name: ProcessName, spec: ProcessSpec) => {
    const supervised = supervise(spec, { onLine, restart: options.restart });
    processes[name] = supervised;
    started.push(supervised);
    return supervised;
  };

  try {
    // Processes start twice as fast with a compile cache.
    const env: Record<string, string> = { NODE_COMPILE_CACHE: join(cacheDir, 'compile'), ...settings.env };
    if (options.seed && env['CLARION_META_SIMULATOR'] === '1') {
      Object.assign(env, metaSimulatorEnv(settings.ports));
    }
    const only = options.only ?? APP_NAMES;
    if (only.includes('media')) env['MEDIASOUP_WORKER_BIN'] = await ensureMediasoupWorker();
    if (settings.embeddedPostgres) {
      const postgres = await preparePostgres({
        dir: join(dataDir, 'postgres'),
        password: settings.secrets.postgresPassword,
        ...(options.postgresSettings ? { settings: options.postgresSettings } : {}),
      });
      env['DATABASE_URL'] = postgres.url;
      guard = guardPostgres(postgres.pgdata);
      await run('postgres', postgresSpec(postgres, env)).waitHealthy();
      await createDatabaseIfMissing(postgres.url);
    }
    const second = await secondNodes(settings, options.second ?? []);
    Object.assign(env, second.shared);
    claim.write({ baseUrl, env });
    if (options.migrate ?? true) {
      await step('migrating the database', () =>
        exec(node24, [inRoot('packages/db/scripts/migrate-cli.ts'), 'migrate'], { env, cwd: root }),
      );
    }
    if (options.seed && env['CLARION_DEMO'] === '1') await seedDemo(env);
    const prepared = (await options.prepareDatabase?.(env['DATABASE_URL'] ?? '')) ?? {};

    const specs = appSpecs(settings, env, withOwnEnv(second, prepared), options.dev ?? false);
    const carrier = options.seed ? await demoCarrierSpec(settings, env, onLine) : undefined;
    if (carrier) specs.carrier = carrier;
    const whatsapp = options.seed ? metaSimulatorSpec(settings, env) : undefined;
    if (whatsapp) specs.whatsapp = whatsapp;
    await startApps(specs, only, run, onLine);

    const named = (name: ProcessName): SupervisedProcess => {
      const found = processes[name];
      if (!found) throw new Error(`unknown process ${name}`);
      return found;
    };
    return {
      baseUrl,
      dataDir,
      mode,
      ports: { ...settings.ports, ...second.ports },
      env,
      processes,
      kill: (name, signal) => named(name).kill(signal),
      waitHealthy: (name) => named(name).waitHealthy(),
      waitReady: (name) => waitReady(name === 'postgres' ? undefined : specs[name], onLine),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startApps(
  specs: Partial<Record<AppName, AppSpec>>,
  only: readonly AppName[],
  run: (name: AppName, spec: AppSpec) => SupervisedProcess,
  onLine: (name: string, line: string) => void,
): Promise<void> {
  const all = APP_NAMES.flatMap((name) => (specs[name] ? [{ name, spec: specs[name] }] : []));
  const wanted = all.filter(({ name }) => only.includes(name));
  const started = wanted.map(({ name, spec }) => run(name, spec));
  await Promise.all(started.map((supervised) => supervised.waitHealthy()));
  // A part of the system never becomes ready, because it waits for missing processes (realtime for media).
  if (wanted.length === all.length) await Promise.all(wanted.map(({ spec }) => waitReady(spec, onLine)));
}

async function seedDemo(env: Settings['env']): Promise<void> {
  const seed = inRoot('apps/cli/src/seed-demo.ts');
  await step('creating the demo account', () => exec(node24, [seed], { env, cwd: root }));
}

/** Healthy: the process is alive. Ready: it is connected to what it needs. A process that does not become ready is reported and kept running. */
async function waitReady(
  spec: AppSpec | undefined,
  onLine: (name: string, line: string) => void,
): Promise<void> {
  if (!spec?.readyUrl) return;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await answers(spec.readyUrl))) {
    if (Date.now() > deadline) {
      const state = await fetch(spec.readyUrl).then((response) => response.text(), String);
      return onLine(spec.name, `is not ready: ${state}`);
    }
    await sleep(READY_POLL_MS);
  }
}
