/** Raw bytes on the loopback network, without a client that follows a protocol. */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import type { SeededRandom } from '../lib/seeded-random.ts';

export const HOST = '127.0.0.1';
const READY_TIMEOUT_MS = 5_000;
const PROBE_MS = 50;

/** An address of this machine that nothing else in a test uses, so that limits per address are separate. */
export function stranger(random: SeededRandom): string {
  const byte = () => 1 + Math.floor(random.next() * 254);
  return `127.${byte()}.${byte()}.${byte()}`;
}

export interface Talk {
  from: string;
  /** How long to wait for the other side to close. */
  waitMs: number;
}

/** Connects, writes, and closes the connection when the other side does or the time is over. */
export async function say(port: number, bytes: string | Buffer, talk: Talk): Promise<string> {
  const line = openLine(port, talk.from);
  line.socket.on('end', () => line.socket.destroy());
  line.socket.write(bytes);
  await line.closedWithin(talk.waitMs);
  line.socket.destroy();
  return line.text;
}

export interface Line {
  socket: Socket;
  readonly text: string;
  readonly closed: boolean;
  closedWithin(ms: number): Promise<boolean>;
}

/** A connection that stays open on this side, even after the other side has ended it; `closed` once it is gone. */
export function openLine(port: number, from: string): Line {
  const socket = connect({ host: HOST, port, localAddress: from, allowHalfOpen: true });
  let text = '';
  let closed = false;
  socket.on('data', (data) => (text += data.toString('latin1')));
  socket.on('error', () => undefined); // a reset also closes the socket
  // Only the response to a further byte distinguishes a closed side from one that has only ended.
  let probe: NodeJS.Timeout | undefined;
  socket.on('end', () => (probe = setInterval(() => socket.write('\0'), PROBE_MS)));
  socket.on('close', () => {
    clearInterval(probe);
    closed = true;
  });
  return {
    socket,
    get text() {
      return text;
    },
    get closed() {
      return closed;
    },
    async closedWithin(ms) {
      // `events.once` would reject on the reset that comes before the end.
      const end = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      if (!closed) await Promise.race([end, sleep(ms, undefined, { ref: false })]);
      return closed;
    },
  };
}

/** The head of an upgrade to a WebSocket (RFC 6455, section 4.1). */
export const upgradeOf = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n${headers}\r\n`;

/** A text message in one frame (RFC 6455, section 5.2), masked with zeros. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  const head = length < 126 ? Buffer.alloc(6) : length < 65_536 ? Buffer.alloc(8) : Buffer.alloc(14);
  head[0] = 0x81;
  if (length < 126) head[1] = 0x80 | length;
  else if (length < 65_536) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** An engine.io connection over WebSocket; null when it was refused. */
export async function openWebSocket(
  port: number,
  from: string,
  path = '/socket.io?EIO=4&transport=websocket',
): Promise<Line | null> {
  const line = openLine(port, from);
  line.socket.write(upgradeOf(path));
  const deadline = AbortSignal.timeout(READY_TIMEOUT_MS);
  while (!line.closed && !line.text.includes('"sid"')) {
    const heard = await Promise.race([
      once(line.socket, 'data', { signal: deadline }).then(
        () => true,
        () => false,
      ),
      line.closedWithin(READY_TIMEOUT_MS).then(() => false),
    ]);
    if (!heard || / [45]\d\d /.test(line.text.slice(0, 16))) break;
  }
  if (line.text.includes('"sid"') && !line.closed) return line;
  line.socket.destroy();
  return null;
}

export interface Datagrams {
  send(bytes: string | Buffer, port: number): Promise<void>;
  /** Resolves with the first response, or after this long without one. */
  answered(ms: number): Promise<void>;
  close(): void;
}

/** A UDP socket that ignores send errors. */
export async function openDatagrams(from: string): Promise<Datagrams> {
  const socket = createSocket('udp4');
  socket.on('error', () => undefined);
  socket.bind(0, from);
  await once(socket, 'listening');
  return {
    send: (bytes, port) =>
      new Promise((resolve) => {
        const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
        socket.send(data, port, HOST, () => resolve());
      }),
    answered: (ms) =>
      Promise.race([
        new Promise<void>((resolve) => socket.once('message', () => resolve())),
        sleep(ms, undefined, { ref: false }),
      ]),
    close: () => socket.close(),
  };
}

/** Runs the work for each item with limited concurrency. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.entries();
  const lane = async () => {
    for (const [, item] of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
