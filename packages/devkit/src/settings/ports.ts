import { UserError } from '../terminal/log.ts';
import { freePort, isPortFree, isUdpPortFree, reservePort } from './free-port.ts';

export type PortName =
  | 'web'
  | 'realtime'
  | 'media'
  | 'worker'
  | 'webMetrics'
  | 'realtimeMetrics'
  | 'sip'
  | 'sipTls'
  | 'sipControl'
  | 'webrtc'
  | 'metaGraph'
  | 'metaControl';

export type Ports = Record<PortName, number>;
type Env = Record<string, string | undefined>;

interface Port {
  /** The setting for a port other than the default. */
  variable: string;
  port: number;
  protocols: readonly ('tcp' | 'udp')[];
  /** The port is not used from outside this machine, so that a second copy can choose another one automatically. */
  internal?: true;
}

export const PORTS: Record<PortName, Port> = {
  web: { variable: 'CLARION_WEB_PORT', port: 3000, protocols: ['tcp'] },
  realtime: { variable: 'CLARION_REALTIME_PORT', port: 3001, protocols: ['tcp'] },
  media: { variable: 'CLARION_MEDIA_PORT', port: 3002, protocols: ['tcp'] },
  worker: { variable: 'CLARION_WORKER_PORT', port: 3003, protocols: ['tcp'], internal: true },
  webMetrics: { variable: 'CLARION_WEB_METRICS_PORT', port: 3004, protocols: ['tcp'], internal: true },
  realtimeMetrics: {
    variable: 'CLARION_REALTIME_METRICS_PORT',
    port: 3005,
    protocols: ['tcp'],
    internal: true,
  },
  sip: { variable: 'CLARION_SIP_PORT', port: 5060, protocols: ['tcp', 'udp'] },
  sipTls: { variable: 'CLARION_SIP_TLS_PORT', port: 5061, protocols: ['tcp'], internal: true },
  sipControl: { variable: 'CLARION_SIP_CONTROL_PORT', port: 9022, protocols: ['tcp'], internal: true },
  webrtc: { variable: 'CLARION_WEBRTC_PORT', port: 40443, protocols: ['tcp', 'udp'] },
  metaGraph: {
    variable: 'CLARION_META_SIMULATOR_PORT',
    port: 4620,
    protocols: ['tcp'],
    internal: true,
  },
  metaControl: {
    variable: 'CLARION_META_SIMULATOR_CONTROL_PORT',
    port: 4621,
    protocols: ['tcp'],
    internal: true,
  },
};

const LOOPBACK = '127.0.0.1';

/** Served on CLARION_INTERNAL_BIND. */
const ON_INTERNAL_BIND = new Set<PortName>([
  'media',
  'worker',
  'webMetrics',
  'realtimeMetrics',
  'sipControl',
]);

/** The simulator of WhatsApp is on loopback, whatever the bind addresses are. */
const ON_LOOPBACK = new Set<PortName>(['metaGraph', 'metaControl']);

export const portNames = Object.keys(PORTS) as PortName[];

/** Builds a value for each port. */
const forEachPort = <T>(valueOf: (name: PortName, i: number) => T): Record<PortName, T> =>
  Object.fromEntries(portNames.map((name, i) => [name, valueOf(name, i)])) as Record<PortName, T>;

/** Free ports, for TCP and UDP, for another copy of the whole system. */
export async function freeStackPorts(host = '127.0.0.1'): Promise<Ports> {
  const ports = new Set<number>();
  while (ports.size < portNames.length) ports.add(await freePort(host));
  const free = [...ports];
  return forEachPort((_, i) => free[i] ?? 0);
}

/** The settings that make each process use these ports. */
export const portSettings = (ports: Ports): Record<string, string> =>
  Object.fromEntries(portNames.map((name) => [PORTS[name].variable, String(ports[name])]));

/** Which ports must be free: none, all, or all but those of an embedded SIP gateway that is not used. */
export type PortCheck = 'none' | 'all' | 'but sip';

/** `given` takes precedence over `env`. @throws UserError with the setting of a port that is taken */
export async function choosePorts(
  env: Env,
  given: Partial<Ports>,
  { bind, internalBind }: { bind: string; internalBind: string },
  check: PortCheck,
): Promise<Ports> {
  const chosen: Partial<Ports> = {};
  const wantedPorts = forEachPort((name) => wantedPort(name, env, given));
  // Their processes start later than others that choose a free port, such as the database.
  for (const name of portNames) reservePort(wantedPorts[name] ?? PORTS[name].port);
  for (const name of portNames) {
    const { variable, port: standard, protocols, internal } = PORTS[name];
    const wanted = wantedPorts[name];
    const needed = check === 'all' || (check === 'but sip' && !name.startsWith('sip'));
    const port = wanted ?? standard;
    const address = ON_LOOPBACK.has(name) ? LOOPBACK : ON_INTERNAL_BIND.has(name) ? internalBind : bind;
    // With a certificate, the TLS port is public.
    const movable = internal && wanted === undefined && !(name === 'sipTls' && env['CLARION_SIP_TLS_CERT']);
    if (!needed || (await isFree(port, protocols, address))) chosen[name] = port;
    else if (movable) chosen[name] = await freePort(address);
    else throw new UserError(`port ${port} is taken: set ${variable} to another one (see .env.example)`);
  }
  return forEachPort((name) => chosen[name] ?? PORTS[name].port);
}

function wantedPort(name: PortName, env: Env, given: Partial<Ports>): number | undefined {
  const { variable } = PORTS[name];
  const wanted = given[name] ?? (env[variable] ? Number(env[variable]) : undefined);
  if (wanted !== undefined && !(Number.isInteger(wanted) && wanted > 0 && wanted < 65_536)) {
    throw new UserError(`${variable} must be a port number, not ${env[variable]}`);
  }
  return wanted;
}

async function isFree(port: number, protocols: Port['protocols'], bind: string): Promise<boolean> {
  for (const protocol of protocols) {
    if (!(await (protocol === 'udp' ? isUdpPortFree : isPortFree)(port, bind))) return false;
  }
  return true;
}
