/** A name server for tests: real UDP on loopback, with records that may change with every query (RFC 1035, section 4). */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const TYPE_SRV = 33;
/** Response, recursion desired and available. */
const ANSWER_FLAGS = 0x8180;
const NAME_ERROR = 3;
const HEADER_BYTES = 12;
/** A compression pointer to the name in the question. */
const SAME_NAME = 0xc00c;

/** The addresses of a name. `asked` counts its earlier lookups, each of which queries A and AAAA. */
export type Zone = (name: string, asked: number) => string[] | null;

export interface SrvData {
  name: string;
  port: number;
  priority: number;
  weight: number;
}

/** The SRV records of a service name (RFC 2782). */
export type Services = (name: string) => SrvData[] | null;

export interface DnsServer {
  /** `address:port`, for a resolver. */
  address: string;
  /** Lookups of each name, counted by their A queries. */
  asked: Map<string, number>;
  close(): Promise<void>;
}

export async function startDnsServer(zone: Zone, services: Services = () => null): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  const answers = new Map<string, string[] | null>();
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    const round = asked.get(`${name} ${type}`) ?? 0;
    asked.set(`${name} ${type}`, round + 1);
    if (type === TYPE_SRV) {
      socket.send(
        response(query, end, services(name)?.map(bytesOfSrv) ?? null, TYPE_SRV),
        from.port,
        from.address,
      );
      return;
    }
    const key = `${name} ${round}`;
    if (!answers.has(key)) answers.set(key, zone(name, round));
    socket.send(answer(query, end, type, answers.get(key) ?? null), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answer(query: Buffer, end: number, type: number, addresses: string[] | null): Buffer {
  const records = (addresses ?? [])
    .filter((address) => address.includes(':') === (type === TYPE_AAAA))
    .filter(() => type === TYPE_A || type === TYPE_AAAA)
    .map((address) =>
      address.includes(':') ? bytesOfIPv6(address) : Buffer.from(address.split('.').map(Number)),
    );
  return response(query, end, addresses && records, type);
}

/** @param records the data of each; null: there is no such name */
function response(query: Buffer, end: number, records: Buffer[] | null, type: number): Buffer {
  const answers = (records ?? []).map((data) => {
    const head = Buffer.alloc(HEADER_BYTES);
    head.writeUInt16BE(SAME_NAME, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt16BE(1, 4); // class IN; the TTL after it is 0
    head.writeUInt16BE(data.length, 10);
    return Buffer.concat([head, data]);
  });
  const message = Buffer.from(query.subarray(0, end));
  message.writeUInt16BE(ANSWER_FLAGS | (records === null ? NAME_ERROR : 0), 2);
  message.writeUInt16BE(1, 4);
  message.writeUInt16BE(answers.length, 6);
  message.writeUInt32BE(0, 8);
  return Buffer.concat([message, ...answers]);
}

function bytesOfSrv({ name, port, priority, weight }: SrvData): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(priority, 0);
  head.writeUInt16BE(weight, 2);
  head.writeUInt16BE(port, 4);
  const labels = name.split('.').filter((label) => label !== '');
  const encoded = labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([head, ...encoded, Buffer.from([0])]);
}

function bytesOfIPv6(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const words = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 0xff]));
}
