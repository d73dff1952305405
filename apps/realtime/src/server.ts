/** Creates the parts of the process (database, sockets, engine, background work), and starts and stops them in order. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { LOOP_SAMPLE_MS } from '@clarion/protocol/process-metrics';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { AgentAccess } from './agents/access.ts';
import { agentNamespaceOf, openAgentNamespace } from './agents/namespace.ts';
import { Presence } from './agents/presence.ts';
import { followChangeNotifications } from './background/change-notifications.ts';
import { Housekeeping } from './background/housekeeping.ts';
import { Leases } from './background/leases.ts';
import { delays, LoadMonitor } from './background/load-monitor.ts';
import { Sweeps } from './background/sweeps.ts';
import { Board } from './board/board.ts';
import { createDeps } from './create-deps.ts';
import { DashboardAccess } from './dashboard/access.ts';
import { dashboardNamespaceOf, openDashboardNamespace } from './dashboard/namespace.ts';
import { Deadlines } from './engine/deadlines.ts';
import { EngineRunner } from './engine/runner.ts';
import { CreditKeeper } from './engine/credit-keeper.ts';
import { WrapUps } from './engine/wrap-ups.ts';
import type { Env } from './env.ts';
import { createHttpServer, createMetricsServer } from './http.ts';
import { Forwards } from './media/forwards.ts';
import { LadderWriter } from './media/ladder-writer.ts';
import { LateLegEnds } from './media/late-leg-ends.ts';
import { LimitedWarnings } from './lib/limited-warnings.ts';
import { withRetries } from './lib/retry.ts';
import { openMediaNamespace } from './media/namespace.ts';
import { MediaNodes } from './media/nodes.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { createNotifyAgent } from './notify/notify-agent.ts';
import { createNotifySession } from './notify/notify-session.ts';
import { openFanOut } from './sockets/fan-out.ts';
import { createSocketServers } from './sockets/socket-servers.ts';
import { TrunkMonitor } from './trunks/trunk-monitor.ts';
import { TrunkTests } from './trunks/trunk-tests.ts';
import { WhatsAppArrivals } from './whatsapp/arrivals.ts';
import { CountedGraph } from './whatsapp/counted-graph.ts';

export interface Realtime {
  port: number;
  metricsPort: number;
  nodeId: string;
  stop(): Promise<void>;
}

export interface RealtimeOptions {
  /** The clock of this host, in milliseconds. */
  hostNow?: () => number;
  /** For how long a dispatch that hangs delays new calls; by default as in engine/runner.ts. */
  dispatchCountsMs?: number;
}

export async function startRealtime(
  env: Env,
  log: Logger,
  { hostNow, dispatchCountsMs }: RealtimeOptions = {},
): Promise<Realtime> {
  const { deps, clock } = createDeps(env, log, () => notifications.isCurrent(), hostNow);
  await clock.start();
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  const factsPutAside = new Counter({
    name: 'clarion_facts_put_aside_total',
    help: 'Media facts that were set aside because they could not be processed, by type',
    labelNames: ['fact'],
    registers: [metrics],
  });
  const invitesRefused = new Counter({
    name: 'clarion_invites_refused_total',
    help: 'INVITEs that were rejected, or left undecided, because of load, by reason',
    labelNames: ['reason'],
    registers: [metrics],
  });
  const load = new LoadMonitor(deps);
  const warnings = new LimitedWarnings(log);
  const media = new MediaNodes(log);
  const http = createHttpServer({
    database: () => deps.db.$queryRaw`select 1`,
    media: async () => {
      if (media.ids.length === 0) throw new Error('no media node is connected');
    },
  });
  const metricsHttp = createMetricsServer(metrics);
  const { people: io, media: mediaIo } = createSocketServers(http, {
    mediaSecret: env.mediaSecret,
    secrets: deps.secrets,
    warnings,
  });
  const agents = agentNamespaceOf(io);
  const dashboards = dashboardNamespaceOf(io);
  const ladders = new LadderWriter(deps);
  const engine = new EngineRunner(
    deps,
    media,
    new CountedGraph(deps, ladders, metrics),
    createNotifyAgent(deps, agents, () => fanOut.published()),
    createNotifySession(dashboards, () => fanOut.published()),
    dispatchCountsMs,
  );
  const monitoring = new Monitoring(deps, engine);
  const board = new Board(deps, agents, dashboards);
  deps.boardFeed.onChange = (change) => board.onChange(change);
  const presence = new Presence(deps, engine, agents, monitoring);
  const forwards = new Forwards(deps, media);
  const leases = new Leases(deps, engine, presence, media, forwards);
  const trunkMonitor = new TrunkMonitor(deps, media);
  leases.onTrunkLease = (heldUntilMs) => trunkMonitor.leaseRenewed(heldUntilMs);
  const deadlines = new Deadlines(deps, engine);
  const wrapUps = new WrapUps(deps, engine, agents);
  const credit = new CreditKeeper(deps, engine);
  engine.onChargedFromNow = (callId) => credit.extend(callId);
  const sweeps = new Sweeps(deps, { engine, deadlines, wrapUps, credit });
  const whatsApp = new WhatsAppArrivals(engine.whatsApp, { warnings, load, metrics });
  const housekeeping = new Housekeeping(deps, { sweeps, leases, presence, whatsApp });
  const mediaNamespace = openMediaNamespace(mediaIo, {
    deps,
    nodes: media,
    engine,
    forwards,
    ladders,
    lateLegEnds: new LateLegEnds(deps),
    warnings,
    onFactPutAside: (fact) => factsPutAside.inc({ fact }),
    load,
    onInviteRefused: (reason) => invitesRefused.inc({ reason }),
  });
  const dashboardAccess = new DashboardAccess(deps, dashboards, monitoring);
  /** After messages of other nodes may have been missed. */
  const updateClients = () =>
    Promise.all([presence.resendAllSessions(), withRetries(() => dashboardAccess.checkAll())]).catch(
      (error: unknown) => log.warn({ err: error }, 'failed to update apps and dashboard pages'),
    );
  leases.onDeclaredDead = () => {
    withRetries(() => deps.otherNodes.introduced())
      .then(() => Promise.all([updateClients(), withRetries(() => board.refreshAll())]))
      .catch((error: unknown) => log.warn({ err: error }, 'failed to update boards'));
  };
  const fanOut = openFanOut(env.databaseUrl, {
    namespaces: [agents.name, dashboards.name],
    log,
    otherNodes: deps.otherNodes,
    onListening: () => void updateClients(),
  });
  io.adapter(fanOut.adapter);
  openAgentNamespace(agents, { deps, engine, nodes: media, presence, monitoring, board });
  openDashboardNamespace(dashboards, { deps, engine, nodes: media, monitoring, board });
  const agentAccess = new AgentAccess(deps, engine, agents, { monitoring, board });
  const notifications = followChangeNotifications(env.databaseUrl, {
    deps,
    names: deps.names,
    otherNodes: deps.otherNodes,
    engine,
    agentAccess,
    dashboardAccess,
    board,
    whatsApp,
    trunkMonitor,
    trunkTests: new TrunkTests(deps, media),
  });
  addGauges(metrics, {
    agents: () => agents.sockets.size,
    dashboards: () => dashboards.sockets.size,
    mediaNodes: () => media.ids.length,
  });
  addDelayGauge(metrics, load);
  addMediaLegsGauge(metrics, media);

  // The node is registered before its first socket, whose row refers to it.
  await leases.beat();
  await fanOut.listening;
  await deps.otherNodes.introduced();
  http.listen(env.port, env.bind);
  metricsHttp.listen(env.metricsPort, env.internalBind);
  await Promise.all([once(http, 'listening'), once(metricsHttp, 'listening')]);
  housekeeping.start();
  load.start();

  return {
    port: portOf(http),
    metricsPort: portOf(metricsHttp),
    nodeId: deps.nodeId,
    async stop() {
      clock.stop();
      deadlines.stop();
      wrapUps.stop();
      await credit.stop();
      whatsApp.stop();
      await trunkMonitor.stop();
      await mediaNamespace.stop();
      await forwards.settled();
      await load.stop();
      await housekeeping.stop();
      await notifications.stop();
      await Promise.all([io.close(), mediaIo.close()]);
      metricsHttp.close();
      metricsHttp.closeAllConnections();
      await board.stop();
      await engine.settled();
      await ladders.stop();
      await leases.resign().catch((error: unknown) => log.warn({ err: error }, 'failed to release leases'));
      await deps.egress.close();
      await deps.prices.close();
      await deps.boardFeed.settled();
      await fanOut.stop();
      await deps.db.$disconnect();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server is not listening');
  return address.port;
}

type Counts = Record<'agents' | 'dashboards' | 'mediaNodes', () => number>;

function addGauges(metrics: Registry, counts: Counts): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(value());
      },
    });
  gauge('clarion_agent_sockets', 'Agent sockets on this node', counts.agents);
  gauge('clarion_dashboard_sockets', 'Dashboard sockets on this node', counts.dashboards);
  gauge('clarion_media_nodes', 'Media nodes connected to this node', counts.mediaNodes);
}

function addDelayGauge(metrics: Registry, load: LoadMonitor): void {
  new Gauge({
    name: 'clarion_delay_seconds',
    help: 'How late this node is: event-loop (median), database (one statement), outbox (oldest effect that is due)',
    labelNames: ['of'],
    registers: [metrics],
    collect() {
      for (const delay of delays) this.set({ of: delay }, load.delayMs(delay) / 1_000);
    },
  });
}

function addMediaLegsGauge(metrics: Registry, media: MediaNodes): void {
  new Gauge({
    name: 'clarion_media_legs',
    help: 'Legs of each media node: its last report, plus the calls assigned to it since',
    labelNames: ['media_node'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const { nodeId, legs } of media.loads) this.set({ media_node: nodeId }, legs);
    },
  });
}
