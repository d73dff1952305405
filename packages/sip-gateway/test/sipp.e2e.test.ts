/** sipp against the gateway with drachtio-srf as the application: load, lost packets, and nothing left behind. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import Srf from 'drachtio-srf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SipGateway } from '../src/index.ts';
import { startSipGateway } from '../src/index.ts';
import { SDP, SECRET } from './rig.ts';

const SIPP = process.platform === 'linux' ? '/usr/bin/sipp' : 'sipp';
const CALLS_PER_SECOND = 50;
const CALLS = 200;
/** Packets sipp loses, in and out. Per cent. */
const LOSS_PERCENT = '8';
/**
 * A shorter T1, so that the tables are empty in seconds. Ms. An answered BYE is remembered for 64*T1: long enough for five repeats
 * of sipp's, which knows nothing of our T1, so that a call whose answers keep getting lost is not told 481.
 */
const T1_MS = 200;
/** How long an outbound call lasts. Ms. */
const TALK_MS = 1_200;
/** 64*T1 twice over (an answer, then its end) and some. Ms. */
const QUIET_MS = 2 * 64 * T1_MS + 4_000;

let gateway: SipGateway;
let srf: Srf;
let children: ChildProcess[];

beforeEach(async () => {
  children = [];
  gateway = await startSipGateway({ secret: SECRET, sipPort: 0, controlPort: 0, t1Ms: T1_MS });
  srf = new Srf();
  srf.on('error', () => undefined);
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  srf.disconnect();
  await gateway.close();
});

async function connect(): Promise<void> {
  const connected = once(srf, 'connect');
  await srf.connect({ host: '127.0.0.1', port: gateway.controlPort, secret: SECRET });
  await connected;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Runs a scenario to its end; resolves with sipp's exit code and last screen. */
async function sipp(scenario: string, ...more: string[]): Promise<{ code: number; output: string }> {
  const file = fileURLToPath(new URL(`./sipp/${scenario}.xml`, import.meta.url));
  const args = ['-sf', file, '-i', '127.0.0.1', '-nostdin', '-timeout', '60', '-timeout_error', ...more];
  const child = spawn(SIPP, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output = (output + data.toString('latin1')).slice(-6_000)));
  child.stderr.on('data', (data: Buffer) => (output = (output + data.toString('latin1')).slice(-6_000)));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code: code ?? -1, output };
}

/** Waits until nothing is going on; says what is, when that never comes. */
async function quiet(): Promise<void> {
  const deadline = Date.now() + QUIET_MS;
  const nothing = {
    dialogs: 0,
    inbound: 0,
    outbound: 0,
    serverTransactions: 0,
    clientTransactions: 0,
    timers: 0,
  };
  for (;;) {
    const { apps: _, ...load } = gateway.load;
    if (JSON.stringify(load) === JSON.stringify(nothing)) return;
    if (Date.now() > deadline) expect(load).toEqual(nothing);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function answerAll(): { answered: number; ended: number } {
  const count = { answered: 0, ended: 0 };
  srf.invite((req, res) => {
    res.send(180);
    srf.createUAS(req, res, { localSdp: SDP }).then(
      (dialog) => {
        count.answered++;
        dialog.on('destroy', () => count.ended++);
      },
      () => undefined,
    );
  });
  return count;
}

const load = (port: number): string[] => [
  '-p',
  String(port),
  '-m',
  String(CALLS),
  '-r',
  String(CALLS_PER_SECOND),
];

describe.each([
  ['udp', 'u1', []],
  ['udp with lost packets', 'u1', ['-lost', LOSS_PERCENT]],
  ['tcp', 't1', []],
])('%s', (_name, transport, extra) => {
  const lossy = extra.length > 0;

  it(`${CALLS} calls at ${CALLS_PER_SECOND}/s come in, are answered and end`, async () => {
    const count = answerAll();
    await connect();
    const target = `127.0.0.1:${gateway.sipPort}`;
    const { code, output } = await sipp('uac', target, '-t', transport, ...load(await freePort()), ...extra);
    expect(code, output).toBe(0);
    await quiet();
    // With loss, a caller's repeated INVITE may come after its call is over and forgotten; no call may be missing.
    expect(count.answered).toBeGreaterThanOrEqual(CALLS);
    expect(count.ended).toBe(count.answered);
    if (!lossy) expect(count.answered).toBe(CALLS);
  });

  it(`${CALLS} calls at ${CALLS_PER_SECOND}/s go out, are answered and are hung up`, async () => {
    await connect();
    const port = await freePort();
    const callee = sipp('uas', '-t', transport, '-p', String(port), '-m', String(CALLS), ...extra);
    const suffix = transport === 't1' ? ';transport=tcp' : '';
    if (transport === 't1') await listening(port);
    const calls: Promise<void>[] = [];
    for (let i = 0; i < CALLS; i++) {
      calls.push(
        srf.createUAC(`sip:bob@127.0.0.1:${port}${suffix}`, { localSdp: SDP }).then(
          (dialog) =>
            new Promise<void>((resolve, reject) => {
              // Long enough for a lost ACK to be asked for by the repeated 200.
              setTimeout(() => {
                dialog.destroy({ headers: {} }, (error) => (error === null ? resolve() : reject(error)));
              }, TALK_MS);
            }),
        ),
      );
      await new Promise((resolve) => setTimeout(resolve, 1_000 / CALLS_PER_SECOND));
    }
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    const { code, output } = await callee;
    expect(code, output).toBe(0);
    await quiet();
  });
});

it('callers who give up while it rings leave nothing behind', async () => {
  let cancelled = 0;
  srf.invite((req, res) => {
    req.on('cancel', () => cancelled++);
    res.send(180);
  });
  await connect();
  const target = `127.0.0.1:${gateway.sipPort}`;
  const { code, output } = await sipp('uac-cancel', target, ...load(await freePort()));
  expect(code, output).toBe(0);
  await quiet();
  expect(cancelled).toBe(CALLS);
});

/** Waits until a TCP port takes connections. */
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
