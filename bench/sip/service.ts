/** Our gateway and media node as processes, connected to a simulated realtime node, which decides on every INVITE immediately. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ensureMediasoupWorker } from '@clarion/devkit/prepare/mediasoup-worker';
import { freePort } from '@clarion/devkit/settings/free-port';
import { acceptance, FakeRealtime } from '../../apps/media/test/support/fake-realtime.ts';

const SECRET = 'bench-secret';
const ROOT = join(import.meta.dirname, '../..');
/** Pairs of ports: a port is not used again for a while. */
const RTP_PORTS = 4_000;
/** Media keeps the call until it is released, which realtime does at its end. */
const RELEASE_AFTER_MS = 500;
const LEG_SETTLE_MS = 2;

export interface Service {
  sipPort: number;
  pids: { gateway: number | undefined; media: number | undefined };
  /** Whether INVITEs become calls, which are answered immediately, or get a 404. */
  accepts: boolean;
  stop: () => Promise<void>;
}

/** `flags`: Node flags of both processes, for profiling. */
export async function startService(flags: readonly string[] = []): Promise<Service> {
  const controlPort = await freePort();
  const gateway = run(flags, 'packages/sip-gateway/src/main.ts', {
    CLARION_SIP_SECRET: SECRET,
    CLARION_BIND: '127.0.0.1',
    CLARION_SIP_PORT: '0',
    CLARION_SIP_CONTROL_PORT: String(controlPort),
  });
  const sipPort = await readyPort(gateway);
  const realtime = await FakeRealtime.start();
  const first = 20_000 + 2 * randomInt(0, 2_000);
  const media = run(flags, 'apps/media/src/main.ts', {
    CLARION_MEDIA_PORT: String(await freePort()),
    CLARION_WEBRTC_PORT: '0',
    CLARION_RTP_PORTS: `${first}-${first + 2 * RTP_PORTS - 1}`,
    CLARION_REALTIME_URLS: realtime.url,
    CLARION_MEDIA_SECRET: SECRET,
    CLARION_NODE_ID: 'bench-sip',
    CLARION_LOG_LEVEL: 'warn',
    MEDIASOUP_WORKER_BIN: await ensureMediasoupWorker(),
    DRACHTIO_PORT: String(controlPort),
    DRACHTIO_SECRET: SECRET,
  });
  media.stdout?.resume();
  await realtime.connected();
  let calls = 0;
  const service: Service = {
    sipPort,
    pids: { gateway: gateway.pid, media: media.pid },
    accepts: false,
    async stop() {
      await Promise.all([ended(media), ended(gateway)]);
      await realtime.stop();
    },
  };
  realtime.decide = ({ legId }) => {
    // Not kept: thousands of them would slow this process down.
    realtime.invites.length = 0;
    realtime.facts.length = 0;
    if (!service.accepts) return { action: 'reject', status: 404, reason: 'Not Found' };
    const callId = ++calls;
    void answer(realtime, callId, legId);
    return acceptance(callId, { sourceCidrs: ['127.0.0.1'] });
  };
  return service;
}

/** Answers the call once media has created its leg, and releases it when the caller has hung up. */
async function answer(realtime: FakeRealtime, callId: number, legId: string): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LEG_SETTLE_MS));
    const reply = await realtime.send('carrier:answer', { callId, legId });
    if (reply.ok || reply.error.code !== 'unknown_leg') break;
  }
  await new Promise((resolve) => setTimeout(resolve, RELEASE_AFTER_MS));
  await realtime.send('call:release', { callId });
}

function run(flags: readonly string[], main: string, env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [...flags, join(ROOT, main)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CLARION_PRODUCTION: '0', CLARION_ALLOW_PRIVATE_EGRESS: '1', ...env },
  });
  // Also if the benchmark fails.
  process.once('exit', () => child.kill());
  return child;
}

async function readyPort({ stdout }: ChildProcess): Promise<number> {
  for await (const line of createInterface(stdout as Readable)) {
    const { sipPort } = JSON.parse(line) as { sipPort?: number };
    if (sipPort !== undefined) return sipPort;
  }
  throw new Error('the gateway did not start');
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
