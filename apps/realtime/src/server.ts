/** Puts the process together: database, sockets, engine, housekeeping; starts it and stops it in order. */
import { once } from 'node:events';
import { createPool } from '@clarion/db';
import { createAdapter } from '@socket.io/postgres-adapter';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Server } from 'socket.io';
import { agentNamespaceOf, openAgentNamespace } from './agents/namespace.ts';
import { Monitoring } from './agents/monitoring.ts';
import { Presence } from './agents/presence.ts';
import { Removals } from './agents/removals.ts';
import { createTell } from './agents/tell.ts';
import { Board } from './board/board.ts';
import { dashboardNamespaceOf, openDashboardNamespace } from './dashboard/namespace.ts';
import { DashboardRemovals } from './dashboard/removals.ts';
import { createTellSession } from './dashboard/tell-session.ts';
import { createDeps } from './deps.ts';
import { Deadlines } from './engine/deadlines.ts';
import { followHints } from './engine/hints.ts';
import { Housekeeping } from './engine/housekeeping.ts';
import { Leases } from './engine/leases.ts';
import { Engine } from './engine/runner.ts';
import { WrapUps } from './engine/wrap-ups.ts';
import type { Env } from './env.ts';
import { createHttpServer } from './http.ts';
import { openMediaNamespace } from './media/namespace.ts';
import { MediaNodes } from './media/nodes.ts';

/** The largest message on the port is a media node's list of legs; an agent's messages have their own, smaller limit. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** A phone that loses its network is noticed within interval + timeout, well inside the agent's grace of 30 s. */
const PING_INTERVAL_MS = 5_000;
const PING_TIMEOUT_MS = 7_000;
/** The adapter's listener and its publications. */
const ADAPTER_CONNECTIONS = 3;

export interface Realtime {
  port: number;
  nodeId: string;
  stop(): Promise<void>;
}

export async function startRealtime(env: Env, log: Logger): Promise<Realtime> {
  const deps = createDeps(env, log);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const media = new MediaNodes(log);
  const http = createHttpServer({
    metrics,
    checks: {
      database: () => deps.db.$queryRaw`select 1`,
      media: async () => {
        if (media.ids.length === 0) throw new Error('no media node is connected');
      },
    },
  });
  const io = new Server(http, {
    path: '/socket.io',
    addTrailingSlash: false,
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    pingInterval: PING_INTERVAL_MS,
    pingTimeout: PING_TIMEOUT_MS,
    cors: { origin: true },
    serveClient: false,
  });
  const pool = createPool(env.databaseUrl, {
    connections: ADAPTER_CONNECTIONS,
    onError: (error) => log.warn({ err: error }, 'the fan-out between nodes lost its connection'),
  });
  io.adapter(createAdapter(pool, { errorHandler: (error) => log.warn({ err: error }, 'fan-out failed') }));

  const agents = agentNamespaceOf(io);
  const dashboards = dashboardNamespaceOf(io);
  const engine = new Engine(deps, media, createTell(deps, agents), createTellSession(dashboards));
  const monitoring = new Monitoring(deps, engine);
  const board = new Board(deps, agents, dashboards);
  const presence = new Presence(deps, engine, agents, monitoring);
  const leases = new Leases(deps, engine, presence, media);
  const deadlines = new Deadlines(deps, engine);
  const wrapUps = new WrapUps(deps, engine, agents);
  const housekeeping = new Housekeeping(deps, { engine, deadlines, wrapUps, leases, presence });
  const mediaNamespace = openMediaNamespace(io, { deps, nodes: media, engine, secret: env.mediaSecret });
  openAgentNamespace(agents, { deps, engine, nodes: media, presence, monitoring, board });
  openDashboardNamespace(dashboards, { deps, engine, nodes: media, monitoring, board });
  const removals = new Removals(deps, engine, agents, { monitoring, board });
  const hints = followHints(env.databaseUrl, {
    deps,
    engine,
    removals,
    dashboards: new DashboardRemovals(deps, dashboards, monitoring),
    board,
  });
  countThings(metrics, {
    agents: () => agents.sockets.size,
    dashboards: () => dashboards.sockets.size,
    mediaNodes: () => media.ids.length,
  });

  // Registered before the first socket: its row names this node.
  await leases.beat();
  http.listen(env.port, env.bind);
  await once(http, 'listening');
  housekeeping.start();
  const address = http.address();

  return {
    port: typeof address === 'object' && address ? address.port : env.port,
    nodeId: deps.nodeId,
    async stop() {
      deadlines.stop();
      wrapUps.stop();
      mediaNamespace.stop();
      await housekeeping.stop();
      await hints.stop();
      await io.close();
      await board.stop();
      await engine.settled();
      await leases
        .resign()
        .catch((error: unknown) => log.warn({ err: error }, 'leases were not handed back'));
      await deps.egress.close();
      await deps.boardFeed.settled();
      await pool.end();
      await deps.db.$disconnect();
    },
  };
}

type Counts = Record<'agents' | 'dashboards' | 'mediaNodes', () => number>;

function countThings(metrics: Registry, counts: Counts): void {
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
  gauge('clarion_dashboard_sockets', 'Dashboard pages that watch on this node', counts.dashboards);
  gauge('clarion_media_nodes', 'Media nodes connected to this node', counts.mediaNodes);
}
