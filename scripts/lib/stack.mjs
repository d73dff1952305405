/** The whole system as processes on this machine: what `npm start` runs, and what end-to-end tests boot on free ports. */
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, relative } from 'node:path';
import { exec } from './exec.mjs';
import { Sorry, step } from './log.mjs';
import { ensureMediasoupWorker } from './mediasoup-worker.mjs';
import { createOutput } from './output.mjs';
import { cacheDir, inRoot, node24, root } from './paths.mjs';
import { isUdpPortFree } from './ports.mjs';
import { createDatabaseIfMissing, guardPostgres, isServing, preparePostgres } from './postgres.mjs';
import { processIdentity } from './process-identity.mjs';
import { secondNodes } from './second-nodes.mjs';
import { resolveSettings } from './settings.mjs';
import { answers, supervise } from './supervise.mjs';

/** In the order of starting; stopping goes the other way. The database comes before all of them. */
const ORDER = ['sip', 'carrier', 'realtime', 'realtime2', 'media', 'media2', 'worker', 'web'];
const PROBE_TIMEOUT_MS = 1_000;
const READY_TIMEOUT_MS = 20_000;
const READY_POLL_MS = 100;

/**
 * @param {object} [options]
 * @param {string} [options.dataDir]
 * @param {Record<string, number>} [options.ports] see settings.mjs
 * @param {NodeJS.ProcessEnv} [options.env] instead of process.env
 * @param {string[]} [options.only] of sip, realtime, media, worker, web; default all
 * @param {string[]} [options.second] of realtime, media: those that get a second node (realtime2, media2)
 * @param {boolean} [options.dev] pages with hot reload
 * @param {boolean} [options.restart] default true
 * @param {boolean} [options.migrate] false when the database is known to be up to date; default true
 * @param {boolean} [options.seed] make the demo account; default false
 * @param {(name: string, line: string) => void} [options.onLine] default: readable lines on standard output
 */
export async function startStack(options = {}) {
  const settings = await resolveSettings(options);
  const { dataDir, baseUrl } = settings;
  const onLine = options.onLine ?? createOutput(settings.env.CLARION_LOG_LEVEL);
  const lock = claim(dataDir);

  const processes = {};
  const started = []; // in order, for stopping
  let guard;
  let specs;
  let stopping;
  const stop = () =>
    (stopping ??= (async () => {
      for (const supervised of started.toReversed()) await supervised.stop();
      await guard?.release();
      lock.release();
    })());

  const run = (spec) => {
    const supervised = supervise(spec, { onLine, restart: options.restart ?? true });
    processes[spec.name] = supervised;
    started.push(supervised);
    return supervised;
  };

  try {
    const env = { NODE_COMPILE_CACHE: join(cacheDir, 'compile'), ...settings.env }; // a process starts twice as fast with it
    const only = options.only ?? ORDER;
    if (only.includes('media')) env.MEDIASOUP_WORKER_BIN = await ensureMediasoupWorker();
    if (settings.embeddedPostgres) {
      const postgres = await preparePostgres({
        dir: join(dataDir, 'postgres'),
        password: settings.secrets.postgresPassword,
      });
      env.DATABASE_URL = postgres.url;
      guard = guardPostgres(postgres.pgdata);
      await run(postgresSpec(postgres, env)).waitHealthy();
      await createDatabaseIfMissing(postgres.url);
    }
    const second = await secondNodes(settings, options.second ?? []);
    Object.assign(settings.ports, second.ports);
    Object.assign(env, second.shared);
    lock.write({ baseUrl, env });
    if (options.migrate ?? true) {
      await step('bringing the database up to date', () =>
        exec(node24, [inRoot('packages/db/src/migrate-cli.ts'), 'migrate'], { env, cwd: root }),
      );
    }
    if (options.seed && env.CLARION_DEMO === '1') await seedDemo(env);

    specs = appSpecs(settings, env, second.own, options.dev ?? false);
    if (options.seed) specs.carrier = await demoCarrierSpec(settings, env, onLine);
    const wanted = ORDER.filter((name) => only.includes(name) && specs[name]);
    wanted.forEach((name) => run(specs[name]));
    await Promise.all(wanted.map((name) => processes[name].waitHealthy()));
    // A part of the system waits in vain for what is missing (media for realtime): only the whole becomes ready.
    if (wanted.length === ORDER.filter((name) => specs[name]).length) {
      await Promise.all(wanted.map((name) => waitReady(specs[name], onLine)));
    }
  } catch (error) {
    await stop();
    throw error;
  }

  const named = (name) => {
    const found = processes[name];
    if (!found) throw new Error(`there is no process ${name}`);
    return found;
  };
  return {
    baseUrl,
    dataDir,
    mode: settings.mode,
    ports: settings.ports,
    env: lock.contents.env,
    processes,
    kill: (name, signal) => named(name).kill(signal),
    waitHealthy: (name) => named(name).waitHealthy(),
    waitReady: (name) => waitReady(specs[name], onLine),
    stop,
  };
}

/** What the running copy on a data directory says of itself; undefined when none runs. */
export function runningStack(dataDir) {
  const file = join(dataDir, 'stack.json');
  if (!existsSync(file)) return undefined;
  const stack = JSON.parse(readFileSync(file, 'utf8'));
  return processIdentity(stack.pid) === stack.identity ? stack : undefined;
}

/** One copy per data directory: two would share a database and be each other's nodes. */
function claim(dataDir) {
  const running = runningStack(dataDir);
  if (running) {
    const where = relative(process.cwd(), dataDir) || dataDir;
    throw new Sorry(
      `Clarion already runs with the data directory ${where} (process ${running.pid}).\n` +
        'For a second copy set CLARION_DATA_DIR and the ports (see .env.example).',
    );
  }
  const file = join(dataDir, 'stack.json');
  const lock = {
    contents: { pid: process.pid, identity: processIdentity(process.pid) },
    write(more) {
      Object.assign(lock.contents, more);
      mkdirSync(dataDir, { recursive: true });
      // A killed process leaves its file behind, and `mode` only applies to new files.
      if (existsSync(file)) chmodSync(file, 0o600);
      writeFileSync(file, JSON.stringify(lock.contents, null, 2), { mode: 0o600 });
    },
    release: () => rmSync(file, { force: true }),
  };
  lock.write({});
  return lock;
}

async function seedDemo(env) {
  const seed = inRoot('packages/core/src/cli/seed-demo.ts');
  if (!existsSync(seed)) return;
  await step('making the demo account', () => exec(node24, [seed], { env, cwd: root }));
}

function postgresSpec(postgres, env) {
  const { command, args, uid, gid, url } = postgres;
  return {
    name: 'postgres',
    command,
    args,
    uid,
    gid,
    cwd: '/',
    env: { PATH: env.PATH, LC_MESSAGES: 'C' },
    stopSignal: 'SIGINT', // "fast": ends the connections that are left
    healthy: () => isServing(url),
  };
}

/** The far end of the demo account's trunk. Where somebody else has its port, calls go to them. */
async function demoCarrierSpec({ embeddedSip }, env, onLine) {
  const port = Number(env.CLARION_DEMO_FAR_END_PORT);
  if (env.CLARION_DEMO !== '1' || !embeddedSip) return undefined;
  if (!(await isUdpPortFree(port))) {
    onLine('carrier', `port ${port} is taken: calls of the demo account go to whoever has it`);
    return undefined;
  }
  return {
    name: 'carrier',
    command: node24,
    args: [inRoot('scripts/child.mjs'), inRoot('scripts/demo-carrier.ts')],
    cwd: root,
    env,
    healthy: () => answersSip('127.0.0.1', port),
  };
}

/** Each program of ours: what to run and how to see that it works. Without `sip` when an outside server is used. */
function appSpecs(settings, env, own, dev) {
  const { ports, embeddedSip } = settings;
  const reach = (address) => (address === '0.0.0.0' ? '127.0.0.1' : address);
  const host = reach(settings.bind);
  const internalHost = reach(env.CLARION_INTERNAL_BIND);
  // The health of media and the worker is beside their metrics, on the internal address.
  const healthHost = (name) => (/^(media|worker)/.test(name) ? internalHost : host);
  const program = (name, entry, { args = [], cwd = root } = {}) => ({
    name,
    command: node24,
    args: [inRoot('scripts/child.mjs'), inRoot(entry), ...args],
    cwd,
    env: { ...env, ...own[name] },
    healthy: () => answers(`http://${healthHost(name)}:${ports[name]}/healthz`),
    readyUrl: `http://${healthHost(name)}:${ports[name]}/readyz`,
  });
  const next = [dev ? 'dev' : 'start', '-p', String(ports.web), '-H', settings.bind];
  return {
    sip: embeddedSip
      ? {
          ...program('sip', 'packages/sip-gateway/src/main.ts'),
          healthy: () => takesConnections(internalHost, ports.sipControl),
          readyUrl: undefined,
        }
      : undefined,
    media: program('media', 'apps/media/src/main.ts'),
    media2: own.media2 && program('media2', 'apps/media/src/main.ts'),
    realtime: program('realtime', 'apps/realtime/src/main.ts'),
    realtime2: own.realtime2 && program('realtime2', 'apps/realtime/src/main.ts'),
    worker: program('worker', 'apps/worker/src/main.ts'),
    web: program('web', 'node_modules/next/dist/bin/next', { args: next, cwd: inRoot('apps/web') }),
  };
}

/** Healthy is alive; ready is connected to what it needs. One that does not become ready is said, not given up. */
async function waitReady({ name, readyUrl }, onLine) {
  if (!readyUrl) return;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await answers(readyUrl))) {
    if (Date.now() > deadline) {
      const state = await fetch(readyUrl).then((response) => response.text(), String);
      return onLine(name, `is not ready: ${state}`);
    }
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
  }
}

/** Asks for nothing but an answer (RFC 3261, section 11). */
function answersSip(host, port) {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const found = (answer) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(() => found(false), PROBE_TIMEOUT_MS);
    socket.once('error', () => found(false));
    socket.once('message', () => found(true));
    socket.bind(0, host, () => {
      const own = `${host}:${socket.address().port}`;
      const id = randomUUID();
      const lines = [
        `OPTIONS sip:${host}:${port} SIP/2.0`,
        `Via: SIP/2.0/UDP ${own};branch=z9hG4bK${id};rport`,
        `From: <sip:probe@${own}>;tag=${id}`,
        `To: <sip:${host}:${port}>`,
        `Call-ID: ${id}`,
        'CSeq: 1 OPTIONS',
        'Max-Forwards: 1',
        'Content-Length: 0',
      ];
      socket.send(`${lines.join('\r\n')}\r\n\r\n`, port, host);
    });
  });
}

function takesConnections(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const found = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => found(false));
    socket.once('error', () => found(false));
    socket.once('connect', () => found(true));
  });
}
