/**
 * The SIP messages of a ladder as a packet capture (classic pcap, link type RAW): one UDP datagram over IPv4 per message, whatever the
 * transport was, so that any analyser shows the flow. Addresses are the real ones where they are known.
 */
import type { Ladder, LadderLine } from './build-ladder.ts';

const MAGIC = 0xa1b2c3d4;
const LINK_TYPE_RAW = 101;
const SNAP_BYTES = 65_535;
const IPV4_BYTES = 20;
const UDP_BYTES = 8;
const UDP = 17;
const DEFAULT_PORT = 5_060;
/** For documentation (RFC 5737): for an address that is unknown, or that is not IPv4. */
const UNKNOWN_SERVICE = [192, 0, 2, 1] as const;
const UNKNOWN_CARRIER = [192, 0, 2, 2] as const;

interface Address {
  octets: readonly number[];
  port: number;
}

export function ladderPcap({ lines }: Pick<Ladder, 'lines'>): Uint8Array<ArrayBuffer> {
  const messages = lines.filter(({ packet }) => packet !== null);
  const ours = serviceAddress(messages);
  return joined([fileHeader(), ...messages.map((line) => packetOf(line, ours))]);
}

function fileHeader(): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(24));
  bytes.setUint32(0, MAGIC);
  bytes.setUint16(4, 2);
  bytes.setUint16(6, 4);
  bytes.setUint32(16, SNAP_BYTES);
  bytes.setUint32(20, LINK_TYPE_RAW);
  return new Uint8Array(bytes.buffer);
}

function packetOf({ atMs, detail, packet }: LadderLine, ours: Address): Uint8Array {
  const theirs: Address = {
    octets: octetsOf(packet?.address ?? '') ?? UNKNOWN_CARRIER,
    port: packet?.port || DEFAULT_PORT,
  };
  const [source, target] = packet?.sent ? [ours, theirs] : [theirs, ours];
  const payload = new TextEncoder().encode(detail ?? '').subarray(0, SNAP_BYTES - IPV4_BYTES - UDP_BYTES);
  const length = IPV4_BYTES + UDP_BYTES + payload.length;
  const bytes = new DataView(new ArrayBuffer(16 + length));
  bytes.setUint32(0, Math.floor(atMs / 1_000));
  bytes.setUint32(4, Math.round((atMs % 1_000) * 1_000) % 1_000_000);
  bytes.setUint32(8, length);
  bytes.setUint32(12, length);
  const ip = new DataView(bytes.buffer, 16, IPV4_BYTES);
  ip.setUint8(0, 0x45);
  ip.setUint16(2, length);
  ip.setUint8(8, 64);
  ip.setUint8(9, UDP);
  source.octets.forEach((octet, index) => ip.setUint8(12 + index, octet));
  target.octets.forEach((octet, index) => ip.setUint8(16 + index, octet));
  ip.setUint16(10, checksum(ip));
  const udp = new DataView(bytes.buffer, 16 + IPV4_BYTES, UDP_BYTES);
  udp.setUint16(0, source.port);
  udp.setUint16(2, target.port);
  // The checksum stays 0: not calculated (RFC 768).
  udp.setUint16(4, UDP_BYTES + payload.length);
  new Uint8Array(bytes.buffer).set(payload, 16 + IPV4_BYTES + UDP_BYTES);
  return new Uint8Array(bytes.buffer);
}

/** RFC 791: the ones' complement of the ones' complement sum. */
function checksum(ip: DataView): number {
  let sum = 0;
  for (let at = 0; at < IPV4_BYTES; at += 2) sum += ip.getUint16(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** Ours is in the top Via of a request that we sent, and in the Contact of a response. */
function serviceAddress(messages: readonly LadderLine[]): Address {
  for (const { detail, packet } of messages) {
    if (!packet?.sent || detail === null) continue;
    const line = detail.startsWith('SIP/2.0 ') ? CONTACT.exec(detail) : VIA.exec(detail);
    const octets = octetsOf(line?.[1] ?? '');
    if (octets) return { octets, port: Number(line?.[2]) || DEFAULT_PORT };
  }
  return { octets: UNKNOWN_SERVICE, port: DEFAULT_PORT };
}

const VIA = /\n(?:via|v)[ \t]*:[ \t]*SIP\/2\.0\/\w+[ \t]+([\d.]+)(?::(\d{1,5}))?/i;
const CONTACT = /\n(?:contact|m)[ \t]*:[^\r\n]*?sips?:(?:[^@>\r\n]*@)?([\d.]+)(?::(\d{1,5}))?/i;

function octetsOf(address: string): number[] | null {
  const octets = address
    .replace(/^::ffff:/i, '')
    .split('.')
    .map(Number);
  const isValid =
    octets.length === 4 && octets.every((octet) => Number.isInteger(octet) && octet >= 0 && octet <= 255);
  return isValid && /^[\d.]+$/.test(address.replace(/^::ffff:/i, '')) ? octets : null;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
