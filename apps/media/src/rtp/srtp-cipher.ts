/**
 * Encryption and authentication of single SRTP packets: AES in counter mode with HMAC-SHA1 (RFC 3711 §4), and AES-GCM
 * (RFC 7714). The indexes are the caller's.
 */
import { createCipheriv, createDecipheriv, hash, timingSafeEqual, type CipherGCMTypes } from 'node:crypto';
import { sessionKeys, SRTP_SUITES, type MasterKey, type SessionKeys } from './srtp-keys.ts';

export interface SrtpCipher {
  /** `index`: rollover counter and sequence number, 48 bits. */
  protectRtp(datagram: Buffer, headerBytes: number, ssrc: number, index: number, mki: Buffer): Buffer;
  /** Null: not authentic. */
  unprotectRtp(datagram: Buffer, headerBytes: number, ssrc: number, index: number): Buffer | null;
  protectRtcp(datagram: Buffer, index: number, mki: Buffer): Buffer;
  /** The position of the E flag and index; negative if the packet is too short. */
  rtcpIndexAt(datagram: Buffer): number;
  unprotectRtcp(datagram: Buffer, indexAt: number, ssrc: number, index: number): Buffer | null;
}

export const createSrtpCipher = (key: MasterKey): SrtpCipher =>
  SRTP_SUITES[key.suite].aead ? new GcmCipher(key) : new CounterCipher(key);

const RTCP_HEADER_BYTES = 8;
const RTCP_INDEX_BYTES = 4;
const ENCRYPTED = 0x8000_0000;
const BLOCK_BYTES = 16;
/** Longer than any RTP packet that fits into an Ethernet frame. */
const MAX_PACKET_BYTES = 2_048;

/** Fixed header, CSRCs and header extension stay readable. Null if it is no RTP packet. */
export function rtpHeaderBytes(datagram: Buffer): number | null {
  if (datagram.length < 12) return null;
  const first = datagram.readUInt8(0);
  if (first >> 6 !== 2) return null;
  let bytes = 12 + (first & 0x0f) * 4;
  if (first & 0x10) {
    if (datagram.length < bytes + 4) return null;
    bytes += 4 + datagram.readUInt16BE(bytes + 2) * 4;
  }
  return datagram.length < bytes ? null : bytes;
}

/** XORs the key stream of AES in counter mode. One cipher object serves all packets: creating one costs more than AES. */
export class KeyStream {
  readonly #ecb: ReturnType<typeof createCipheriv>;
  readonly #salt: Buffer;
  readonly #blocks = Buffer.alloc(MAX_PACKET_BYTES);

  constructor({ cipher, salt }: SessionKeys) {
    this.#ecb = createCipheriv(`aes-${cipher.length * 8}-ecb`, cipher, null).setAutoPadding(false);
    this.#salt = salt;
  }

  /** RFC 3711 §4.1.1. Encrypts or decrypts `packet` in place, from `from` to `to`. */
  apply(packet: Buffer, from: number, to: number, ssrc: number, index: number): void {
    const blocks = this.#blocks;
    const count = Math.ceil((to - from) / BLOCK_BYTES);
    if (count === 0) return;
    this.#salt.copy(blocks, 0);
    blocks.writeUInt32BE((blocks.readUInt32BE(4) ^ ssrc) >>> 0, 4);
    blocks.writeUInt16BE(blocks.readUInt16BE(8) ^ Math.floor(index / 2 ** 32), 8);
    blocks.writeUInt32BE((blocks.readUInt32BE(10) ^ (index % 2 ** 32)) >>> 0, 10);
    blocks.writeUInt16BE(0, 14);
    for (let block = 1; block < count; block += 1) {
      blocks.copyWithin(block * BLOCK_BYTES, 0, BLOCK_BYTES);
      blocks.writeUInt16BE(block, block * BLOCK_BYTES + 14);
    }
    const stream = this.#ecb.update(blocks.subarray(0, count * BLOCK_BYTES));
    for (let at = from; at < to; at += 1) packet[at] = (packet[at] ?? 0) ^ (stream[at - from] ?? 0);
  }
}

const HASH_BLOCK_BYTES = 64;

/** HMAC-SHA1 (RFC 2104) by one-shot hashes: `createHmac` takes seven times as long for a packet. */
class Hmac {
  readonly #inner = Buffer.alloc(HASH_BLOCK_BYTES + MAX_PACKET_BYTES, 0x36);
  readonly #outer = Buffer.alloc(HASH_BLOCK_BYTES + 20, 0x5c);

  constructor(key: Buffer) {
    for (const [at, byte] of key.entries()) {
      this.#inner.writeUInt8(byte ^ 0x36, at);
      this.#outer.writeUInt8(byte ^ 0x5c, at);
    }
  }

  /** @param rollover appended to `message`, if present */
  digest(message: Buffer, rollover?: number): Buffer {
    let end = HASH_BLOCK_BYTES + message.copy(this.#inner, HASH_BLOCK_BYTES);
    if (rollover !== undefined) end = this.#inner.writeUInt32BE(rollover, end);
    hash('sha1', this.#inner.subarray(0, end), 'buffer').copy(this.#outer, HASH_BLOCK_BYTES);
    return hash('sha1', this.#outer, 'buffer');
  }
}

class CounterCipher implements SrtpCipher {
  readonly #rtp: KeyStream;
  readonly #rtcp: KeyStream;
  readonly #rtpAuth: Hmac;
  readonly #rtcpAuth: Hmac;
  readonly #tagBytes: number;
  readonly #rtcpTagBytes: number;
  readonly #mkiBytes: number;

  constructor(key: MasterKey) {
    const [rtp, rtcp] = [sessionKeys(key, 'rtp'), sessionKeys(key, 'rtcp')];
    this.#rtp = new KeyStream(rtp);
    this.#rtcp = new KeyStream(rtcp);
    this.#rtpAuth = new Hmac(rtp.auth);
    this.#rtcpAuth = new Hmac(rtcp.auth);
    this.#tagBytes = SRTP_SUITES[key.suite].tagBytes;
    this.#rtcpTagBytes = SRTP_SUITES[key.suite].rtcpTagBytes;
    this.#mkiBytes = key.mki.length;
  }

  protectRtp(datagram: Buffer, headerBytes: number, ssrc: number, index: number, mki: Buffer): Buffer {
    const { length } = datagram;
    const packet = Buffer.allocUnsafe(length + mki.length + this.#tagBytes);
    datagram.copy(packet);
    this.#rtp.apply(packet, headerBytes, length, ssrc, index);
    mki.copy(packet, length);
    const tag = this.#rtpAuth.digest(packet.subarray(0, length), rolloverOf(index));
    tag.copy(packet, length + mki.length, 0, this.#tagBytes);
    return packet;
  }

  unprotectRtp(datagram: Buffer, headerBytes: number, ssrc: number, index: number): Buffer | null {
    const tagAt = datagram.length - this.#tagBytes;
    const end = tagAt - this.#mkiBytes;
    if (end < headerBytes || datagram.length > MAX_PACKET_BYTES) return null;
    const tag = this.#rtpAuth.digest(datagram.subarray(0, end), rolloverOf(index));
    if (!timingSafeEqual(tag.subarray(0, this.#tagBytes), datagram.subarray(tagAt))) return null;
    const packet = Buffer.from(datagram.subarray(0, end));
    this.#rtp.apply(packet, headerBytes, end, ssrc, index);
    return packet;
  }

  protectRtcp(datagram: Buffer, index: number, mki: Buffer): Buffer {
    const { length } = datagram;
    const end = length + RTCP_INDEX_BYTES;
    const packet = Buffer.allocUnsafe(end + mki.length + this.#rtcpTagBytes);
    datagram.copy(packet);
    this.#rtcp.apply(packet, RTCP_HEADER_BYTES, length, datagram.readUInt32BE(4), index);
    packet.writeUInt32BE((ENCRYPTED | index) >>> 0, length);
    mki.copy(packet, end);
    this.#rtcpAuth.digest(packet.subarray(0, end)).copy(packet, end + mki.length, 0, this.#rtcpTagBytes);
    return packet;
  }

  rtcpIndexAt(datagram: Buffer): number {
    return datagram.length - this.#rtcpTagBytes - this.#mkiBytes - RTCP_INDEX_BYTES;
  }

  unprotectRtcp(datagram: Buffer, indexAt: number, ssrc: number, index: number): Buffer | null {
    if (datagram.length > MAX_PACKET_BYTES) return null;
    const end = indexAt + RTCP_INDEX_BYTES;
    const tag = this.#rtcpAuth.digest(datagram.subarray(0, end)).subarray(0, this.#rtcpTagBytes);
    if (!timingSafeEqual(tag, datagram.subarray(end + this.#mkiBytes))) return null;
    const packet = Buffer.from(datagram.subarray(0, indexAt));
    this.#rtcp.apply(packet, RTCP_HEADER_BYTES, indexAt, ssrc, index);
    return packet;
  }
}

const rolloverOf = (index: number): number => Math.floor(index / 0x1_0000);

const GCM_TAG_BYTES = 16;

class GcmCipher implements SrtpCipher {
  readonly #name: CipherGCMTypes;
  readonly #rtp: SessionKeys;
  readonly #rtcp: SessionKeys;
  readonly #mkiBytes: number;
  readonly #iv = Buffer.alloc(12);

  constructor(key: MasterKey) {
    this.#name = key.key.length === 32 ? 'aes-256-gcm' : 'aes-128-gcm';
    this.#rtp = sessionKeys(key, 'rtp');
    this.#rtcp = sessionKeys(key, 'rtcp');
    this.#mkiBytes = key.mki.length;
  }

  protectRtp(datagram: Buffer, headerBytes: number, ssrc: number, index: number, mki: Buffer): Buffer {
    const header = datagram.subarray(0, headerBytes);
    const sealed = this.#seal(this.#rtp, ssrc, index, [header], datagram.subarray(headerBytes));
    return Buffer.concat([header, sealed, mki]);
  }

  unprotectRtp(datagram: Buffer, headerBytes: number, ssrc: number, index: number): Buffer | null {
    const header = datagram.subarray(0, headerBytes);
    const sealed = datagram.subarray(headerBytes, datagram.length - this.#mkiBytes);
    const plain = this.#open(this.#rtp, ssrc, index, [header], sealed);
    return plain && Buffer.concat([header, plain]);
  }

  protectRtcp(datagram: Buffer, index: number, mki: Buffer): Buffer {
    const header = datagram.subarray(0, RTCP_HEADER_BYTES);
    const word = Buffer.allocUnsafe(RTCP_INDEX_BYTES);
    word.writeUInt32BE((ENCRYPTED | index) >>> 0);
    const body = datagram.subarray(RTCP_HEADER_BYTES);
    const sealed = this.#seal(this.#rtcp, datagram.readUInt32BE(4), index, [header, word], body);
    return Buffer.concat([header, sealed, word, mki]);
  }

  rtcpIndexAt(datagram: Buffer): number {
    return datagram.length - this.#mkiBytes - RTCP_INDEX_BYTES;
  }

  unprotectRtcp(datagram: Buffer, indexAt: number, ssrc: number, index: number): Buffer | null {
    const header = datagram.subarray(0, RTCP_HEADER_BYTES);
    const word = datagram.subarray(indexAt, indexAt + RTCP_INDEX_BYTES);
    const sealed = datagram.subarray(RTCP_HEADER_BYTES, indexAt);
    const plain = this.#open(this.#rtcp, ssrc, index, [header, word], sealed);
    return plain && Buffer.concat([header, plain]);
  }

  /** RFC 7714 §8.1 and §9.1: two zero bytes, SSRC and index, combined with the salt. */
  #vector({ salt }: SessionKeys, ssrc: number, index: number): Buffer {
    const iv = this.#iv;
    iv.writeUInt16BE(salt.readUInt16BE(0), 0);
    iv.writeUInt32BE((salt.readUInt32BE(2) ^ ssrc) >>> 0, 2);
    iv.writeUInt16BE(salt.readUInt16BE(6) ^ Math.floor(index / 2 ** 32), 6);
    iv.writeUInt32BE((salt.readUInt32BE(8) ^ (index % 2 ** 32)) >>> 0, 8);
    return iv;
  }

  #seal(keys: SessionKeys, ssrc: number, index: number, header: Buffer[], body: Buffer): Buffer {
    const cipher = createCipheriv(this.#name, keys.cipher, this.#vector(keys, ssrc, index));
    cipher.setAAD(Buffer.concat(header));
    return Buffer.concat([cipher.update(body), cipher.final(), cipher.getAuthTag()]);
  }

  #open(keys: SessionKeys, ssrc: number, index: number, header: Buffer[], sealed: Buffer): Buffer | null {
    const tagAt = sealed.length - GCM_TAG_BYTES;
    if (tagAt < 0) return null;
    const decipher = createDecipheriv(this.#name, keys.cipher, this.#vector(keys, ssrc, index));
    decipher.setAAD(Buffer.concat(header)).setAuthTag(sealed.subarray(tagAt));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(0, tagAt)), decipher.final()]);
    } catch {
      return null;
    }
  }
}
