/** Creates, starts and stops all parts of a media node. */
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg, networkInterfaces } from 'node:os';
import { isIP, type AddressInfo } from 'node:net';
import { storeSettings } from '@clarion/store/settings';
import { createStore } from '@clarion/store/store';
import type { Logger } from 'pino';
import { Calls } from './calls.ts';
import { runCommand } from './commands/index.ts';
import { waitForCalls } from './drain.ts';
import { maySendTo, type NodeContext } from './context.ts';
import { CarrierDns } from './dial/carrier-dns.ts';
import { HopMemory } from './dial/hop-memory.ts';
import { InvitePacer } from './dial/invite-pacer.ts';
import type { Env } from './env.ts';
import { SsrcTracker } from './ssrc-tracker.ts';
import { startHealth } from './health.ts';
import { createMetrics } from './metrics.ts';
import { Ladders } from './ladder/ladders.ts';
import { LadderSender } from './ladder/ladder-sender.ts';
import { ClipCache } from './mix/clip-cache.ts';
import { monotonicMs } from './monotonic-time.ts';
import { PortAllocator } from './ports.ts';
import { Recorder } from './record/recorder.ts';
import { legsNamedBy, RealtimeClient } from './realtime/client.ts';
import { ConnectionFacts } from './realtime/connection-facts.ts';
import { readStored } from './stored-file.ts';
import { Ticker } from './rtp/ticker.ts';
import { SipConnection } from './sip/connection.ts';
import { localEnd } from './sip/leg-end.ts';
import { PROBE_INTERVAL_MS } from './sip/probe.ts';
import { receiveInvite, type InviteHandler } from './sip/receive-invite.ts';
import { RefusalReports } from './sip/refusal-reports.ts';
import { trunkDns, type Dns } from './sip/trunk-addresses.ts';
import { RejectedInvites } from './sip/rejected-invites.ts';
import { UndecidedInvites } from './sip/undecided-invites.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { WHATSAPP_TIMING, type WhatsAppTiming } from './whatsapp/whatsapp-leg.ts';
import { Watchdog } from './watchdog.ts';
import { WorkerPool } from './worker-pool.ts';

/** How long a stopping node waits for BYEs and facts to be sent. */
const STOP_FLUSH_MS = 2_000;

export interface MediaNode {
  /** Port of the health and metrics server. */
  readonly port: number;
  readonly calls: Calls;
  readonly realtime: RealtimeClient;
  /** Takes no new calls and waits for those that it has. @returns whether they have ended within the limit */
  drain: (limitMs: number) => Promise<boolean>;
  close: () => Promise<void>;
}

const OVERLOADED = localEnd('media-error', 'realtime is overloaded', {
  sipStatus: 503,
  reason: 'overloaded',
});

export interface MediaNodeOverrides {
  rtpTimeoutMs?: number;
  orphanMs?: number;
  watchdogIntervalMs?: number;
  probeIntervalMs?: number;
  whatsAppTiming?: WhatsAppTiming;
  /** `address:port` of name servers for carriers' host names, instead of the system's. */
  dnsServers?: readonly string[];
  dns?: Dns;
}

export async function startMediaNode(
  env: Env,
  log: Logger,
  overrides: MediaNodeOverrides = {},
): Promise<MediaNode> {
  const publicAddress = env.CLARION_PUBLIC_IP ?? reachableAddress(env.CLARION_BIND);
  const ports = new PortAllocator(env.CLARION_BIND, env.CLARION_RTP_PORTS);
  const ticker = new Ticker();
  const settings = storeSettings(env);
  const store = createStore(settings, null);
  const clips = new ClipCache({ read: (key, maxBytes) => readStored(store, settings, key, maxBytes), log });
  const invites = new Set<Promise<void>>();
  let accepting = true;
  let draining = false;

  const pool = await WorkerPool.start({
    bin: env.MEDIASOUP_WORKER_BIN,
    count: env.CLARION_MEDIA_WORKERS,
    bindAddress: env.CLARION_BIND,
    announcedAddress: publicAddress,
    webRtcPort: env.CLARION_WEBRTC_PORT,
    log,
    onDropped: (media, dropped) => follower.dropped(media, dropped),
    onDeath: (media) => calls.workerDied(media),
  });
  const realtime: RealtimeClient = new RealtimeClient({
    urls: env.CLARION_REALTIME_URLS,
    secret: env.CLARION_MEDIA_SECRET,
    handshake: {
      nodeId: env.CLARION_NODE_ID,
      startedAt: new Date().toISOString(),
      capacity: ports.capacity,
    },
    log,
    legs: () => calls.summaries(),
    invitesSettled: async () => void (await Promise.allSettled(invites)),
    load: () => ({ legs: calls.legCount, cpu: (loadavg()[0] ?? 0) / availableParallelism(), draining }),
    onCommand: async (command, payload) => {
      const startedMs = monotonicMs();
      const reply = await runCommand(node, command, payload);
      ladders.command(command, payload, reply, startedMs);
      removeStaleClaims(node, realtime, payload);
      return reply;
    },
  });
  const ladderSender = new LadderSender({
    deliver: (finished) => realtime.deliverLadders(finished),
    nowMs: monotonicMs,
    log,
  });
  const ladders: Ladders = new Ladders({
    nowMs: monotonicMs,
    isLive: (callId) => calls.find(callId) !== undefined,
    onFinished: (ladder) => ladderSender.add(ladder),
  });
  const connections = new ConnectionFacts((fact, payload, options) =>
    realtime.report(fact, payload, options),
  );
  const report: NodeContext['report'] = (fact, payload) => {
    ladders.fact(fact, payload);
    connections.report(fact, payload);
  };
  const recorder = new Recorder({
    dataDir: settings.dataDir,
    store,
    log,
    report: ({ fact, payload }, onAcked) => realtime.report(fact, payload, { onAcked }),
  });
  const calls: Calls = new Calls({
    pool,
    ports,
    log,
    report,
    onLegRemoved: (legId) => realtime.removeLeg(legId),
    onCallRemoved: (callId) => {
      recorder.remove(callId);
      realtime.removeCall(callId);
      ladders.callRemoved(callId);
    },
    onLegsChanged: (callId) => {
      recorder.sync(callId);
      realtime.loadChanged();
    },
  });
  const follower = new SsrcTracker((media) => calls.legsOnMediasoup(media), log);
  const undecided = new UndecidedInvites((request, end) => {
    const { legId } = request;
    realtime.report('invite:withdrawn', { callId: null, legId, at: new Date().toISOString(), request, end });
  });
  const rejected = new RejectedInvites((request) => {
    const { legId } = request;
    const at = new Date().toISOString();
    realtime.report('invite:withdrawn', { callId: null, legId, at, request, end: OVERLOADED });
  });
  const sip: SipConnection = new SipConnection({
    host: env.DRACHTIO_HOST,
    port: env.DRACHTIO_PORT,
    secret: env.DRACHTIO_SECRET,
    log,
    onInvite: (req, res) => {
      const handled = receiveInvite(inviteHandler, req, res);
      invites.add(handled);
      return handled.finally(() => invites.delete(handled));
    },
    onFrame: (frame) => ladders.captureFrame(frame),
    onLost: () => {
      undecided.withdrawAll(localEnd('media-error', 'the connection to the SIP server was lost'));
      return abandonCarrierLegs(calls);
    },
  });
  const node: NodeContext = {
    bindAddress: env.CLARION_BIND,
    publicAddress,
    allowPrivateAddresses: env.CLARION_ALLOW_PRIVATE_EGRESS,
    log,
    srf: sip.srf,
    dns: overrides.dns ?? trunkDns(env.CLARION_ALLOW_PRIVATE_EGRESS),
    sipTlsCa: env.CLARION_SIP_TLS_CA === undefined ? undefined : readFileSync(env.CLARION_SIP_TLS_CA, 'utf8'),
    sipUp: () => sip.up,
    dial: {
      dns: new CarrierDns({
        family: isIP(env.CLARION_BIND) === 6 ? 6 : 4,
        localNames: env.CLARION_ALLOW_PRIVATE_EGRESS,
        ...(overrides.dnsServers && { servers: overrides.dnsServers }),
      }),
      memory: new HopMemory(),
      pacer: new InvitePacer(),
      maySendTo: (address) => maySendTo(node)(address),
      random: Math.random,
      passesTrying: () => sip.passesTrying,
    },
    probeIntervalMs: overrides.probeIntervalMs ?? PROBE_INTERVAL_MS,
    whatsAppTiming: overrides.whatsAppTiming ?? WHATSAPP_TIMING,
    ports,
    ticker,
    clips,
    calls,
    recorder,
    commandMutex: new KeyedMutex(),
    report,
    reportAnswering: (customerLegId, agent) => {
      ladders.fact('leg:connected', agent);
      connections.answering(customerLegId, agent);
    },
    ladders,
  };
  const inviteHandler: InviteHandler = {
    node,
    nodeId: env.CLARION_NODE_ID,
    requestDecision: (request, withdrawn) => realtime.requestDecision(request, withdrawn),
    rejectionOf: (sourceAddress) => realtime.rejectionOf(sourceAddress),
    onRejected: (request) => rejected.note(request),
    undecided,
    refusalReports: new RefusalReports(),
    accepting: () => accepting && pool.size > 0,
  };
  const watch = new Watchdog({
    calls,
    log,
    ...overrides,
    realtimeNodes: () => realtime.connected,
    isClaimed: (callId) => realtime.isClaimed(callId),
  });
  const registry = createMetrics({
    calls,
    realtimeNodes: () => realtime.connected,
    unreportedFacts: () => realtime.unreportedFacts,
    rtpPortsInUse: () => ports.inUse,
    sipUp: () => sip.up,
    draining: () => draining,
    rejectedInvites: () => rejected.count,
    recordings: () => recorder.counts,
  });
  const health = await startHealth({
    host: env.CLARION_INTERNAL_BIND,
    port: env.CLARION_MEDIA_PORT,
    registry,
    dependencies: () => ({ sip: sip.up, realtime: realtime.connected > 0, workers: pool.size > 0 }),
    draining: () => draining,
  });
  sip.connect();
  await realtime.start();
  recorder.start();
  watch.start();

  const drain = (limitMs: number): Promise<boolean> => {
    draining = true;
    sip.stopInvites();
    realtime.sendLoad();
    const invitesDecided = async () => void (await Promise.allSettled(invites));
    const recordings = () => recorder.counts.live + recorder.counts.pending;
    return waitForCalls({ calls, invitesDecided, recordings, limitMs, log });
  };

  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    accepting = false;
    watch.stop();
    undecided.withdrawAll(localEnd('media-error', 'the media node is stopping', { sipStatus: 503 }));
    for (const leg of calls.legs) {
      calls.hangup(leg, { status: 503, end: localEnd('media-error', 'the media node is stopping') });
    }
    await calls.closed();
    await recorder.close();
    ladders.close();
    await ladderSender.flush();
    await realtime.close(STOP_FLUSH_MS);
    sip.close();
    pool.close();
    await new Promise((resolve) => health.close(resolve));
  };
  return {
    port: (health.address() as AddressInfo).port,
    calls,
    realtime,
    drain,
    close: () => (closing ??= close()),
  };
}

/**
 * An address that others can send to. For a socket bound to all addresses, the first external address of the machine.
 */
function reachableAddress(bind: string): string {
  if (bind !== '0.0.0.0') return bind;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

/** Removes what the client stored for a command whose call or leg does not exist. */
function removeStaleClaims({ calls }: NodeContext, realtime: RealtimeClient, payload: unknown): void {
  const { callId } = (payload ?? {}) as { callId?: unknown };
  const call = typeof callId === 'number' ? calls.find(callId) : undefined;
  if (typeof callId === 'number' && !call) realtime.removeCall(callId);
  for (const legId of legsNamedBy(payload)) if (!call?.legs.has(legId)) realtime.removeLeg(legId);
}

/** Ends every carrier leg. @returns the dialogs that the SIP server may still have */
function abandonCarrierLegs(calls: Calls): string[] {
  const dialogs: string[] = [];
  for (const leg of calls.legs) {
    const signalling = calls.signalling(leg.legId);
    if (!signalling) continue;
    if (signalling.dialogId !== null) dialogs.push(signalling.dialogId);
    signalling.abandon();
  }
  return dialogs;
}
