/** Dependencies of every part of the process. */
import type { StepMemory } from '@clarion/core/call-engine/step-memory';
import type { TrunkCache } from '@clarion/core/call-engine/trunk-cache';
import type { MemoryPrices } from '@clarion/core/price-book/memory-prices';
import type { GraphClient } from '@clarion/core/whatsapp/graph-client';
import type { Egress } from '@clarion/core/egress/guard';
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Agent, Database, Prisma } from '@clarion/db';
import type { DialLine } from '@clarion/protocol/socket';
import type { Logger } from 'pino';
import type { Env } from './env.ts';

export interface Deps {
  db: Database;
  log: Logger;
  secrets: SecretBox;
  /** For requests to the accounts' lookup URLs. */
  egress: Egress;
  /** Development only: the hosts of lookup URLs and push services may be private. */
  allowPrivateEgress: boolean;
  /** Meta's API for calls on WhatsApp lines. */
  graph: GraphClient;
  /** This process's ID among the realtime nodes; new at every start. */
  nodeId: string;
  ingressDomain: string | null;
  /** Maximum duration of a call. */
  maxCallSeconds: number;
  /** The public address of the service. */
  baseUrl: string;
  /** Null: agents reach media directly. */
  turn: Env['turn'];
  boardFeed: BoardFeed;
  names: Names;
  agentRows: AgentRows;
  /** Cached. */
  trunks: TrunkCache;
  /** In memory. */
  prices: MemoryPrices;
  /** The live calls that this node stepped last. */
  memory: StepMemory;
  now: () => Date;
}

export interface AgentName {
  id: number;
  ref: string;
  name: string;
}
export type QueueName = AgentName;
export interface ChannelName {
  id: number;
  address: string;
  displayName: string | null;
}

/** What rows of other tables are called, as messages show them; null if there is no such row. Cached. */
export interface Names {
  agent(id: number): Promise<AgentName | null>;
  queue(id: number): Promise<QueueName | null>;
  channel(id: number): Promise<ChannelName | null>;
}

/** An agent who may have a socket. */
export interface ConnectableAgent {
  id: number;
  currentCallId: number | null;
  /** The keys of the account that are not revoked. */
  signingKeyIds: number[];
}

export type AgentOfSession = Prisma.AgentGetPayload<{
  include: {
    tenant: { select: { ref: true; name: true; settings: true; consumerId: true } };
    memberships: { select: { queue: { select: { id: true; ref: true; name: true; strategy: true } } } };
  };
}>;

export type CallWithState = Prisma.CallGetPayload<{
  include: { tenant: { select: { ref: true } }; live: { select: { state: true; version: true } } };
}>;

/** What is read when an agent's app connects. */
export interface AgentRows {
  /** Null: the agent is deleted, or the tenant or the account is suspended. */
  connectable(agentId: number): Promise<ConnectableAgent | null>;
  agent(agentId: number): Promise<AgentOfSession | null>;
  call(callId: number): Promise<CallWithState | null>;
  /** The lines that the agent's outbound calls may use: active lines of the tenant that can place calls, shared or owned by the agent. */
  dialLines(agent: Pick<Agent, 'id' | 'tenantId'>): Promise<DialLine[]>;
  /** The key with which browsers subscribe; null: the account has not set up web push. */
  webPushKey(consumerId: number): Promise<string | null>;
}

/** Notifies every realtime node of changes that a tenant's board may show. */
export interface BoardFeed {
  /**
   * Without a call: only the figures of queues and agents have changed.
   * Resolves once the other nodes are notified; this node's board is notified immediately.
   */
  changed(tenantId: number, callId?: number): Promise<void>;
  /** Resolves when no notification is in flight. */
  settled(): Promise<void>;
}
