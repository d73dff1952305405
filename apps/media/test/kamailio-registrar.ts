/** Debian's Kamailio as a registrar with digest authentication; calls to an account go to its contact. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSocket } from 'node:dgram';
import { freePort } from '@clarion/devkit/settings/free-port';
import { PROGRAM } from './kamailio.ts';

const READY_TRIES = 100;
const READY_POLL_MS = 100;
const STOP_MS = 2_000;

export interface RegistrarOptions {
  realm: string;
  password: string;
  /** Shorter registrations get 423. */
  minExpiresSeconds?: number;
}

const config = (port: number, { realm, password, minExpiresSeconds = 60 }: RegistrarOptions) => `#!KAMAILIO
debug=-1
log_stderror=yes
children=1
listen=udp:127.0.0.1:${port}
listen=tcp:127.0.0.1:${port}
tcp_children=1
alias="${realm}"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "siputils.so"
loadmodule "textops.so"
loadmodule "maxfwd.so"
loadmodule "auth.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
modparam("usrloc", "db_mode", 0)
modparam("registrar", "min_expires", ${minExpiresSeconds})
modparam("registrar", "min_expires_mode", 1)
modparam("registrar", "max_expires", 7200)
request_route {
  if (is_method("OPTIONS")) { sl_send_reply("200", "Keepalive"); exit; }
  if (is_method("REGISTER")) {
    if ($tU == "unknown") { sl_send_reply("404", "Not Found"); exit; }
    if (!pv_www_authenticate("${realm}", "${password}", "0")) { www_challenge("${realm}", "1"); exit; }
    if ($au != $tU) { sl_send_reply("403", "Forbidden"); exit; }
    save("location");
    exit;
  }
  if (has_totag()) { loose_route(); t_relay(); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  record_route();
  if (!lookup("location")) { sl_send_reply("480", "Not Registered"); exit; }
  t_relay();
}
`;

export interface Registrar {
  port: number;
  close: () => Promise<void>;
}

/** @param port of an earlier one that has stopped */
export async function startRegistrar(options: RegistrarOptions, port?: number): Promise<Registrar> {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-registrar-'));
  const used = port ?? (await freePort());
  const file = join(dir, 'kamailio.cfg');
  writeFileSync(file, config(used, options));
  const child = spawn(PROGRAM, ['-DD', '-E', '-f', file, '-w', dir, '-Y', dir, '-m', '32', '-M', '4'], {
    stdio: 'ignore',
  });
  const close = async (): Promise<void> => {
    await stop(child);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await responds(used, child);
  } catch (error) {
    await close();
    throw error;
  }
  return { port: used, close };
}

/** Polls, because Kamailio does not report that it is ready. */
async function responds(port: number, child: ChildProcess): Promise<void> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const from = `127.0.0.1:${socket.address().port}`;
  const answered = once(socket, 'message');
  try {
    for (let attempt = 0; attempt < READY_TRIES; attempt += 1) {
      if (child.exitCode !== null) throw new Error(`kamailio exited with ${child.exitCode}`);
      const options = [
        `OPTIONS sip:127.0.0.1:${port} SIP/2.0`,
        `Via: SIP/2.0/UDP ${from};branch=z9hG4bKready${attempt}`,
        'From: <sip:test@127.0.0.1>;tag=1',
        `To: <sip:127.0.0.1:${port}>`,
        `Call-ID: ready-${attempt}`,
        'CSeq: 1 OPTIONS',
        'Max-Forwards: 5',
        'Content-Length: 0',
      ];
      socket.send(`${options.join('\r\n')}\r\n\r\n`, port, '127.0.0.1');
      const tick = new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
      if ((await Promise.race([answered, tick])) !== undefined) return;
    }
    throw new Error('kamailio did not start');
  } finally {
    socket.close();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const forced = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(forced);
}
