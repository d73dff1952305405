/** Both ends of every call: ICE-lite parties that answer checks, and send and count packets of the size of SRTP with Opus. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeStun, encodeStun, looksLikeStun } from '../../apps/media/src/ice/stun-message.ts';

/** 20 ms of Opus at 24 kbit/s with the RTP header and the tag of SRTP. */
const PACKET = Buffer.alloc(88, 0x80);
const FRAME_MS = 20;
/** The calls send in groups, as the packets of many calls do not arrive together. */
const GROUPS = 4;
export const PASSWORD = 'password-of-the-bench';
const REACH_WITHIN_MS = 10_000;

export interface CallPorts {
  remote: number;
  transport: number;
}

class LiteEnd {
  readonly socket: Socket = createSocket({ type: 'udp4', recvBufferSize: 1024 * 1024 });
  peer: RemoteInfo | null = null;
  received = 0;

  async open(): Promise<number> {
    this.socket.on('message', (datagram, from) => this.#receive(datagram, from));
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    return this.socket.address().port;
  }

  #receive(datagram: Buffer, from: RemoteInfo): void {
    if (!looksLikeStun(datagram) && datagram.length > 1) {
      this.received += 1;
      return;
    }
    const request = decodeStun(datagram);
    // A bare relay announces itself with a single byte.
    this.peer = from;
    if (!request) return;
    const { transactionId } = request.message;
    const mappedAddress = { address: from.address, port: from.port };
    const answer = encodeStun({ class: 'success', transactionId, mappedAddress }, PASSWORD);
    this.socket.send(answer, from.port, from.address);
  }
}

export class IceEnds {
  readonly #ends: LiteEnd[] = [];
  #timer: NodeJS.Timeout | null = null;
  #turn = 0;
  #sent = 0;

  async add(): Promise<CallPorts> {
    const remote = new LiteEnd();
    const transport = new LiteEnd();
    this.#ends.push(remote, transport);
    return { remote: await remote.open(), transport: await transport.open() };
  }

  /** Resolves when every end knows the address of the relay. */
  async reached(): Promise<void> {
    const deadline = Date.now() + REACH_WITHIN_MS;
    while (this.#ends.some(({ peer }) => peer === null)) {
      if (Date.now() > deadline) throw new Error('a relay did not reach its ends');
      await sleep(FRAME_MS);
    }
    await sleep(FRAME_MS * 10); // the last checks are answered
  }

  send(): void {
    this.#timer = setInterval(() => this.#sendGroup(), FRAME_MS / GROUPS);
  }

  silence(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  take(): { sent: number; received: number } {
    const received = this.#ends.reduce((sum, end) => sum + end.received, 0);
    const sent = this.#sent;
    this.#sent = 0;
    for (const end of this.#ends) end.received = 0;
    return { sent, received };
  }

  close(): void {
    this.silence();
    for (const { socket } of this.#ends) socket.close();
  }

  #sendGroup(): void {
    this.#turn += 1;
    for (const [index, { socket, peer }] of this.#ends.entries()) {
      if (!peer || index % GROUPS !== this.#turn % GROUPS) continue;
      socket.send(PACKET, peer.port, peer.address);
      this.#sent += 1;
    }
  }
}
