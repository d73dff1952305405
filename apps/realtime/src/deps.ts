/** What every part of the process is given. */
import { randomUUID } from 'node:crypto';
import { createEgress } from '@clarion/core/egress/guard';
import type { Egress } from '@clarion/core/egress/guard';
import { createSecretBox } from '@clarion/core/security/secret-box';
import type { SecretBox } from '@clarion/core/security/secret-box';
import { createDatabase } from '@clarion/db';
import type { Database } from '@clarion/db';
import type {
  ClientToServer,
  DashboardMessage,
  DashboardServerMessage,
  ServerToClient,
} from '@clarion/protocol/socket';
import type { Watcher } from '@clarion/core/realtime-ticket/watcher';
import type { Logger } from 'pino';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import type { Turn } from './agents/ice-servers.ts';
import { BoardFeed } from './board/board-feed.ts';
import type { Env } from './env.ts';

export interface Deps {
  db: Database;
  log: Logger;
  secrets: SecretBox;
  /** To the consumers' lookup hooks. */
  egress: Egress;
  /** This process among the realtime nodes; new at every start. */
  nodeId: string;
  ingressDomain: string | null;
  /** Maximum duration of a call. */
  maxCallSeconds: number;
  /** Where the service itself is opened. */
  baseUrl: string;
  /** Null: agents reach media directly. */
  turn: Turn | null;
  /** Told of whatever a supervisors' board may show. */
  boardFeed: BoardFeed;
  now: () => Date;
}

/** What is known of an agent's socket once it was let in. */
export interface AgentSocketData {
  agentId: number;
  agentRef: string;
  tenantId: number;
  consumerId: number;
  deviceId: string;
  /** Of the token it came with. */
  signingKeyId: number;
  expiresAt: Date;
}
export type AgentSocket = Socket<ClientToServer, ServerToClient, DefaultEventsMap, AgentSocketData>;
export type AgentNamespace = Namespace<ClientToServer, ServerToClient, DefaultEventsMap, AgentSocketData>;

/** What is known of a page of the dashboard once it was let in; `watcher` as of the last time it was looked at. */
export interface DashboardSocketData {
  watcher: Watcher;
  deviceId: string;
}
type DashboardToServer = Pick<ClientToServer, DashboardMessage>;
type ServerToDashboard = Pick<ServerToClient, DashboardServerMessage>;
export type DashboardSocket = Socket<
  DashboardToServer,
  ServerToDashboard,
  DefaultEventsMap,
  DashboardSocketData
>;
export type DashboardNamespace = Namespace<
  DashboardToServer,
  ServerToDashboard,
  DefaultEventsMap,
  DashboardSocketData
>;

export function createDeps(env: Env, log: Logger): Deps {
  const nodeId = `realtime-${randomUUID()}`;
  const db = createDatabase(env.databaseUrl);
  return {
    db,
    log,
    secrets: createSecretBox(env.masterKeys),
    egress: createEgress({ allowPrivate: env.allowPrivateEgress }),
    nodeId,
    ingressDomain: env.ingressDomain,
    maxCallSeconds: env.maxCallSeconds,
    baseUrl: env.baseUrl,
    turn: env.turn,
    boardFeed: new BoardFeed({ db }),
    now: () => new Date(),
  };
}
