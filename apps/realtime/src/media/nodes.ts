/** The media nodes that are connected to this process, their load, and sending commands to them. */
import { EventEmitter, once } from 'node:events';
import { MEDIA_COMMAND_TIMEOUT_MS, MEDIA_LOST_GRACE_MS } from '@clarion/protocol/media';
import type {
  MediaAck,
  MediaCommand,
  MediaCommandPayload,
  MediaErrorCode,
  MediaReplies,
  MediaToRealtime,
  RealtimeToMedia,
} from '@clarion/protocol/media';
import type { Logger } from 'pino';
import type { Socket } from 'socket.io';

export type MediaSocket = Socket<MediaToRealtime, RealtimeToMedia>;

export type SendResult<T> =
  | { kind: 'ok'; reply: T }
  | { kind: 'refused'; code: MediaErrorCode; message: string }
  /** Not connected here, or no reply in time. */
  | { kind: 'unreachable' };

/** A realtime node that has just started waits this long for a media node that other nodes see already. */
const ARRIVAL_WITHIN_MS = MEDIA_LOST_GRACE_MS;

export interface NodeLoad {
  nodeId: string;
  legs: number;
  /** The number of carrier legs that it has ports for. */
  capacity: number;
  /** It is stopping, and keeps only the calls that it has. */
  draining: boolean;
}

interface Node extends Omit<NodeLoad, 'nodeId'> {
  socket: MediaSocket;
  startedAt: string;
}

export class MediaNodes {
  readonly #log: Logger;
  readonly #nodes = new Map<string, Node>();
  readonly #arrivals = new EventEmitter().setMaxListeners(0);

  constructor(log: Logger) {
    this.#log = log;
  }

  get ids(): string[] {
    return [...this.#nodes.keys()];
  }

  /** As last reported, with the calls assigned since. */
  get loads(): NodeLoad[] {
    return [...this.#nodes].map(([nodeId, { legs, capacity, draining }]) => ({
      nodeId,
      legs,
      capacity,
      draining,
    }));
  }

  isConnected(nodeId: string): boolean {
    return this.#nodes.has(nodeId);
  }

  /** A node that reconnects replaces its previous connection. */
  add(nodeId: string, node: Omit<Node, 'legs' | 'draining'>): void {
    const before = this.#nodes.get(nodeId);
    this.#nodes.set(nodeId, { ...node, legs: before?.legs ?? 0, draining: before?.draining ?? false });
    if (before && before.socket !== node.socket) before.socket.disconnect(true);
    this.#arrivals.emit(nodeId);
  }

  /** Resolves once the node is connected here, or when the time is over. */
  async arrival(nodeId: string, withinMs = ARRIVAL_WITHIN_MS): Promise<void> {
    if (this.isConnected(nodeId)) return;
    await once(this.#arrivals, nodeId, { signal: AbortSignal.timeout(withinMs) }).catch(() => undefined);
  }

  remove(nodeId: string, socket: MediaSocket): void {
    if (this.#nodes.get(nodeId)?.socket === socket) this.#nodes.delete(nodeId);
  }

  setLoad(nodeId: string, { legs, draining }: Partial<Pick<Node, 'legs' | 'draining'>>): void {
    const node = this.#nodes.get(nodeId);
    if (!node) return;
    node.legs = legs ?? node.legs;
    node.draining = draining ?? node.draining;
  }

  /** The node for a new call: the one with the lowest load. Null: none is connected, or each of them is stopping. */
  leastLoaded(): string | null {
    const nodeId = leastLoadedOf(this.loads);
    const node = nodeId === null ? undefined : this.#nodes.get(nodeId);
    // Loads are reported every few seconds; counting the new call spreads a burst between reports.
    if (node) node.legs += 1;
    return nodeId;
  }

  /** @param timeoutMs how long to wait for the ack */
  async send<C extends MediaCommand>(
    nodeId: string,
    command: C,
    payload: MediaCommandPayload<C>,
    timeoutMs = MEDIA_COMMAND_TIMEOUT_MS,
  ): Promise<SendResult<MediaReplies[C]>> {
    const node = this.#nodes.get(nodeId);
    if (!node) return { kind: 'unreachable' };
    let ack: MediaAck<MediaReplies[C]>;
    try {
      // The command map's types do not accept a generic command name.
      const emitter: { emitWithAck(name: string, payload: unknown): Promise<MediaAck<MediaReplies[C]>> } =
        node.socket.timeout(timeoutMs);
      ack = await emitter.emitWithAck(command, payload);
    } catch {
      this.#log.warn({ nodeId, command, ...subjectOf(payload) }, 'media node did not reply');
      return { kind: 'unreachable' };
    }
    if (ack.ok) return { kind: 'ok', reply: ack };
    const { code, message } = ack.error;
    this.#log.info({ nodeId, command, ...subjectOf(payload), code, message }, 'media node refused a command');
    return { kind: 'refused', code, message };
  }
}

/** Null: none takes new calls. */
export function leastLoadedOf(loads: readonly NodeLoad[]): string | null {
  const loadOf = ({ legs, capacity }: NodeLoad) => legs / Math.max(1, capacity);
  const [best] = loads.filter(({ draining }) => !draining).toSorted((a, b) => loadOf(a) - loadOf(b));
  return best?.nodeId ?? null;
}

/** What a command is about, for the log. */
const subjectOf = (payload: MediaCommandPayload<MediaCommand>) =>
  'callId' in payload ? { callId: payload.callId } : { trunkId: payload.target.trunkId };
