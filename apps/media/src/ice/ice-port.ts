/**
 * The UDP socket of an ICE agent. Once the remote party is known the socket is connected to it, so that the kernel drops
 * datagrams of all other sources, and sending a datagram needs no address.
 */
import type { Socket } from 'node:dgram';
import { closeUdpSocket, openUdpSocket } from '../rtp/udp-socket.ts';
import type { Endpoint } from './stun-address.ts';

export interface IcePortOptions {
  address: string;
  /** 0: the system chooses. */
  port: number;
  onDatagram: (datagram: Buffer, from: Endpoint) => void;
  /** Called for the first datagram that our code failed to handle; later failures are only counted. */
  onFailure: (error: unknown) => void;
}

export class IcePort {
  failedDatagrams = 0;
  readonly #options: IcePortOptions;
  #socket: Socket | null = null;
  #remote: Endpoint | null = null;
  #connected = false;

  private constructor(options: IcePortOptions) {
    this.#options = options;
  }

  static async open(options: IcePortOptions): Promise<IcePort> {
    const port = new IcePort(options);
    port.#socket = await openUdpSocket({
      address: options.address,
      port: options.port,
      reuseAddr: false,
      onDatagram: (datagram, from) => port.#receive(datagram, from),
    });
    return port;
  }

  get number(): number {
    return this.#socket?.address().port ?? 0;
  }

  /** Whether a datagram came from the remote party. */
  isRemote(from: Endpoint): boolean {
    return this.#remote?.port === from.port && this.#remote.address === from.address;
  }

  /** From now on `forward` sends to this address. Has no effect once the socket is connected. */
  selectRemote(remote: Endpoint): void {
    if (!this.#connected) this.#remote = remote;
  }

  /** Connects the socket to the remote party. */
  connect(): void {
    const socket = this.#socket;
    if (!socket || !this.#remote || this.#connected) return;
    // The lookup of this socket is synchronous, so it is connected when the call returns.
    socket.connect(this.#remote.port, this.#remote.address, ignoreError);
    this.#connected = isConnected(socket);
  }

  /** Sends to any address until the socket is connected. Without a route, nothing is sent. */
  send(datagram: Buffer, to: Endpoint): void {
    if (!this.#connected) this.#socket?.send(datagram, to.port, to.address, ignoreError);
    else if (this.isRemote(to)) this.#socket?.send(datagram);
  }

  /**
   * Sends to the remote party, without a callback, which would be allocated for each packet.
   *
   * @returns whether its address is known
   */
  forward(datagram: Buffer): boolean {
    if (!this.#socket || !this.#remote) return false;
    if (this.#connected) this.#socket.send(datagram);
    else this.send(datagram, this.#remote);
    return true;
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    this.#socket = null;
    if (socket) await closeUdpSocket(socket);
  }

  /** An exception in a datagram handler is uncaught: it would terminate the process and every call on it. */
  #receive(datagram: Buffer, from: Endpoint): void {
    try {
      this.#options.onDatagram(datagram, from);
    } catch (error) {
      this.failedDatagrams += 1;
      if (this.failedDatagrams === 1) this.#options.onFailure(error);
    }
  }
}

const ignoreError = (): void => undefined;

function isConnected(socket: Socket): boolean {
  try {
    socket.remoteAddress();
    return true;
  } catch {
    return false;
  }
}
