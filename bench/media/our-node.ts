/** Our media node as a process under test: the real apps/media with the SIP gateway, connected to a simulated realtime node. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordPlan, Route } from '@clarion/protocol/media';
import { startSipGateway, type SipGateway } from '@clarion/sip-gateway';
import { FakeRealtime } from '../../apps/media/test/support/fake-realtime.ts';
import { ensureMediasoupWorker } from '@clarion/devkit/prepare/mediasoup-worker';
import { freePort } from '@clarion/devkit/settings/free-port';
import type { Ends } from './ends-process.ts';
import type { System } from './system.ts';

const SECRET = 'bench-secret';
const MAIN = join(import.meta.dirname, '../../apps/media/src/main.ts');
/** Pairs of ports that a node may need. */
const RTP_PORTS = 800;
const HANDED_OVER_WITHIN_MS = 5_000;

export interface OurCall {
  carrier: string;
  agents: string[];
}

export class OurNode implements System {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #gateway: SipGateway;
  readonly realtime: FakeRealtime;
  readonly #metricsPort: number;
  #revision = 1;

  private constructor(
    name: string,
    child: ChildProcess,
    gateway: SipGateway,
    realtime: FakeRealtime,
    metricsPort: number,
  ) {
    this.name = name;
    this.#child = child;
    this.#gateway = gateway;
    this.realtime = realtime;
    this.#metricsPort = metricsPort;
  }

  /** `local`: no leg is handed over to mediasoup. `flags`: Node flags, for profiling. */
  static async start(
    name: string,
    { local, env = {}, flags = [] }: { local: boolean; env?: Record<string, string>; flags?: string[] },
  ): Promise<OurNode> {
    const gateway = await startSipGateway({ secret: SECRET, sipPort: 0, controlPort: 0 });
    const realtime = await FakeRealtime.start();
    realtime.decide = ({ requestUser }) => ({
      action: 'accept',
      callId: callIdOf(requestUser),
      sourceCidrs: ['127.0.0.0/8'],
      localEndpointOnly: local,
      codecs: ['PCMA', 'PCMU'],
      srtp: false,
    });
    const first = 20_000 + 2 * randomInt(0, 2_000);
    const metricsPort = await freePort();
    const child = spawn(process.execPath, [...flags, MAIN], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        CLARION_MEDIA_PORT: String(metricsPort),
        CLARION_WEBRTC_PORT: '0',
        CLARION_RTP_PORTS: `${first}-${first + 2 * RTP_PORTS - 1}`,
        CLARION_REALTIME_URLS: realtime.url,
        CLARION_MEDIA_SECRET: SECRET,
        CLARION_NODE_ID: `bench-${name}`,
        CLARION_LOG_LEVEL: 'warn',
        MEDIASOUP_WORKER_BIN: await ensureMediasoupWorker(),
        DRACHTIO_PORT: String(gateway.controlPort),
        DRACHTIO_SECRET: SECRET,
        ...env,
      },
    });
    await realtime.connected();
    return new OurNode(name, child, gateway, realtime, metricsPort);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** A call with one browser: each hears the other. */
  async connect(ends: Ends, call: number): Promise<void> {
    const { carrier, agents } = await this.join(ends, call, 1);
    const [agent = ''] = agents;
    await this.route(call, { [carrier]: [hear(agent)], [agent]: [hear(carrier)] });
  }

  /** A carrier leg and `browsers` browsers in one call, not yet connected with each other. */
  async join(ends: Ends, call: number, browsers: number): Promise<OurCall> {
    const sip = { host: '127.0.0.1', port: this.#gateway.sipPort };
    const number = `+44207946${String(call).padStart(5, '0')}`;
    await ends.tell({ ask: 'dial', call, number, sip });
    const carrier =
      this.realtime.invites.find((invite) => callIdOf(invite.requestUser) === call)?.legId ?? '';
    const agents: string[] = [];
    for (let leg = 0; leg < browsers; leg += 1) {
      const legId = `agent-${call}-${leg}`;
      const sdpOffer = await ends.sdp({ ask: 'offer', call, leg });
      const { sdpAnswer } = await this.realtime.command('agent:connect', { callId: call, legId, sdpOffer });
      await ends.tell({ ask: 'accept', call, leg, sdp: sdpAnswer });
      await this.realtime.fact('leg:connected', legId);
      agents.push(legId);
    }
    await this.realtime.command('carrier:answer', { callId: call, legId: carrier });
    await ends.tell({ ask: 'answered', call });
    await this.realtime.fact('leg:connected', carrier);
    return { carrier, agents };
  }

  async route(
    callId: number,
    route: Route,
    record: (RecordPlan & { storageKey: string }) | null = null,
  ): Promise<void> {
    const revision = this.#revision;
    this.#revision += 1;
    await this.realtime.command('call:route', { callId, revision, route, record });
  }

  /** Resolves when mediasoup serves this many carrier legs. */
  async handedOver(calls: number): Promise<void> {
    const deadline = Date.now() + HANDED_OVER_WITHIN_MS;
    while ((await this.#metric('carrier_legs_handed_over')) < calls) {
      if (Date.now() > deadline) throw new Error(`not all of ${calls} calls were handed over`);
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    const ended = this.#child.exitCode === null ? once(this.#child, 'exit') : null;
    this.#child.kill('SIGTERM');
    await ended;
    await this.realtime.stop();
    await this.#gateway.close();
  }

  async #metric(name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`)).text();
    return Number(new RegExp(`^clarion_media_${name} (\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN);
  }
}

export const hear = (legId: string) => ({ kind: 'leg' as const, legId });

const callIdOf = (user: string): number => Number(user.slice(-5));
