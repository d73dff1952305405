/** The interface of all transports. */

export type Protocol = 'udp' | 'tcp' | 'tls';

/** The remote end of a message. `connection` identifies the stream connection that it arrived on, if any. */
export interface Peer {
  readonly protocol: Protocol;
  readonly address: string;
  readonly port: number;
  readonly connection?: number;
  /** The name to verify a TLS certificate against, if the peer was resolved from a name. */
  readonly host?: string;
}

export interface TransportEvents {
  /** A complete message (one character per octet) arrived. */
  message(text: string, peer: Peer): void;
  /** A message or connection was dropped; for the counters only. */
  dropped(peer: Peer, why: string): void;
}

export interface Transport {
  readonly protocol: Protocol;
  /** The bound port. */
  readonly port: number;
  /** Whether the transport is reliable, so that transactions do not retransmit. */
  readonly reliable: boolean;
  /** Sends one message. `failed` is called later, at most once, if the message was certainly not sent. */
  send(text: string, peer: Peer, failed: (error: Error) => void): void;
  /** Whether the peer's stream connection is still open. */
  isOpen(peer: Peer): boolean;
  close(): Promise<void>;
}
