/** Debian's rtpengine in user space, controlled with its ng protocol (bencode over UDP), for comparison with our relay. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@clarion/devkit/settings/free-port';
import { terminate } from '@clarion/testkit/peers/terminate';

const PROGRAM = '/usr/bin/rtpengine';
const REPLY_TIMEOUT_MS = 2000;
const READY_TRIES = 30;
/** Below the system's ephemeral ports (from 32768), because it would share ports with sockets that already use them. */
const PORTS = { first: 29_000, last: 32_698 };

type Value = string | Value[] | { [key: string]: Value };

export const hasRtpengine = () => existsSync(PROGRAM);

export function bencode(value: Value): string {
  if (typeof value === 'string') return `${Buffer.byteLength(value)}:${value}`;
  if (Array.isArray(value)) return `l${value.map(bencode).join('')}e`;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `d${entries.map(([key, each]) => bencode(key) + bencode(each)).join('')}e`;
}

/** The text value of one key of a bencoded dictionary. Numbers and nested values are not needed here. */
export function textOf(encoded: Buffer, key: string): string | null {
  const marker = encoded.indexOf(`${key.length}:${key}`);
  if (marker < 0) return null;
  const at = marker + `${key.length}:${key}`.length;
  const colon = encoded.indexOf(':', at);
  const length = Number(encoded.toString('utf8', at, colon));
  return Number.isInteger(length) ? encoded.toString('utf8', colon + 1, colon + 1 + length) : null;
}

export class Rtpengine {
  readonly child: ChildProcess;
  readonly #socket: Socket;
  readonly #port: number;
  readonly #waiting = new Map<string, (reply: Buffer) => void>();

  private constructor(child: ChildProcess, socket: Socket, port: number) {
    this.child = child;
    this.#socket = socket;
    this.#port = port;
    socket.on('message', (message) => {
      const space = message.indexOf(' ');
      this.#waiting.get(message.toString('latin1', 0, space))?.(message.subarray(space + 1));
    });
  }

  static async start(): Promise<Rtpengine> {
    const port = await freePort();
    const flags = ['--foreground', '--table=-1', '--interface=127.0.0.1', `--listen-ng=127.0.0.1:${port}`];
    const ports = [`--port-min=${PORTS.first}`, `--port-max=${PORTS.last}`];
    const child = spawn(PROGRAM, [...flags, ...ports, '--num-threads=2', '--log-level=2', '--log-stderr'], {
      stdio: 'ignore',
    });
    const engine = new Rtpengine(child, createSocket('udp4'), port);
    for (let attempt = 0; attempt < READY_TRIES; attempt += 1) {
      const pong = await engine.command({ command: 'ping' }, 200).catch(() => null);
      if (pong) return engine;
      await sleep(100);
    }
    await engine.stop();
    throw new Error('rtpengine did not start');
  }

  /** Rejects with rtpengine's own reason. */
  async command(message: { [key: string]: Value }, timeoutMs = REPLY_TIMEOUT_MS): Promise<Buffer> {
    const cookie = randomBytes(6).toString('hex');
    const reply = await new Promise<Buffer>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(cookie);
        reject(new Error('rtpengine did not respond'));
      }, timeoutMs);
      this.#waiting.set(cookie, (buffer) => {
        clearTimeout(timer);
        this.#waiting.delete(cookie);
        resolve(buffer);
      });
      this.#socket.send(`${cookie} ${bencode(message)}`, this.#port, '127.0.0.1');
    });
    if (textOf(reply, 'result') === 'error') throw new Error(`rtpengine: ${textOf(reply, 'error-reason')}`);
    return reply;
  }

  /** An SDP offer or answer rewritten by rtpengine: the SDP for the other side. */
  async rewrite(message: { [key: string]: Value }): Promise<string> {
    const sdp = textOf(await this.command(message), 'sdp');
    if (!sdp) throw new Error('rtpengine returned no SDP');
    return sdp;
  }

  async stop(): Promise<void> {
    this.#socket.close();
    await terminate(this.child);
  }
}
