import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Srf from 'drachtio-srf';
import { afterEach, describe, expect, it } from 'vitest';
import { startSipGateway } from './index.ts';
import { selfSigned } from './transport/self-signed.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
let child: ChildProcess | undefined;

afterEach(() => child?.kill('SIGKILL'));

function run(env: Record<string, string>): ChildProcess {
  child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return child;
}

async function firstLine(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  for await (const chunk of stream ?? []) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.slice(0, text.indexOf('\n'));
}

const SDP =
  'v=0\r\no=t 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n';

function isReady(line: unknown): line is { tlsPort: number; controlPort: number } {
  return typeof line === 'object' && line !== null && 'tlsPort' in line && typeof line.tlsPort === 'number';
}

async function application(controlPort: number, host = '127.0.0.1'): Promise<Srf> {
  const srf = new Srf();
  srf.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    srf.on('connect', (error) => (error instanceof Error ? reject(error) : resolve()));
    void srf.connect({ host, port: controlPort, secret: 's' });
  });
  return srf;
}

describe('the gateway as a process', () => {
  it('prints one line of JSON when ready, and exits cleanly on SIGTERM', { timeout: 15_000 }, async () => {
    const gateway = run({
      CLARION_SIP_SECRET: 's',
      CLARION_BIND: '127.0.0.1',
      CLARION_SIP_PORT: '0',
      CLARION_SIP_CONTROL_PORT: '0',
    });
    const ready: unknown = JSON.parse(await firstLine(gateway.stdout));
    expect(ready).toMatchObject({
      msg: 'sip gateway ready',
      sipPort: expect.any(Number),
      controlPort: expect.any(Number),
    });
    const exit = once(gateway, 'exit');
    gateway.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('accepts apps only on CLARION_INTERNAL_BIND', { timeout: 15_000 }, async () => {
    const gateway = run({
      CLARION_SIP_SECRET: 's',
      CLARION_BIND: '127.0.0.1',
      CLARION_INTERNAL_BIND: '127.0.0.2',
      CLARION_SIP_PORT: '0',
      CLARION_SIP_CONTROL_PORT: '0',
    });
    const { controlPort } = JSON.parse(await firstLine(gateway.stdout)) as { controlPort: number };
    const media = await application(controlPort, '127.0.0.2');
    media.disconnect();
    const elsewhere = connect({ host: '127.0.0.1', port: controlPort });
    expect(await once(elsewhere, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
  });

  it(
    'receives and places calls over TLS with the self-signed certificate of trial mode',
    { timeout: 15_000 },
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'clarion-gateway-'));
      const ports = { CLARION_SIP_PORT: '0', CLARION_SIP_TLS_PORT: '0', CLARION_SIP_CONTROL_PORT: '0' };
      const theirs = selfSigned(['127.0.0.1'], new Date(), new Date(Date.now() + 3_600_000));
      const theirCert = join(dataDir, 'carrier.pem');
      writeFileSync(theirCert, theirs.cert);
      const gateway = run({
        ...ports,
        CLARION_SIP_SECRET: 's',
        CLARION_BIND: '127.0.0.1',
        CLARION_PRODUCTION: '0',
        CLARION_DATA_DIR: dataDir,
        CLARION_SIP_TLS_CA: theirCert,
      });
      const ready: unknown = JSON.parse(await firstLine(gateway.stdout));
      if (!isReady(ready)) throw new Error(`not ready: ${JSON.stringify(ready)}`);
      const ca = readFileSync(join(dataDir, 'sip-tls', 'cert.pem'), 'utf8');
      const carrier = await startSipGateway({
        secret: 's',
        sipPort: 0,
        controlPort: 0,
        tls: { ...theirs, ca, port: 0 },
      });
      const [ours, remote] = await Promise.all([
        application(ready.controlPort),
        application(carrier.controlPort),
      ]);
      try {
        for (const [from, to, port] of [
          [remote, ours, ready.tlsPort],
          [ours, remote, carrier.tlsPort ?? 0],
        ] as const) {
          to.invite((req, res) => void to.createUAS(req, res, { localSdp: SDP }));
          const dialog = await from.createUAC(`sip:bob@127.0.0.1:${port};transport=tls`, { localSdp: SDP });
          expect(dialog.remote.sdp).toBe(SDP);
          await new Promise((resolve) => dialog.destroy({ headers: {} }, resolve));
        }
      } finally {
        for (const srf of [ours, remote]) srf.disconnect();
        await carrier.close();
        rmSync(dataDir, { recursive: true });
      }
    },
  );

  it('does not start without a secret', { timeout: 15_000 }, async () => {
    const [code] = await once(run({ CLARION_SIP_SECRET: '' }), 'exit');
    expect(code).not.toBe(0);
  });
});
