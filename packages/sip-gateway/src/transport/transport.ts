/** What every transport offers to the layers above. */

export type Protocol = 'udp' | 'tcp' | 'tls';

/** The other end of a message. `connection` names the stream connection it came on, when it came on one. */
export interface Peer {
  readonly protocol: Protocol;
  readonly address: string;
  readonly port: number;
  readonly connection?: number;
  /** Name to verify a TLS certificate against, when the peer was found by name. */
  readonly host?: string;
}

export interface TransportEvents {
  /** A whole message (one character per octet) arrived. */
  message(text: string, peer: Peer): void;
  /** The connection count changed or a stream was refused; for the counters only. */
  dropped(peer: Peer, why: string): void;
}

export interface Transport {
  readonly protocol: Protocol;
  /** The bound port. */
  readonly port: number;
  /** True when lost packets cannot happen, so that transactions do not repeat. */
  readonly reliable: boolean;
  /** Sends one message. `failed` is called later, at most once, when it certainly did not leave. */
  send(text: string, peer: Peer, failed: (error: Error) => void): void;
  /** True when the peer names a stream connection that still stands. */
  isOpen(peer: Peer): boolean;
  close(): Promise<void>;
}
