/** STUN messages (RFC 8489) as an ICE-lite agent needs them: it reads binding requests and writes responses. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isIPv4 } from 'node:net';

const MAGIC_COOKIE = 0x2112a442;
const HEADER_BYTES = 20;
const INTEGRITY_BYTES = 24; // with the attribute's header
const FINGERPRINT_BYTES = 8; // with the attribute's header
const FINGERPRINT_XOR = 0x5354554e;

const BINDING_REQUEST = 0x0001;
const BINDING_SUCCESS = 0x0101;
const BINDING_ERROR = 0x0111;

const attributeTypes = {
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  xorMappedAddress: 0x0020,
  useCandidate: 0x0025,
  fingerprint: 0x8028,
  iceControlled: 0x8029,
  iceControlling: 0x802a,
} as const;

export interface Address {
  readonly address: string;
  readonly port: number;
}

export interface BindingRequest {
  readonly transactionId: Buffer;
  /** `recipient's ufrag:sender's ufrag`. */
  readonly username: string;
  readonly nominates: boolean;
  readonly role: 'controlling' | 'controlled' | null;
  readonly integrity: (password: string) => boolean;
}

/** STUN, DTLS and SRTP share a port; the first byte tells them apart (RFC 7983). */
export const isStun = (datagram: Buffer): boolean =>
  datagram.length >= HEADER_BYTES && (datagram[0] ?? 255) <= 3 && datagram.readUInt32BE(4) === MAGIC_COOKIE;

/** Null for anything but a well-formed binding request. */
export function parseBindingRequest(datagram: Buffer): BindingRequest | null {
  if (!isStun(datagram) || datagram.readUInt16BE(0) !== BINDING_REQUEST) return null;
  if (datagram.readUInt16BE(2) !== datagram.length - HEADER_BYTES) return null;
  let username = '';
  let nominates = false;
  let role: BindingRequest['role'] = null;
  let integrityAt = -1;
  for (let at = HEADER_BYTES; at + 4 <= datagram.length;) {
    const type = datagram.readUInt16BE(at);
    const length = datagram.readUInt16BE(at + 2);
    if (at + 4 + length > datagram.length) return null;
    if (type === attributeTypes.username) username = datagram.toString('utf8', at + 4, at + 4 + length);
    if (type === attributeTypes.useCandidate) nominates = true;
    if (type === attributeTypes.iceControlling) role = 'controlling';
    if (type === attributeTypes.iceControlled) role = 'controlled';
    if (type === attributeTypes.messageIntegrity && length === INTEGRITY_BYTES - 4) integrityAt = at;
    at += 4 + length + ((4 - (length % 4)) % 4);
  }
  if (username === '') return null;
  return {
    transactionId: Buffer.from(datagram.subarray(8, HEADER_BYTES)),
    username,
    nominates,
    role,
    integrity: (password) => {
      if (integrityAt < 0) return false;
      const covered = Buffer.from(datagram.subarray(0, integrityAt));
      covered.writeUInt16BE(integrityAt - HEADER_BYTES + INTEGRITY_BYTES, 2);
      const expected = createHmac('sha1', password).update(covered).digest();
      return timingSafeEqual(expected, datagram.subarray(integrityAt + 4, integrityAt + INTEGRITY_BYTES));
    },
  };
}

export function bindingSuccess(transactionId: Buffer, from: Address, password: string): Buffer {
  return signed(BINDING_SUCCESS, transactionId, xorMappedAddress(transactionId, from), password);
}

export function bindingError(transactionId: Buffer, code: number, reason: string, password: string): Buffer {
  const text = Buffer.from(reason);
  const value = Buffer.concat([Buffer.from([0, 0, Math.floor(code / 100), code % 100]), text]);
  return signed(BINDING_ERROR, transactionId, attribute(attributeTypes.errorCode, value), password);
}

function signed(type: number, transactionId: Buffer, attributes: Buffer, password: string): Buffer {
  const header = (bodyBytes: number): Buffer => {
    const bytes = Buffer.alloc(HEADER_BYTES);
    bytes.writeUInt16BE(type, 0);
    bytes.writeUInt16BE(bodyBytes, 2);
    bytes.writeUInt32BE(MAGIC_COOKIE, 4);
    transactionId.copy(bytes, 8);
    return bytes;
  };
  // Each of the two covers the message before it, with a length in the header that includes itself.
  const covered = Buffer.concat([header(attributes.length + INTEGRITY_BYTES), attributes]);
  const integrity = attribute(
    attributeTypes.messageIntegrity,
    createHmac('sha1', password).update(covered).digest(),
  );
  const bodyBytes = attributes.length + INTEGRITY_BYTES + FINGERPRINT_BYTES;
  const message = Buffer.concat([header(bodyBytes), attributes, integrity]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE((crc32(message) ^ FINGERPRINT_XOR) >>> 0);
  return Buffer.concat([message, attribute(attributeTypes.fingerprint, checksum)]);
}

function attribute(type: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(4 + value.length + ((4 - (value.length % 4)) % 4));
  bytes.writeUInt16BE(type, 0);
  bytes.writeUInt16BE(value.length, 2);
  value.copy(bytes, 4);
  return bytes;
}

function xorMappedAddress(transactionId: Buffer, { address, port }: Address): Buffer {
  const cookie = Buffer.alloc(4);
  cookie.writeUInt32BE(MAGIC_COOKIE);
  const mask = Buffer.concat([cookie, transactionId]);
  const plain = isIPv4(address) ? ipv4Bytes(address) : ipv6Bytes(address);
  const value = Buffer.alloc(4 + plain.length);
  value[1] = plain.length === 4 ? 1 : 2;
  value.writeUInt16BE(port ^ (MAGIC_COOKIE >>> 16), 2);
  plain.forEach((byte, i) => (value[4 + i] = byte ^ (mask[i] ?? 0)));
  return attribute(attributeTypes.xorMappedAddress, value);
}

const ipv4Bytes = (address: string): Buffer => Buffer.from(address.split('.').map(Number));

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = (address.split('%')[0] ?? '').split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const before = groups(head);
  const after = groups(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => 0);
  const bytes = Buffer.alloc(16);
  [...before, ...zeros, ...after]
    .slice(0, 8)
    .forEach((group, i) => bytes.writeUInt16BE(group & 0xffff, i * 2));
  return bytes;
}
