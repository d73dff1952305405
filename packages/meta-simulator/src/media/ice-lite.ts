/**
 * One ICE-lite agent (RFC 8445, section 2.5) with one UDP candidate. It answers connectivity checks, never sends any, is always the
 * controlled agent, and sends media only to the pair that the other agent nominated.
 */
import { createSocket, type Socket } from 'node:dgram';
import { randomBytes } from 'node:crypto';
import { bindingError, bindingSuccess, isStun, parseBindingRequest, type Address } from './stun.ts';

const UFRAG_BYTES = 6;
const PASSWORD_BYTES = 18;
const UNAUTHORIZED = 401;
const ROLE_CONFLICT = 487;
/** The first flight of DTLS: without it the handshake waits a second for the retransmission. */
const MAX_HELD_DATAGRAMS = 16;

export interface IceLiteCounters {
  /** Checks with a correct password. */
  checks: number;
  /** Checks with a wrong password or user name. */
  unauthorized: number;
  /** Checks of an agent that believed itself to be controlled. */
  roleConflicts: number;
}

export class IceLiteAgent {
  readonly ufrag = randomBytes(UFRAG_BYTES).toString('base64url').replaceAll(/[-_]/g, 'x');
  readonly password = randomBytes(PASSWORD_BYTES).toString('base64url').replaceAll(/[-_]/g, 'x');
  readonly counters: IceLiteCounters = { checks: 0, unauthorized: 0, roleConflicts: 0 };
  /** While false, checks get no response: as before the call is set up, and as when consent is lost. */
  responds = true;
  #nominated: Address | null = null;
  #held: Buffer[] = [];
  readonly #known = new Set<string>();
  readonly #socket: Socket;
  #closed = false;
  readonly #onDatagram: (datagram: Buffer) => void;

  private constructor(socket: Socket, onDatagram: (datagram: Buffer) => void) {
    this.#socket = socket;
    this.#onDatagram = onDatagram;
    socket.on('message', (datagram, from) => this.#receive(datagram, from));
    // An ICMP error of a peer that closed its port is not an error of this agent.
    socket.on('error', () => undefined);
  }

  static async open(
    bind: string,
    port: number,
    onDatagram: (datagram: Buffer) => void,
  ): Promise<IceLiteAgent> {
    const socket = createSocket(bind.includes(':') ? 'udp6' : 'udp4');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(port, bind, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    return new IceLiteAgent(socket, onDatagram);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** The address of the other agent, once it has nominated a pair. */
  get nominated(): Address | null {
    return this.#nominated;
  }

  /** The first datagrams are held until a pair is nominated, as there is no address before. */
  send(datagram: Buffer): void {
    if (this.#closed) return;
    if (this.#nominated === null) {
      if (this.#held.length < MAX_HELD_DATAGRAMS) this.#held.push(Buffer.from(datagram));
      return;
    }
    this.#socket.send(datagram, this.#nominated.port, this.#nominated.address);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
  }

  #receive(datagram: Buffer, from: Address): void {
    if (this.#closed) return;
    if (isStun(datagram)) {
      this.#check(datagram, from);
    } else if (this.#known.has(key(from))) {
      this.#onDatagram(datagram);
    }
  }

  #check(datagram: Buffer, from: Address): void {
    const request = parseBindingRequest(datagram);
    if (request === null || !this.responds) return;
    const reply = (response: Buffer): void => this.#socket.send(response, from.port, from.address);
    if (request.username.split(':')[0] !== this.ufrag || !request.integrity(this.password)) {
      this.counters.unauthorized += 1;
      reply(bindingError(request.transactionId, UNAUTHORIZED, 'Unauthorized', this.password));
      return;
    }
    this.counters.checks += 1;
    if (request.role === 'controlled') {
      this.counters.roleConflicts += 1;
      reply(bindingError(request.transactionId, ROLE_CONFLICT, 'Role Conflict', this.password));
      return;
    }
    this.#known.add(key(from));
    reply(bindingSuccess(request.transactionId, from, this.password));
    if (!request.nominates) return;
    this.#nominated = { address: from.address, port: from.port };
    for (const datagram of this.#held.splice(0)) this.send(datagram);
  }
}

const key = ({ address, port }: Address): string => `${address} ${port}`;
