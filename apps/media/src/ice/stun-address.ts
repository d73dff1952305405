/** XOR-MAPPED-ADDRESS of STUN (RFC 8489 §14.2). Pure. */
import { isIPv4, isIPv6, SocketAddress } from 'node:net';

export interface Endpoint {
  address: string;
  port: number;
}

const IPV4 = 0x01;
const IPV6 = 0x02;
const IPV4_VALUE_BYTES = 8;
const IPV6_VALUE_BYTES = 20;
/** The address is XORed with the magic cookie and, for IPv6, the transaction id after it. */
const COOKIE = Buffer.from([0x21, 0x12, 0xa4, 0x42]);

/** Throws for an address that is not numeric. */
export function xorAddress({ address, port }: Endpoint, transactionId: Buffer): Buffer {
  const bytes = addressBytes(address);
  const value = Buffer.alloc(4 + bytes.length);
  value.writeUInt8(bytes.length === 4 ? IPV4 : IPV6, 1);
  value.writeUInt16BE(port ^ COOKIE.readUInt16BE(0), 2);
  xored(bytes, transactionId).copy(value, 4);
  return value;
}

/** Returns null if the value is malformed. */
export function readXorAddress(value: Buffer, transactionId: Buffer): Endpoint | null {
  const family = value.length < 2 ? 0 : value.readUInt8(1);
  if (value.length !== (family === IPV6 ? IPV6_VALUE_BYTES : IPV4_VALUE_BYTES)) return null;
  if (family !== IPV4 && family !== IPV6) return null;
  const port = value.readUInt16BE(2) ^ COOKIE.readUInt16BE(0);
  const bytes = xored(value.subarray(4), transactionId);
  if (family === IPV4) return { address: bytes.join('.'), port };
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return { address: canonicalIpv6(groups.join(':')), port };
}

export function canonicalIpv6(address: string): string {
  return new SocketAddress({ family: 'ipv6', address }).address;
}

function xored(bytes: Buffer, transactionId: Buffer): Buffer {
  const mask = Buffer.concat([COOKIE, transactionId]);
  return Buffer.from(bytes.map((byte, index) => byte ^ (mask[index] ?? 0)));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [numeric = ''] = address.split('%');
  if (!isIPv6(numeric)) throw new TypeError(`${address} is not a numeric address`);
  const [left = '', right] = withoutIpv4Tail(numeric).split('::');
  const before = groupsOf(left);
  const after = right === undefined ? [] : groupsOf(right);
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...before, ...zeros, ...after].entries())
    bytes.writeUInt16BE(group, index * 2);
  return bytes;
}

const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));

/** `::ffff:192.0.2.1` as `::ffff:c000:201`. */
function withoutIpv4Tail(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a: string, b: string, c: string, d: string) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  );
}
