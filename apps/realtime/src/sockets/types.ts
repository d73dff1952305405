/** The namespaces and sockets of agents and dashboard users, and the data of an authenticated socket. */
import type { Watcher } from '@clarion/core/realtime-ticket/watcher';
import type {
  ClientToServer,
  DashboardMessage,
  DashboardServerMessage,
  ServerToClient,
} from '@clarion/protocol/socket';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';

export interface AgentSocketData {
  agentId: number;
  agentRef: string;
  tenantId: number;
  consumerId: number;
  deviceId: string;
  /** The key that signed its token. */
  signingKeyId: number;
  expiresAt: Date;
}
export type AgentSocket = Socket<ClientToServer, ServerToClient, DefaultEventsMap, AgentSocketData>;
export type AgentNamespace = Namespace<ClientToServer, ServerToClient, DefaultEventsMap, AgentSocketData>;

/** `watcher` is as of the last check. */
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
