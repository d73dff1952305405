/**
 * Pairs of UDP ports for carrier legs: the even one for RTP, the next for RTCP (RFC 3550 §11). A pair is verified to be
 * free by binding it exclusively once, because the sockets of a leg share their port (local-rtp-endpoint.ts).
 */
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';

/** A released pair is not reused for this long, so that late packets of an old call do not enter a new one. */
const REUSE_DELAY_MS = 5_000;

export class PortsExhausted extends Error {
  constructor() {
    super('no free RTP port');
    this.name = 'PortsExhausted';
  }
}

async function isFree(address: string, port: number): Promise<boolean> {
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false));
      socket.bind({ port, address, exclusive: true }, () => resolve(true));
    });
  } finally {
    socket.close();
  }
}

export class PortAllocator {
  readonly #address: string;
  readonly #first: number;
  readonly #pairs: number;
  #next = 0;
  #taken = new Set<number>();
  #reusableAtMs = new Map<number, number>();

  constructor(address: string, range: { first: number; last: number }) {
    this.#address = address;
    this.#first = range.first + (range.first % 2);
    this.#pairs = Math.floor((range.last - this.#first + 1) / 2);
  }

  get capacity(): number {
    return this.#pairs;
  }

  get inUse(): number {
    return this.#taken.size;
  }

  /** Returns the even port of a free pair. Throws PortsExhausted. */
  async acquire(): Promise<number> {
    for (let tried = 0; tried < this.#pairs; tried += 1) {
      const port = this.#first + 2 * this.#next;
      this.#next = (this.#next + 1) % this.#pairs;
      if (this.#taken.has(port) || (this.#reusableAtMs.get(port) ?? 0) > performance.now()) continue;
      this.#taken.add(port);
      if ((await isFree(this.#address, port)) && (await isFree(this.#address, port + 1))) return port;
      this.#taken.delete(port);
    }
    throw new PortsExhausted();
  }

  release(port: number): void {
    if (!this.#taken.delete(port)) return;
    this.#reusableAtMs.set(port, performance.now() + REUSE_DELAY_MS);
  }
}
