/**
 * STUN Binding messages of ICE (RFC 8489, RFC 8445 §16): encoder and decoder. Pure. Every message that is sent has a
 * FINGERPRINT and every message that is accepted needs one, because the same port carries DTLS and SRTP as well. Anything
 * that is not such a message decodes to null; nothing throws on received bytes.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { readXorAddress, xorAddress, type Endpoint } from './stun-address.ts';

export const STUN_CLASSES = ['request', 'indication', 'success', 'error'] as const;
export type StunClass = (typeof STUN_CLASSES)[number];

export interface StunMessage {
  class: StunClass;
  /** 12 bytes. */
  transactionId: Buffer;
  username?: string;
  /** 32 bits. */
  priority?: number;
  useCandidate?: boolean;
  /** The sender's role with its tie-breaker of 64 bits. */
  role?: { kind: 'controlling' | 'controlled'; tieBreaker: bigint };
  mappedAddress?: Endpoint;
  /** 300 to 699. */
  errorCode?: number;
  /** In an error response 420: the attributes that were not understood. */
  unknownAttributes?: readonly number[];
}

export interface DecodedStun {
  message: StunMessage;
  /** Attributes that must be understood and are not (RFC 8489 §6.3.1). */
  notUnderstood: readonly number[];
  /** Offset of MESSAGE-INTEGRITY; null if there is none. */
  integrityOffset: number | null;
}

const HEADER_BYTES = 20;
const ATTRIBUTE_HEADER_BYTES = 4;
export const TRANSACTION_ID_BYTES = 12;
const INTEGRITY_BYTES = 20;
const FINGERPRINT_BYTES = 4;
/** ICE messages have about 100 bytes; longer ones are dropped before anything is computed. */
const MAX_MESSAGE_BYTES = 548;
/** RFC 8489 §14.3. */
const MAX_USERNAME_BYTES = 508;
const MAGIC_COOKIE = 0x2112a442;
const FINGERPRINT_XOR = 0x5354554e;
/** Attribute types below this must be understood. */
const OPTIONAL_FROM = 0x8000;

const ATTRIBUTE = {
  username: 0x0006,
  integrity: 0x0008,
  errorCode: 0x0009,
  unknownAttributes: 0x000a,
  mappedAddress: 0x0020,
  priority: 0x0024,
  useCandidate: 0x0025,
  fingerprint: 0x8028,
  controlled: 0x8029,
  controlling: 0x802a,
} as const;

/** The Binding method in each class (RFC 8489 §5). */
const TYPE: Record<StunClass, number> = {
  request: 0x0001,
  indication: 0x0011,
  success: 0x0101,
  error: 0x0111,
};

/** Whether a datagram belongs to STUN, by its first byte (RFC 7983 §7). */
export function looksLikeStun(datagram: Buffer): boolean {
  return datagram.length >= HEADER_BYTES && (datagram[0] ?? 0xff) <= 3;
}

/** `password` signs the message; null sends it without MESSAGE-INTEGRITY. */
export function encodeStun(message: StunMessage, password: string | null): Buffer {
  const parts = [Buffer.alloc(HEADER_BYTES), ...attributesOf(message)];
  if (password !== null) parts.push(attribute(ATTRIBUTE.integrity, Buffer.alloc(INTEGRITY_BYTES)));
  parts.push(attribute(ATTRIBUTE.fingerprint, Buffer.alloc(FINGERPRINT_BYTES)));
  const datagram = Buffer.concat(parts);
  datagram.writeUInt16BE(TYPE[message.class], 0);
  datagram.writeUInt16BE(datagram.length - HEADER_BYTES, 2);
  datagram.writeUInt32BE(MAGIC_COOKIE, 4);
  message.transactionId.copy(datagram, 8, 0, TRANSACTION_ID_BYTES);
  const fingerprintAt = datagram.length - ATTRIBUTE_HEADER_BYTES - FINGERPRINT_BYTES;
  if (password !== null) {
    const integrityAt = fingerprintAt - ATTRIBUTE_HEADER_BYTES - INTEGRITY_BYTES;
    integrityOf(datagram, integrityAt, password).copy(datagram, integrityAt + ATTRIBUTE_HEADER_BYTES);
  }
  datagram.writeUInt32BE(fingerprintOf(datagram, fingerprintAt), fingerprintAt + ATTRIBUTE_HEADER_BYTES);
  return datagram;
}

/** Returns null for anything that is not a complete Binding message with a valid FINGERPRINT as its last attribute. */
export function decodeStun(datagram: Buffer): DecodedStun | null {
  if (!looksLikeStun(datagram) || datagram.length > MAX_MESSAGE_BYTES || datagram.length % 4 !== 0)
    return null;
  const type = datagram.readUInt16BE(0);
  const kind = STUN_CLASSES.find((each) => TYPE[each] === type);
  if (kind === undefined || datagram.readUInt32BE(4) !== MAGIC_COOKIE) return null;
  if (datagram.readUInt16BE(2) !== datagram.length - HEADER_BYTES) return null;
  const fingerprintAt = datagram.length - ATTRIBUTE_HEADER_BYTES - FINGERPRINT_BYTES;
  if (fingerprintAt < HEADER_BYTES) return null;
  if (datagram.readUInt16BE(fingerprintAt) !== ATTRIBUTE.fingerprint) return null;
  if (datagram.readUInt16BE(fingerprintAt + 2) !== FINGERPRINT_BYTES) return null;
  if (
    datagram.readUInt32BE(fingerprintAt + ATTRIBUTE_HEADER_BYTES) !== fingerprintOf(datagram, fingerprintAt)
  )
    return null;

  const message: StunMessage = { class: kind, transactionId: datagram.subarray(8, HEADER_BYTES) };
  const notUnderstood: number[] = [];
  const seen = new Set<number>();
  let offset = HEADER_BYTES;
  while (offset < fingerprintAt) {
    const attributeType = datagram.readUInt16BE(offset);
    const length = datagram.readUInt16BE(offset + 2);
    const next = offset + ATTRIBUTE_HEADER_BYTES + paddedLength(length);
    if (next > fingerprintAt) return null;
    if (attributeType === ATTRIBUTE.integrity) {
      if (length !== INTEGRITY_BYTES) return null;
      // What follows MESSAGE-INTEGRITY is not protected by it and therefore ignored (RFC 8489 §14.5).
      return { message, notUnderstood, integrityOffset: offset };
    }
    // Only the first of several equal attributes counts (RFC 8489 §14).
    if (!seen.has(attributeType)) {
      seen.add(attributeType);
      const valueAt = offset + ATTRIBUTE_HEADER_BYTES;
      const read = readAttribute(message, attributeType, datagram.subarray(valueAt, valueAt + length));
      if (read === 'malformed') return null;
      if (read === 'unknown' && attributeType < OPTIONAL_FROM) notUnderstood.push(attributeType);
    }
    offset = next;
  }
  return { message, notUnderstood, integrityOffset: null };
}

/** Whether the message was signed with this password. Compares in constant time. */
export function isAuthentic(datagram: Buffer, decoded: DecodedStun, password: string): boolean {
  const { integrityOffset } = decoded;
  if (integrityOffset === null) return false;
  const valueAt = integrityOffset + ATTRIBUTE_HEADER_BYTES;
  const stated = datagram.subarray(valueAt, valueAt + INTEGRITY_BYTES);
  return timingSafeEqual(stated, integrityOf(datagram, integrityOffset, password));
}

function attributesOf(message: StunMessage): Buffer[] {
  const parts: Buffer[] = [];
  const { username, priority, useCandidate, role, mappedAddress, errorCode, unknownAttributes } = message;
  if (username !== undefined) parts.push(attribute(ATTRIBUTE.username, Buffer.from(username, 'utf8')));
  if (priority !== undefined) parts.push(attribute(ATTRIBUTE.priority, uint32(priority)));
  if (useCandidate) parts.push(attribute(ATTRIBUTE.useCandidate, Buffer.alloc(0)));
  if (role !== undefined) {
    const value = Buffer.alloc(8);
    value.writeBigUInt64BE(role.tieBreaker);
    parts.push(attribute(ATTRIBUTE[role.kind], value));
  }
  if (mappedAddress !== undefined)
    parts.push(attribute(ATTRIBUTE.mappedAddress, xorAddress(mappedAddress, message.transactionId)));
  if (errorCode !== undefined) {
    // Class and number, without a reason phrase, so that a response is never longer than its request.
    parts.push(
      attribute(ATTRIBUTE.errorCode, uint32((Math.floor(errorCode / 100) << 8) | (errorCode % 100))),
    );
  }
  if (unknownAttributes !== undefined && unknownAttributes.length > 0) {
    const value = Buffer.alloc(unknownAttributes.length * 2);
    for (const [index, each] of unknownAttributes.entries()) value.writeUInt16BE(each, index * 2);
    parts.push(attribute(ATTRIBUTE.unknownAttributes, value));
  }
  return parts;
}

function readAttribute(message: StunMessage, type: number, value: Buffer): 'read' | 'unknown' | 'malformed' {
  switch (type) {
    case ATTRIBUTE.username:
      if (value.length > MAX_USERNAME_BYTES) return 'malformed';
      message.username = value.toString('utf8');
      return 'read';
    case ATTRIBUTE.priority:
      if (value.length !== 4) return 'malformed';
      message.priority = value.readUInt32BE(0);
      return 'read';
    case ATTRIBUTE.useCandidate:
      if (value.length !== 0) return 'malformed';
      message.useCandidate = true;
      return 'read';
    case ATTRIBUTE.controlling:
    case ATTRIBUTE.controlled:
      if (value.length !== 8 || message.role !== undefined) return 'malformed';
      message.role = {
        kind: type === ATTRIBUTE.controlling ? 'controlling' : 'controlled',
        tieBreaker: value.readBigUInt64BE(0),
      };
      return 'read';
    case ATTRIBUTE.mappedAddress: {
      const address = readXorAddress(value, message.transactionId);
      if (!address) return 'malformed';
      message.mappedAddress = address;
      return 'read';
    }
    case ATTRIBUTE.errorCode: {
      if (value.length < 4) return 'malformed';
      const code = (value.readUInt8(2) & 0x07) * 100 + value.readUInt8(3);
      if (code < 300 || code > 699 || value.readUInt8(3) > 99) return 'malformed';
      message.errorCode = code;
      return 'read';
    }
    case ATTRIBUTE.unknownAttributes:
      if (value.length % 2 !== 0) return 'malformed';
      message.unknownAttributes = Array.from({ length: value.length / 2 }, (_, index) =>
        value.readUInt16BE(index * 2),
      );
      return 'read';
    default:
      return 'unknown';
  }
}

function attribute(type: number, value: Buffer): Buffer {
  const encoded = Buffer.alloc(ATTRIBUTE_HEADER_BYTES + paddedLength(value.length));
  encoded.writeUInt16BE(type, 0);
  encoded.writeUInt16BE(value.length, 2);
  value.copy(encoded, ATTRIBUTE_HEADER_BYTES);
  return encoded;
}

function uint32(value: number): Buffer {
  const encoded = Buffer.alloc(4);
  encoded.writeUInt32BE(value);
  return encoded;
}

const paddedLength = (length: number): number => (length + 3) & ~3;

/** HMAC-SHA1 over everything before the attribute, with the length as if it were the last one (RFC 8489 §14.5). */
function integrityOf(datagram: Buffer, integrityOffset: number, password: string): Buffer {
  const covered = Buffer.from(datagram.subarray(0, integrityOffset));
  covered.writeUInt16BE(integrityOffset + ATTRIBUTE_HEADER_BYTES + INTEGRITY_BYTES - HEADER_BYTES, 2);
  return createHmac('sha1', password).update(covered).digest();
}

function fingerprintOf(datagram: Buffer, fingerprintOffset: number): number {
  return (crc32(datagram.subarray(0, fingerprintOffset)) ^ FINGERPRINT_XOR) >>> 0;
}
