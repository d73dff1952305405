import type { ClientMessage, ClientPayload, ClientReplies, ServerMessages } from '@clarion/protocol/socket';
import type { ClarionError } from './errors.ts';

/**
 * connecting: the first connection is being established. reconnecting: it was lost and is being re-established.
 * disconnected: closed permanently, by `disconnect()` or because the service rejects this agent.
 */
export type ConnectionState = 'connecting' | 'connected' | 'reconnecting' | 'disconnected';

export type ServerEnvelope = {
  [M in keyof ServerMessages]: { name: M; payload: ServerMessages[M] };
}[keyof ServerMessages];

export interface LinkEvents extends Record<string, unknown[]> {
  message: [envelope: ServerEnvelope];
  connection: [state: ConnectionState, error: ClarionError | null];
}

/** A connection to the service: this tab's own socket, or another tab's. */
export interface Link {
  readonly state: ConnectionState;
  on<K extends 'message' | 'connection'>(event: K, listener: (...args: LinkEvents[K]) => void): () => void;
  /** Rejects with a ClarionError: the service's error, `connection_lost` or `request_timeout`. */
  request<M extends ClientMessage>(message: M, payload: ClientPayload<M>): Promise<ClientReplies[M]>;
  /** The network may have changed: do not wait for the next attempt. */
  retryNow(): void;
  close(): void;
}

/** The connection of an agent. In a browser, several tabs share one. */
export interface AgentLink extends Link {
  /** Whether this is the tab that holds the connection. */
  readonly leading: boolean;
  on<K extends 'message' | 'connection'>(event: K, listener: (...args: LinkEvents[K]) => void): () => void;
  /** leading: this tab now holds the connection. unsubscribed: a tab unsubscribed the shared socket from the board. */
  on(event: 'leading' | 'unsubscribed', listener: () => void): () => void;
}

/** How long the service may take to respond. Media negotiation involves two more processes. */
export const REQUEST_TIMEOUT_MS = 10_000;
