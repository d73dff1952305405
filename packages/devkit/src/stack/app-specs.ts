/** How each process of the system is started and checked. */
import { fileURLToPath } from 'node:url';
import { inRoot, node24, root } from '../paths.ts';
import type { PostgresCommand } from '../postgres/cluster.ts';
import { isServing } from '../postgres/database.ts';
import { isUdpPortFree } from '../settings/free-port.ts';
import { metaSimulatorPage } from '../settings/meta-simulator.ts';
import { reachableAt, type Settings } from '../settings/settings.ts';
import { acceptsConnections, answers, answersSip } from './probes.ts';
import type { AppName } from './process-names.ts';
import type { SecondNodes } from './second-nodes.ts';
import type { ProcessSpec } from './supervise.ts';

const LOOPBACK = '127.0.0.1';
/** Runs a program so that it ends with the process that started it. */
export const CHILD = fileURLToPath(new URL('../program/child.ts', import.meta.url));

export interface AppSpec extends ProcessSpec {
  /** Responds with success once the process is connected to everything that it needs. */
  readyUrl?: string;
}

export function postgresSpec(postgres: PostgresCommand, env: Record<string, string>): ProcessSpec {
  const { command, args, uid, gid, url } = postgres;
  return {
    name: 'postgres',
    command,
    args,
    uid,
    gid,
    cwd: '/',
    env: { PATH: env['PATH'], LC_MESSAGES: 'C' },
    stopSignal: 'SIGINT', // "fast" shutdown: closes the remaining connections
    healthy: () => isServing(url),
  };
}

/** The far end of the demo account's trunk. Undefined if another process uses its port; calls then go to that process. */
export async function demoCarrierSpec(
  { embeddedSip }: Settings,
  env: Record<string, string>,
  onLine: (name: string, line: string) => void,
): Promise<AppSpec | undefined> {
  const port = Number(env['CLARION_DEMO_FAR_END_PORT']);
  if (env['CLARION_DEMO'] !== '1' || !embeddedSip) return undefined;
  if (!(await isUdpPortFree(port))) {
    onLine('carrier', `port ${port} is in use: calls of the demo account go to the process that uses it`);
    return undefined;
  }
  return {
    name: 'carrier',
    command: node24,
    args: [CHILD, inRoot('scripts/demo-carrier.ts')],
    cwd: root,
    env,
    healthy: () => answersSip(LOOPBACK, port),
  };
}

/** WhatsApp for the demo account. Undefined if WhatsApp itself is used. */
export function metaSimulatorSpec({ ports }: Settings, env: Record<string, string>): AppSpec | undefined {
  if (env['CLARION_META_SIMULATOR'] !== '1') return undefined;
  return {
    name: 'whatsapp',
    command: node24,
    // The page's TypeScript becomes JavaScript by an API of Node that is experimental.
    args: ['--disable-warning=ExperimentalWarning', CHILD, inRoot('scripts/demo-whatsapp.ts')],
    cwd: root,
    env,
    healthy: () => answers(metaSimulatorPage(ports)),
  };
}

/**
 * Limits the young generation of the process that serves the pages and the API, in MB for each of its halves. Node's own limit is 64 on a
 * large machine, which a burst of requests or an import fills, and which Node returns late.
 */
export const WEB_FLAGS = ['--max-semi-space-size=16'];

interface Program {
  flags?: string[];
  cwd?: string;
}

/** One process per app. Omits `sip` if an external SIP server is used, and second nodes that were not requested. */
export function appSpecs(
  { bind, ports, embeddedSip }: Settings,
  env: Record<string, string>,
  second: SecondNodes,
  dev: boolean,
): Partial<Record<AppName, AppSpec>> {
  const host = reachableAt(bind);
  const internalHost = reachableAt(env['CLARION_INTERNAL_BIND'] ?? LOOPBACK);
  const program = (name: AppName, entry: string, { flags = [], cwd = root }: Program = {}): ProcessSpec => ({
    name,
    command: node24,
    args: [...flags, CHILD, inRoot(entry)],
    cwd,
    env: { ...env, ...second.own[name] },
    healthy: () => Promise.resolve(true),
  });
  const overHttp = (spec: ProcessSpec, address: string, port: number): AppSpec => ({
    ...spec,
    healthy: () => answers(`http://${address}:${port}/healthz`),
    readyUrl: `http://${address}:${port}/readyz`,
  });
  const media = (name: 'media' | 'media2', port: number) => ({
    ...overHttp(program(name, 'apps/media/src/main.ts'), internalHost, port),
    stopSignal: 'SIGINT' as const, // SIGTERM may wait for the end of its calls
  });
  const realtime = (name: 'realtime' | 'realtime2', port: number) =>
    overHttp(program(name, 'apps/realtime/src/main.ts'), host, port);
  const web = program('web', 'apps/web/server.ts', { flags: WEB_FLAGS, cwd: inRoot('apps/web') });
  const { media2, realtime2 } = second.ports;
  return {
    ...(embeddedSip && {
      sip: {
        ...program('sip', 'packages/sip-gateway/src/main.ts'),
        healthy: () => acceptsConnections(internalHost, ports.sipControl),
      },
    }),
    media: media('media', ports.media),
    ...(media2 !== undefined && { media2: media('media2', media2) }),
    realtime: realtime('realtime', ports.realtime),
    ...(realtime2 !== undefined && { realtime2: realtime('realtime2', realtime2) }),
    worker: overHttp(program('worker', 'apps/worker/src/main.ts'), internalHost, ports.worker),
    web: overHttp(
      // Next has to find NODE_ENV when it is loaded.
      { ...web, env: { ...web.env, NODE_ENV: dev ? 'development' : 'production' } },
      host,
      ports.web,
    ),
  };
}
