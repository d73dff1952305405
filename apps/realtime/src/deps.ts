/** Dependencies of every part of the process. */
import type { Egress } from '@clarion/core/egress/guard';
import type { SecretBox } from '@clarion/core/security/secret-box';
import type { Database } from '@clarion/db';
import type { Logger } from 'pino';
import type { Env } from './env.ts';

export interface Deps {
  db: Database;
  log: Logger;
  secrets: SecretBox;
  /** For requests to the accounts' lookup URLs. */
  egress: Egress;
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
  now: () => Date;
}

/** Notifies every realtime node of changes that a tenant's board may show. */
export interface BoardFeed {
  /**
   * Without a call: only the figures of queues and agents have changed.
   * Resolves once the notification is sent.
   */
  changed(tenantId: number, callId?: number): Promise<void>;
  /** Resolves when no notification is in flight. */
  settled(): Promise<void>;
}
