/** Debian's Kamailio as a stateful proxy for the same calls, for comparison with our gateway. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { freePort } from '@clarion/devkit/settings/free-port';
import { usageOf } from './processes.ts';

const PROGRAM = '/usr/sbin/kamailio';
const READY_TRIES = 50;
const READY_POLL_MS = 100;

export const hasKamailio = () => existsSync(PROGRAM);

const config = (port: number, next: number) => `#!KAMAILIO
debug=-1
log_stderror=yes
children=1
listen=udp:127.0.0.1:${port}
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "siputils.so"
loadmodule "textops.so"
request_route {
  if (has_totag()) {
    if (!loose_route() && !is_method("ACK")) { sl_send_reply("404", "Not Here"); exit; }
    t_relay();
    exit;
  }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
  record_route();
  $du = "sip:127.0.0.1:${next}";
  t_relay();
}
`;

/** Sends `calls` whole calls (INVITE, 180, 200, ACK, BYE, 200) through it. CPU milliseconds per call. */
export async function kamailioCpuPerCall(
  calls: number,
  rate: number,
): Promise<{ cpuMs: number; completed: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-kamailio-'));
  const far = await SipPhone.open({ behaviour: { do: 'answer' } });
  const port = await freePort();
  const file = join(dir, 'kamailio.cfg');
  writeFileSync(file, config(port, far.port));
  const child = spawn(PROGRAM, ['-DD', '-E', '-f', file, '-w', dir, '-Y', dir, '-m', '64', '-M', '8'], {
    stdio: 'ignore',
  });
  const near = await SipPhone.open();
  try {
    await waitUntilReady('kamailio', near, port);
    const before = usageOf({ kamailio: child.pid }).kamailio?.cpuSeconds ?? 0;
    const completed = await callThrough(near, port, calls, rate);
    const after = usageOf({ kamailio: child.pid }).kamailio?.cpuSeconds ?? 0;
    return { cpuMs: ((after - before) * 1000) / Math.max(1, completed), completed };
  } finally {
    near.close();
    far.close();
    await stop(child);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Places the calls and hangs each up once it is answered. @returns how many ended so */
export async function callThrough(
  near: SipPhone,
  port: number,
  calls: number,
  rate: number,
): Promise<number> {
  let completed = 0;
  const startedAt = performance.now();
  const all: Promise<void>[] = [];
  for (let index = 0; index < calls; index += 1) {
    await sleep(Math.max(0, startedAt + (index * 1000) / rate - performance.now()));
    all.push(
      near.call('100', { host: '127.0.0.1', port }).then(async (call) => {
        await call.answered();
        await call.hangUp();
        completed += 1;
      }),
    );
  }
  await Promise.allSettled(all);
  return completed;
}

export async function waitUntilReady(name: string, phone: SipPhone, port: number): Promise<void> {
  for (let attempt = 0; attempt < READY_TRIES; attempt += 1) {
    const call = await phone.call('100', { host: '127.0.0.1', port });
    const up = await call.answered(READY_POLL_MS * 2).then(
      () => true,
      () => false,
    );
    if (up) return void (await call.hangUp());
    await sleep(READY_POLL_MS);
  }
  throw new Error(`${name} did not start`);
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const forced = setTimeout(() => child.kill('SIGKILL'), 2000);
  await gone;
  clearTimeout(forced);
}
