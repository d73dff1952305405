/** Debian's Kamailio as a carrier: a registrar-less proxy that authenticates calls, redirects, rejects or relays them by number. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@clarion/devkit/settings/free-port';
import { eventually } from './fake-realtime.ts';

export const PROGRAM = '/usr/sbin/kamailio';
export const hasKamailio = existsSync(PROGRAM);

export interface KamailioOptions {
  /** The port of the phone to which calls are relayed. */
  phonePort: number;
  /** Numbers that end in 302 are redirected to this URI. */
  redirectTo?: string;
  /** Calls need these credentials. */
  account?: { username: string; password: string; algorithm: 'MD5' | 'SHA-256' };
}

/** Numbers that end in 404, 486, 503 or 603 are rejected with that status; others are relayed. */
const config = (port: number, { phonePort, redirectTo, account }: KamailioOptions) => `#!KAMAILIO
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
loadmodule "corex.so"
loadmodule "auth.so"
modparam("auth", "qop", "auth")
modparam("auth", "algorithm", "${account?.algorithm === 'SHA-256' ? 'SHA-256' : ''}")
request_route {
  if (is_method("OPTIONS")) { sl_send_reply("200", "OK"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) {
    if (!loose_route() && !is_method("ACK")) { sl_send_reply("404", "Not Here"); exit; }
${account ? authenticated(account, '!is_method("ACK")') : ''}
    t_relay();
    exit;
  }
  if (is_method("ACK")) { if (t_check_trans()) t_relay(); exit; }
${account ? authenticated(account, 'true') : ''}
  if ($rU =~ "302$") { append_branch("${redirectTo ?? ''}"); sl_send_reply("302", "Moved Temporarily"); exit; }
  if ($rU =~ "404$") { sl_send_reply("404", "Not Found"); exit; }
  if ($rU =~ "486$") { sl_send_reply("486", "Busy Here"); exit; }
  if ($rU =~ "503$") { sl_send_reply("503", "Service Unavailable"); exit; }
  if ($rU =~ "603$") { sl_send_reply("603", "Decline"); exit; }
  record_route();
  $du = "sip:127.0.0.1:${phonePort}";
  t_relay();
}
`;

const authenticated = (
  { username, password }: { username: string; password: string },
  when: string,
): string => `    if (${when}) {
      if (!pv_proxy_authenticate("kamailio.test", "${password}", "0") || $au != "${username}") {
        proxy_challenge("kamailio.test", "1");
        exit;
      }
      consume_credentials();
    }`;

export interface Kamailio {
  port: number;
  close: () => Promise<void>;
}

export async function startKamailio(options: KamailioOptions): Promise<Kamailio> {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-kamailio-'));
  const port = await freePort();
  const file = join(dir, 'kamailio.cfg');
  writeFileSync(file, config(port, options));
  const child = spawn(PROGRAM, ['-DD', '-E', '-f', file, '-w', dir, '-Y', dir, '-m', '64', '-M', '8']);
  let errors = '';
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  const close = async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await answers(port, () => child.exitCode === null);
  } catch (error) {
    await close();
    throw new Error(`kamailio does not answer: ${errors}`, { cause: error });
  }
  return { port, close };
}

/** Repeats OPTIONS until there is a response. */
async function answers(port: number, running: () => boolean): Promise<void> {
  const socket = createSocket('udp4');
  let answered = false;
  socket.on('message', () => (answered = true));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let tries = 0;
  try {
    await eventually('kamailio answers', () => {
      if (!running()) throw new Error('it has exited');
      tries += 1;
      const own = socket.address().port;
      socket.send(
        [
          `OPTIONS sip:127.0.0.1:${port} SIP/2.0`,
          `Via: SIP/2.0/UDP 127.0.0.1:${own};branch=z9hG4bKready${tries};rport`,
          'From: <sip:ready@127.0.0.1>;tag=r',
          `To: <sip:127.0.0.1:${port}>`,
          `Call-ID: ready-${own}-${tries}`,
          'CSeq: 1 OPTIONS',
          'Max-Forwards: 70',
          'Content-Length: 0',
          '',
          '',
        ].join('\r\n'),
        port,
        '127.0.0.1',
      );
      return answered;
    });
  } finally {
    socket.close();
  }
}
