/**
 * Plays a recording against the embedded gateway: sends the app's commands and the remote parties' messages, and
 * compares what the gateway sends with what drachtio-server sent. The gateway's clock follows the recording.
 */
import dgram from 'node:dgram';
import net from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { FrameReader, frame } from '../../src/control/framing.ts';
import type { SipGateway, SipGatewayOptions } from '../../src/index.ts';
import { startSipGateway } from '../../src/index.ts';
import { StreamFraming } from '../../src/transport/framing.ts';
import { ManualClock } from '../manual-clock.ts';
import { Channel } from './channel.ts';
import type { Expected } from './channel.ts';
import type { Entry, FrameEntry, SipEntry } from './transcript.ts';
import { Names, compareFrame, compareSip } from './unify.ts';

export interface PlayResult {
  /** The number of expectations that were met. */
  readonly met: number;
  readonly problems: readonly string[];
}

/** Real time that an expected message may take on loopback. Ms. */
const HARD_WAIT_MS = 1_000;
/** Entries closer than this to the next sending may be its consequence rather than its cause. Ms. */
const SOFT_WINDOW_MS = 6;
const SOFT_WAIT_MS = 25;
/** Recorded times vary: what the server did on its own may come this much later here. Ms. */
const CLOCK_LEAD_MS = 100;
const MAX_LEAD_MS = 400;
/** Time at the end for late messages. Ms. */
const LATE_MS = 3_000;
const SECRET = 'cymru';
/** A note about an action of a remote party. */
const CLOSING = /^(\S+) closes its TCP connection/;

/** Entries that are compared less strictly, see differences.ts. */
export interface Leniency {
  /** The gateway may send this in addition. */
  allowed(text: string): boolean;
  /** This may come out of order, and up to a few seconds after its time. */
  late(entry: Entry): boolean;
}

export async function play(
  entries: readonly Entry[],
  leniency: Leniency,
  options: Partial<SipGatewayOptions> = {},
): Promise<PlayResult> {
  const clock = new ManualClock(Date.UTC(2026, 10, 21, 3, 0, 0));
  const gateway = await startSipGateway({ secret: SECRET, sipPort: 0, controlPort: 0, clock, ...options });
  const stage = new Stage(entries, leniency, gateway, clock);
  try {
    await stage.setUp();
    return await stage.run();
  } finally {
    await stage.tearDown();
    await gateway.close();
  }
}

interface Endpoint {
  readonly channel: Channel;
  send(text: string): Promise<void>;
  close(): void;
}

class Stage {
  readonly #entries: readonly Entry[];
  readonly #leniency: Leniency;
  readonly #gateway: SipGateway;
  readonly #clock: ManualClock;
  readonly #names = new Names();
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #apps = new Map<number, net.Socket>();
  readonly #channels = new Map<string, Channel>();
  readonly #closed = new Set<number>();
  readonly #expectations = new Map<Entry, Expected>();
  readonly #started: number;
  #recordedPort = 5070;

  constructor(entries: readonly Entry[], leniency: Leniency, gateway: SipGateway, clock: ManualClock) {
    this.#entries = entries;
    this.#leniency = leniency;
    this.#gateway = gateway;
    this.#clock = clock;
    this.#started = clock.now();
  }

  async setUp(): Promise<void> {
    for (const entry of this.#entries) {
      const advertised =
        entry.kind === 'frame' ? /udp\/127\.0\.0\.1:(\d+)/.exec(entry.payload)?.[1] : undefined;
      if (advertised !== undefined) this.#recordedPort = Number(advertised);
    }
    this.#names.bindPort(this.#recordedPort, this.#gateway.sipPort);
    for (const entry of this.#entries) {
      if (entry.kind === 'sip-in' || entry.kind === 'sip-out') await this.#endpointOf(entry);
      if (entry.kind === 'sip-out') this.#endpointNamed(entry.endpoint).channel.expect(this.#expected(entry));
      if (entry.kind === 'frame') this.#controlChannel(entry.conn).expect(this.#expected(entry));
    }
  }

  async run(): Promise<PlayResult> {
    const problems: string[] = [];
    const soon: { channel: Channel; expected: Expected }[] = [];
    const late: typeof soon = [];
    let met = 0;
    const settle = async (all: boolean, before: number): Promise<void> => {
      for (const item of soon.splice(0)) {
        const soft = !all && item.expected.at > before - SOFT_WINDOW_MS;
        if (await this.#comes(item.channel, item.expected, soft)) met++;
        else if (soft) soon.push(item);
        else
          problems.push(`${item.channel.name}: never came (+${item.expected.at} ms)\n${item.expected.text}`);
        if (problems.length > 3) return;
      }
    };
    for (const entry of this.#entries) {
      if (problems.length > 3) break;
      if (entry.kind === 'sip-out' || entry.kind === 'frame') {
        // The clock advances only when everything before has happened.
        if (this.#isAhead(entry.at)) await settle(false, entry.at);
        await this.#advanceTo(entry.at);
        const channel =
          'endpoint' in entry
            ? this.#endpointNamed(entry.endpoint).channel
            : this.#controlChannel(entry.conn);
        (this.#leniency.late(entry) ? late : soon).push({ channel, expected: this.#expected(entry) });
        continue;
      }
      if (entry.kind !== 'note' || CLOSING.test(entry.text) || this.#isAhead(entry.at))
        await settle(false, entry.at);
      await this.#advanceTo(entry.at);
      const problem = await this.#act(entry);
      if (problem !== null) problems.push(problem);
    }
    await this.#clock.advanceWith(LATE_MS, rounds);
    soon.push(...late);
    await settle(true, Number.POSITIVE_INFINITY);
    for (const channel of [
      ...this.#channels.values(),
      ...[...this.#endpoints.values()].map((e) => e.channel),
    ]) {
      for (const text of channel.unexpected) {
        if (!this.#leniency.allowed(text)) problems.push(`${channel.name}: unexpected\n${text}`);
      }
    }
    return { met, problems };
  }

  async tearDown(): Promise<void> {
    for (const endpoint of this.#endpoints.values()) endpoint.close();
    for (const app of this.#apps.values()) app.destroy();
    await immediate();
  }

  /** Performs an action of the recorded remote party or app. Returns an error message, or null. */
  async #act(entry: Entry): Promise<string | null> {
    switch (entry.kind) {
      case 'open':
        this.#apps.set(entry.conn, await this.#openApp(entry.conn));
        return null;
      case 'command':
        this.#apps.get(entry.conn)?.write(frame(this.#names.translate(entry.payload)), 'latin1');
        return null;
      case 'raw':
        this.#apps.get(entry.conn)?.write(entry.text, 'latin1');
        return null;
      case 'close':
        this.#apps.get(entry.conn)?.end();
        await rounds();
        return null;
      case 'closed': {
        const deadline = performance.now() + HARD_WAIT_MS;
        while (!this.#closed.has(entry.conn) && performance.now() < deadline) await immediate();
        return this.#closed.has(entry.conn) ? null : `conn ${entry.conn} was not closed by the gateway`;
      }
      case 'sip-in':
        await this.#endpoints.get(entry.endpoint)?.send(this.#names.translate(entry.text));
        return null;
      case 'note': {
        const name = CLOSING.exec(entry.text)?.[1];
        if (name !== undefined) {
          this.#endpoints.get(name)?.close();
          await rounds();
        }
        return null;
      }
      default:
        return null;
    }
  }

  /** Waits for an expectation; what a timer sends may need the clock slightly beyond the recorded time. */
  async #comes(channel: Channel, expected: Expected, soft: boolean): Promise<boolean> {
    if (await channel.until(expected, SOFT_WAIT_MS)) return true;
    if (soft) return false;
    for (let lead = 0; lead < MAX_LEAD_MS; lead += CLOCK_LEAD_MS) {
      await this.#clock.advanceWith(CLOCK_LEAD_MS, rounds);
      if (await channel.until(expected, SOFT_WAIT_MS)) return true;
    }
    return await channel.until(expected, HARD_WAIT_MS);
  }

  /** Smaller steps are noise of the recording. */
  #isAhead(at: number): boolean {
    return at - (this.#clock.now() - this.#started) > SOFT_WINDOW_MS;
  }

  async #advanceTo(at: number): Promise<void> {
    if (this.#isAhead(at)) await this.#clock.advanceWith(at - (this.#clock.now() - this.#started), rounds);
  }

  async #openApp(conn: number): Promise<net.Socket> {
    const socket = net.connect({ host: '127.0.0.1', port: this.#gateway.controlPort });
    const reader = new FrameReader();
    const channel = this.#controlChannel(conn);
    socket.on('data', (data: Buffer) => {
      for (const payload of reader.push(data.toString('latin1')) ?? []) channel.arrive(payload);
    });
    socket.on('error', () => undefined);
    socket.on('end', () => this.#closed.add(conn));
    socket.on('close', () => this.#closed.add(conn));
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    return socket;
  }

  #expected(entry: SipEntry | FrameEntry): Expected {
    const made: Expected = {
      at: entry.at,
      text: 'endpoint' in entry ? entry.text : entry.payload,
      late: this.#leniency.late(entry),
    };
    const expected = this.#expectations.get(entry) ?? made;
    this.#expectations.set(entry, expected);
    return expected;
  }

  #endpointNamed(name: string): Endpoint {
    const endpoint = this.#endpoints.get(name);
    if (endpoint === undefined) throw new Error(`no endpoint ${name}`);
    return endpoint;
  }

  #controlChannel(conn: number): Channel {
    const name = `control ${conn}`;
    const channel = this.#channels.get(name) ?? new Channel(name, this.#names, compareFrame);
    this.#channels.set(name, channel);
    return channel;
  }

  async #endpointOf(entry: SipEntry): Promise<void> {
    if (this.#endpoints.has(entry.endpoint)) return;
    const channel = new Channel(entry.endpoint, this.#names, compareSip);
    const recorded = Number(/\d{4}$/.exec(entry.endpoint)?.[0] ?? this.#portOf(entry.endpoint));
    const endpoint =
      entry.transport === 'UDP'
        ? await udpEndpoint(channel, this.#gateway.sipPort)
        : entry.kind === 'sip-in'
          ? await tcpCaller(channel, this.#gateway.sipPort)
          : await tcpCallee(channel);
    this.#names.bindPort(
      entry.transport === 'TCP' && entry.kind === 'sip-in' ? this.#sourcePort(entry) : recorded,
      endpoint.port,
    );
    this.#endpoints.set(entry.endpoint, endpoint);
  }

  /** The source port of a stream, as reported to the app. */
  #sourcePort(entry: SipEntry): number {
    const callId = /^Call-ID: .+$/m.exec(entry.text)?.[0] ?? '';
    for (const other of this.#entries) {
      if (other.kind !== 'frame' || !other.payload.includes(callId)) continue;
      const reportedPort = /\|tcp\|127\.0\.0\.1\|(\d+)\|/.exec(other.payload)?.[1];
      if (reportedPort !== undefined) return Number(reportedPort);
    }
    return 0;
  }

  /** The port that a remote party writes in its messages, or is addressed by. */
  #portOf(name: string): number {
    for (const entry of this.#entries) {
      if (!('endpoint' in entry) || entry.endpoint !== name) continue;
      for (const match of entry.text.matchAll(/127\.0\.0\.1:(\d+)/g)) {
        if (Number(match[1]) !== this.#recordedPort) return Number(match[1]);
      }
    }
    return 0;
  }
}

/** Lets sockets on loopback deliver what was written. */
async function rounds(): Promise<void> {
  for (let i = 0; i < 6; i++) await immediate();
}

async function udpEndpoint(channel: Channel, gatewayPort: number): Promise<Endpoint & { port: number }> {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (data) => {
    if (data.length > 8) channel.arrive(data.toString('latin1'));
  });
  await new Promise<void>((resolve) => socket.bind({ address: '127.0.0.1', port: 0 }, resolve));
  return {
    channel,
    port: socket.address().port,
    send: (text) =>
      new Promise((resolve) => {
        socket.send(Buffer.from(text, 'latin1'), gatewayPort, '127.0.0.1', () => resolve());
      }),
    close: () => socket.close(),
  };
}

function listenTo(socket: net.Socket, channel: Channel): void {
  const framing = new StreamFraming();
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => {
    for (const event of framing.push(data.toString('latin1')) ?? []) {
      if (event.kind === 'message') channel.arrive(event.text);
    }
  });
}

/** A remote party that opens the connection. */
async function tcpCaller(channel: Channel, gatewayPort: number): Promise<Endpoint & { port: number }> {
  const socket = net.connect({ host: '127.0.0.1', port: gatewayPort });
  listenTo(socket, channel);
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return {
    channel,
    port: socket.localPort ?? 0,
    send: async (text) => void socket.write(text, 'latin1'),
    close: () => socket.destroy(),
  };
}

/** A remote party that the gateway connects to. */
async function tcpCallee(channel: Channel): Promise<Endpoint & { port: number }> {
  let current: net.Socket | undefined;
  const server = net.createServer((socket) => {
    current = socket;
    listenTo(socket, channel);
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const address = server.address();
  return {
    channel,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    send: async (text) => void current?.write(text, 'latin1'),
    close: () => {
      current?.destroy();
      server.close();
    },
  };
}
