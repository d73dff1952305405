/** A UDP relay between a carrier and the service that loses a share of the packets towards the service, the same ones for the same seed. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Address } from './port.ts';

export class LossyRelay {
  /** Packets towards the service: how many were received, and how many of these were dropped. */
  passed = 0;
  dropped = 0;
  /** 0 to 1. */
  readonly loss: number;
  readonly #outside: Socket;
  readonly #inside: Socket;
  #random: number;
  #ours: Address | null = null;
  #phone: Address | null = null;

  private constructor(outside: Socket, inside: Socket, loss: number, seed: number) {
    this.#outside = outside;
    this.#inside = inside;
    this.loss = loss;
    this.#random = seed;
    outside.on('message', (packet, from) => {
      this.#phone = from;
      this.passed += 1;
      if (this.#isLost()) this.dropped += 1;
      else if (this.#ours) inside.send(packet, this.#ours.port, this.#ours.address);
    });
    inside.on('message', (packet) => {
      if (this.#phone) outside.send(packet, this.#phone.port, this.#phone.address);
    });
  }

  static async open({ loss, seed = 1 }: { loss: number; seed?: number }): Promise<LossyRelay> {
    const [outside, inside] = await Promise.all([bound(), bound()]);
    return new LossyRelay(outside, inside, loss, seed);
  }

  /** The address to which the phone sends. */
  get outside(): Address {
    return this.#outside.address();
  }

  /** The address in the phone's SDP: the service sends to it and receives packets from it. */
  get inside(): Address {
    return this.#inside.address();
  }

  /** Sets the service's address, as in its SDP. */
  leadTo(ours: Address): void {
    this.#ours = ours;
  }

  close(): void {
    this.#outside.close();
    this.#inside.close();
  }

  /** The linear congruential generator of Numerical Recipes, so that every run loses the same packets. */
  #isLost(): boolean {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#random / 2 ** 32 < this.loss;
  }
}

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4');
  const listening = once(socket, 'listening');
  socket.bind(0, '127.0.0.1');
  await listening;
  return socket;
}
