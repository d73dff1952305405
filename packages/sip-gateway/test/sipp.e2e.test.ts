/** sipp against the gateway with drachtio-srf as the application: load, lost packets, and no state left behind. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '@clarion/devkit/settings/free-port';
import Srf from 'drachtio-srf';
import { describe, expect, it, type TestContext } from 'vitest';
import type { SipGateway } from '../src/index.ts';
import { startSipGateway } from '../src/index.ts';
import { SDP, SECRET } from './gateway-fixture.ts';

const SIPP = process.platform === 'linux' ? '/usr/bin/sipp' : 'sipp';
const CALLS_PER_SECOND = 50;
const CALLS = 100;
/** Packets that sipp loses in each direction. Per cent. */
const LOSS_PERCENT = '8';
/** A shorter T1, so that the tables are empty within seconds. Ms. */
const T1_MS = 100;
/**
 * With lost packets. Ms. A BYE with its response is kept for 64*T1: long enough for five retransmissions of sipp, which
 * uses its own T1, so that a call whose responses are lost does not get 481.
 */
const LOSSY_T1_MS = 200;
/** Loads that run at the same time. */
const LOADS_AT_ONCE = 2;
/** How long an outbound call lasts. Ms. */
const TALK_MS = 1_200;
/** 64*T1 twice (a response, then its end), with some margin. Ms. */
const quietMs = (t1Ms: number): number => 2 * 64 * t1Ms + 4_000;

/** One gateway with one application, and the sipp processes that call it. */
class Exchange {
  readonly gateway: SipGateway;
  readonly srf = new Srf();
  readonly #children: ChildProcess[] = [];
  readonly #t1Ms: number;

  private constructor(gateway: SipGateway, t1Ms: number) {
    this.gateway = gateway;
    this.#t1Ms = t1Ms;
    this.srf.on('error', () => undefined);
  }

  /** Closed at the end of the test. */
  static async open(onTestFinished: TestContext['onTestFinished'], t1Ms = T1_MS): Promise<Exchange> {
    const gateway = await startSipGateway({ secret: SECRET, sipPort: 0, controlPort: 0, t1Ms });
    const exchange = new Exchange(gateway, t1Ms);
    onTestFinished(() => exchange.close());
    return exchange;
  }

  async connect(): Promise<void> {
    const connected = once(this.srf, 'connect');
    await this.srf.connect({ host: '127.0.0.1', port: this.gateway.controlPort, secret: SECRET });
    await connected;
  }

  /** Runs a scenario to its end; resolves with sipp's exit code and last screen. */
  async sipp(scenario: string, ...more: string[]): Promise<{ code: number; output: string }> {
    const file = fileURLToPath(new URL(`./sipp/${scenario}.xml`, import.meta.url));
    const args = ['-sf', file, '-i', '127.0.0.1', '-nostdin', '-timeout', '60', '-timeout_error', ...more];
    const child = spawn(SIPP, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output = (output + data.toString('latin1')).slice(-6_000)));
    child.stderr.on('data', (data: Buffer) => (output = (output + data.toString('latin1')).slice(-6_000)));
    const [code] = (await once(child, 'exit')) as [number | null];
    return { code: code ?? -1, output };
  }

  answerAll(): { answered: number; ended: number } {
    const count = { answered: 0, ended: 0 };
    this.srf.invite((req, res) => {
      res.send(180);
      this.srf.createUAS(req, res, { localSdp: SDP }).then(
        (dialog) => {
          count.answered++;
          dialog.on('destroy', () => count.ended++);
        },
        () => undefined,
      );
    });
    return count;
  }

  /** Waits until the gateway is idle; fails with its load. */
  async quiet(): Promise<void> {
    const deadline = Date.now() + quietMs(this.#t1Ms);
    const nothing = {
      dialogs: 0,
      inbound: 0,
      outbound: 0,
      serverTransactions: 0,
      clientTransactions: 0,
      timers: 0,
    };
    for (;;) {
      const { apps: _, ...load } = this.gateway.load;
      if (JSON.stringify(load) === JSON.stringify(nothing)) return;
      if (Date.now() > deadline) assert.deepEqual(load, nothing);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    this.srf.disconnect();
    await this.gateway.close();
  }
}

const lanes: Promise<unknown>[] = Array.from({ length: LOADS_AT_ONCE }, () => Promise.resolve());
let loads = 0;

/** A few loads at a time; the gateways of earlier ones become idle meanwhile, which takes longer than the load. */
function inTurn(load: () => Promise<void>): Promise<void> {
  const lane = loads % LOADS_AT_ONCE;
  loads += 1;
  const mine = (lanes[lane] ?? Promise.resolve()).then(load);
  lanes[lane] = mine.catch(() => undefined);
  return mine;
}

const load = (port: number): string[] => [
  '-p',
  String(port),
  '-m',
  String(CALLS),
  '-r',
  String(CALLS_PER_SECOND),
];

/** First the one whose gateways take the longest to become idle. */
describe.concurrent.each([
  ['udp with lost packets', 'u1', ['-lost', LOSS_PERCENT]],
  ['udp', 'u1', []],
  ['tcp', 't1', []],
])('%s', (_name, transport, extra) => {
  const lossy = extra.length > 0;
  const t1Ms = lossy ? LOSSY_T1_MS : T1_MS;

  it(`${CALLS} calls at ${CALLS_PER_SECOND}/s come in, are answered and end`, async ({ onTestFinished }) => {
    const exchange = await Exchange.open(onTestFinished, t1Ms);
    const count = exchange.answerAll();
    await inTurn(async () => {
      await exchange.connect();
      const target = `127.0.0.1:${exchange.gateway.sipPort}`;
      const args = [target, '-t', transport, ...load(await freePort()), ...extra];
      const { code, output } = await exchange.sipp('uac', ...args);
      expect(code, output).toBe(0);
    });
    await exchange.quiet();
    // With loss, a caller's retransmitted INVITE may arrive after its call has ended and been removed; no call may be
    // missing.
    expect(count.answered).toBeGreaterThanOrEqual(CALLS);
    expect(count.ended).toBe(count.answered);
    if (!lossy) expect(count.answered).toBe(CALLS);
  });

  it(`${CALLS} calls at ${CALLS_PER_SECOND}/s go out, are answered and are hung up`, async ({
    onTestFinished,
  }) => {
    const exchange = await Exchange.open(onTestFinished, t1Ms);
    await inTurn(async () => {
      await exchange.connect();
      const port = await freePort();
      const callee = exchange.sipp('uas', '-t', transport, '-p', String(port), '-m', String(CALLS), ...extra);
      const suffix = transport === 't1' ? ';transport=tcp' : '';
      if (transport === 't1') await listening(port);
      const calls: Promise<void>[] = [];
      for (let i = 0; i < CALLS; i++) {
        calls.push(talk(exchange.srf, `sip:bob@127.0.0.1:${port}${suffix}`));
        await new Promise((resolve) => setTimeout(resolve, 1_000 / CALLS_PER_SECOND));
      }
      const [{ code, output }, outcomes] = await Promise.all([callee, Promise.allSettled(calls)]);
      expect(code, output).toBe(0);
      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    });
    await exchange.quiet();
  });
});

it.concurrent('callers who hang up while it rings leave no state behind', async ({ onTestFinished }) => {
  const exchange = await Exchange.open(onTestFinished);
  let cancelled = 0;
  exchange.srf.invite((req, res) => {
    req.on('cancel', () => cancelled++);
    res.send(180);
  });
  await inTurn(async () => {
    await exchange.connect();
    const target = `127.0.0.1:${exchange.gateway.sipPort}`;
    const { code, output } = await exchange.sipp('uac-cancel', target, ...load(await freePort()));
    expect(code, output).toBe(0);
  });
  await exchange.quiet();
  expect(cancelled).toBe(CALLS);
});

/** An answered call that we hang up, long enough for a repeated 200 to ask again for a lost ACK. */
async function talk(srf: Srf, uri: string): Promise<void> {
  const dialog = await srf.createUAC(uri, { localSdp: SDP });
  await new Promise((resolve) => setTimeout(resolve, TALK_MS));
  await new Promise<void>((resolve, reject) => {
    dialog.destroy({ headers: {} }, (error) => (error === null ? resolve() : reject(error)));
  });
}

/** Waits until a TCP port accepts connections. */
async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = net.connect({ host: '127.0.0.1', port });
    const up = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
