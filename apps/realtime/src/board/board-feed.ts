/**
 * Notifies every realtime node of changes on a tenant's board: which calls changed, or only the figures of its queues. This node's board
 * is notified directly. Other nodes, if there are any, receive the changes of COALESCE_MS in one statement, so that the cost does not
 * grow with the number of changes. Nodes read rows only for boards that are watched (board.ts).
 */
import type { Database } from '@clarion/db';
import type { BoardFeed } from '../deps.ts';
import type { OtherNodes } from '../sockets/other-nodes.ts';

const COALESCE_MS = 100;
/** A notification holds fewer than 8,000 bytes; an ID is at most ten digits and a comma, and a node's ID 45 bytes. */
const CALLS_PER_NOTIFICATION = 500;

export interface BoardChange {
  tenantId: number;
  callIds: number[];
  /** The node that sent it. */
  nodeId: string | null;
}

export class PostgresBoardFeed implements BoardFeed {
  readonly #db: Database;
  readonly #nodeId: string;
  readonly #otherNodes: OtherNodes;
  /** Receives the changes of this node. */
  onChange: (change: BoardChange) => void = () => undefined;
  #changed = new Map<number, Set<number>>();
  #sending: Promise<void> | null = null;
  #lastSentAt = -Infinity;
  readonly #inFlight = new Set<Promise<void>>();

  constructor(db: Database, nodeId: string, otherNodes: OtherNodes) {
    this.#db = db;
    this.#nodeId = nodeId;
    this.#otherNodes = otherNodes;
  }

  changed(tenantId: number, callId?: number): Promise<void> {
    this.onChange({ tenantId, callIds: callId === undefined ? [] : [callId], nodeId: this.#nodeId });
    const publishing = this.#publish(tenantId, callId).finally(() => this.#inFlight.delete(publishing));
    this.#inFlight.add(publishing);
    return publishing;
  }

  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight);
  }

  async #publish(tenantId: number, callId: number | undefined): Promise<void> {
    if (!(await this.#otherNodes.exist())) return;
    const calls = this.#changed.get(tenantId) ?? new Set();
    if (callId !== undefined) calls.add(callId);
    this.#changed.set(tenantId, calls);
    await (this.#sending ??= this.#send());
  }

  async #send(): Promise<void> {
    const wait = Math.max(0, this.#lastSentAt + COALESCE_MS - performance.now());
    await new Promise((resolve) => setTimeout(resolve, wait));
    const changed = this.#changed;
    this.#changed = new Map();
    this.#sending = null;
    this.#lastSentAt = performance.now();
    const payloads = [...changed].flatMap(([tenantId, calls]) =>
      payloadsOf(tenantId, [...calls], this.#nodeId),
    );
    await this.#db.$queryRaw`
      select pg_notify('clarion_board', "payload")::text from unnest(${payloads}::text[]) as "payload"`;
  }
}

function payloadsOf(tenantId: number, calls: number[], nodeId: string): string[] {
  return Array.from({ length: Math.max(1, Math.ceil(calls.length / CALLS_PER_NOTIFICATION)) }, (_, page) => {
    const onPage = calls.slice(page * CALLS_PER_NOTIFICATION, (page + 1) * CALLS_PER_NOTIFICATION);
    return `${tenantId}:${onPage.join()}:${nodeId}`;
  });
}

/** Parses a notification of `PostgresBoardFeed`. */
export function readBoardChange(payload: string): BoardChange {
  const [tenant, calls, nodeId] = payload.split(':');
  return {
    tenantId: Number(tenant),
    callIds: calls ? calls.split(',').map(Number) : [],
    nodeId: nodeId ?? null,
  };
}
