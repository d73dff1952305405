/** Debian's kamailio as a stateful proxy: 404 for a number that does not exist, and whole calls to another party. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@clarion/devkit/settings/free-port';
import { stop } from '../calls/kamailio.ts';
import { startAnswerer } from './sipp.ts';

const PROGRAM = '/usr/sbin/kamailio';
const READY_TRIES = 50;
const READY_POLL_MS = 200;

/** `rule`: what becomes of an INVITE. */
const config = (port: number, rule: string) => `#!KAMAILIO
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
    loose_route(); # sipp's answerer copies no Record-Route; the Request-URI then leads to it
    if (is_method("ACK") && t_check_trans()) exit;
    t_relay();
    exit;
  }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (is_method("ACK")) { t_check_trans(); exit; }
  if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
  ${rule}
}
`;

export interface Proxy {
  port: number;
  pid: number | undefined;
  stop: () => Promise<void>;
}

/** `notFound`: every INVITE gets a 404 instead of being relayed. */
export async function startProxy({ notFound }: { notFound: boolean }): Promise<Proxy> {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-kamailio-'));
  const far = await startAnswerer();
  const port = await freePort();
  const file = join(dir, 'kamailio.cfg');
  const relay = `record_route(); $du = "sip:127.0.0.1:${far.port}"; t_relay();`;
  writeFileSync(file, config(port, notFound ? 't_newtran(); t_reply("404", "Not Found");' : relay));
  const child = spawn(PROGRAM, ['-DD', '-E', '-f', file, '-w', dir, '-Y', dir, '-m', '64', '-M', '8'], {
    stdio: 'ignore',
  });
  await untilAnswered(port);
  return {
    port,
    pid: child.pid,
    async stop() {
      far.stop();
      await stop(child);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function untilAnswered(port: number): Promise<void> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const answered = once(socket, 'message').then(() => true);
  try {
    for (let attempt = 0; attempt < READY_TRIES; attempt += 1) {
      socket.send(options(attempt, socket.address().port), port, '127.0.0.1');
      if (await Promise.race([answered, sleep(READY_POLL_MS, false)])) return;
    }
  } finally {
    socket.close();
  }
  throw new Error('kamailio did not start');
}

const options = (attempt: number, port: number): string =>
  [
    'OPTIONS sip:127.0.0.1 SIP/2.0',
    `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bKready${attempt}`,
    'From: <sip:bench@127.0.0.1>;tag=ready',
    'To: <sip:127.0.0.1>',
    `Call-ID: ready-${attempt}`,
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n');
