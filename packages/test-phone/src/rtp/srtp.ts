/**
 * SRTP of a phone (RFC 3711), packet by packet as the RFC describes it, independently of the service's implementation, so that tests
 * detect an error in it.
 */
import { createCipheriv, createHmac, randomBytes } from 'node:crypto';

/** Bytes of the authentication tag. */
export const srtpSuites = { AES_CM_128_HMAC_SHA1_80: 10, AES_CM_128_HMAC_SHA1_32: 4 } as const;
export type SrtpSuite = keyof typeof srtpSuites;

/** A master key and its salt, as in `a=crypto`. */
export interface SrtpKey {
  suite: SrtpSuite;
  /** 16 bytes of key and 14 of salt. */
  keyAndSalt: Buffer;
}

export const newSrtpKey = (suite: SrtpSuite = 'AES_CM_128_HMAC_SHA1_80'): SrtpKey => ({
  suite,
  keyAndSalt: randomBytes(30),
});

const counterMode = (key: Buffer, iv: bigint, data: Uint8Array): Buffer =>
  createCipheriv('aes-128-ctr', key, Buffer.from(iv.toString(16).padStart(32, '0'), 'hex')).update(data);

/** One direction of a session. */
export class SrtpStream {
  /** Packets that were not authentic. */
  rejected = 0;
  readonly #key: Buffer;
  readonly #auth: Buffer;
  readonly #salt: bigint;
  readonly #tagBytes: number;
  /** The index of the newest packet, by SSRC. */
  readonly #newest = new Map<number, number>();

  constructor({ suite, keyAndSalt }: SrtpKey) {
    const master = keyAndSalt.subarray(0, 16);
    const masterSalt = BigInt(`0x${keyAndSalt.subarray(16).toString('hex')}`);
    // Section 4.3.1: the label is the eighth byte from the left of 14.
    const derive = (label: bigint, bytes: number) =>
      counterMode(master, (masterSalt ^ (label << 48n)) << 16n, Buffer.alloc(bytes));
    this.#key = derive(0n, 16);
    this.#auth = derive(1n, 20);
    this.#salt = BigInt(`0x${derive(2n, 14).toString('hex')}`);
    this.#tagBytes = srtpSuites[suite];
  }

  protect(packet: Buffer): Buffer {
    const index = this.#indexOf(packet);
    this.#newest.set(packet.readUInt32BE(8), index);
    const body = this.#crypt(packet, index);
    const encrypted = Buffer.concat([packet.subarray(0, headerBytes(packet)), body]);
    return Buffer.concat([encrypted, this.#tag(encrypted, index)]);
  }

  /** Null if the packet is not authentic. */
  unprotect(packet: Buffer): Buffer | null {
    const encrypted = packet.subarray(0, -this.#tagBytes);
    if (encrypted.length < 12) return null;
    const index = this.#indexOf(encrypted);
    if (!this.#tag(encrypted, index).equals(packet.subarray(-this.#tagBytes))) {
      this.rejected += 1;
      return null;
    }
    const ssrc = packet.readUInt32BE(8);
    this.#newest.set(ssrc, Math.max(index, this.#newest.get(ssrc) ?? 0));
    return Buffer.concat([packet.subarray(0, headerBytes(packet)), this.#crypt(encrypted, index)]);
  }

  /** Section 3.3.1: of the three candidates, the one nearest to the newest packet. A new SSRC starts with 0. */
  #indexOf(packet: Buffer): number {
    const sequence = packet.readUInt16BE(2);
    const newest = this.#newest.get(packet.readUInt32BE(8));
    if (newest === undefined) return sequence;
    const cycle = Math.floor(newest / 65_536);
    const candidates = [cycle - 1, cycle, cycle + 1].map((each) => each * 65_536 + sequence);
    return candidates.reduce((best, each) =>
      Math.abs(each - newest) < Math.abs(best - newest) ? each : best,
    );
  }

  #crypt(packet: Buffer, index: number): Buffer {
    const iv = (this.#salt << 16n) ^ (BigInt(packet.readUInt32BE(8)) << 64n) ^ (BigInt(index) << 16n);
    return counterMode(this.#key, iv, packet.subarray(headerBytes(packet)));
  }

  #tag(encrypted: Buffer, index: number): Buffer {
    const rollover = Buffer.alloc(4);
    rollover.writeUInt32BE(Math.floor(index / 65_536));
    const digest = createHmac('sha1', this.#auth).update(encrypted).update(rollover).digest();
    return digest.subarray(0, this.#tagBytes);
  }
}

const headerBytes = (packet: Buffer): number => {
  const [first = 0] = packet;
  const fixed = 12 + 4 * (first & 0x0f);
  return first & 0x10 ? fixed + 4 + 4 * packet.readUInt16BE(fixed + 2) : fixed;
};
