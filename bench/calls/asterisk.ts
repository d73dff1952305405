/** Asterisk with app_queue, which does what our service does with a call: it ends the dialog, queues the caller and calls an agent. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SipPhone } from '@clarion/test-phone/sip/phone';
import { freePort } from '@clarion/devkit/settings/free-port';
import { terminate } from '@clarion/testkit/peers/terminate';
import { callThrough, type PeerCost } from './call-through.ts';

const PROGRAM = '/usr/sbin/asterisk';
const MODULES = ['/usr/lib/x86_64-linux-gnu/asterisk/modules', '/usr/lib/asterisk/modules'];
const READY_TRIES = 50;
const READY_POLL_MS = 100;
/** As many as our load has. */
const AGENTS = 50;

const modulesDir = () => MODULES.find((dir) => existsSync(join(dir, 'app_queue.so')));
export const hasAsterisk = () => existsSync(PROGRAM) && modulesDir() !== undefined;

const member = (index: number, port: number) => `[agent-${index}]
type=endpoint
context=none
disallow=all
allow=alaw
aors=agent-${index}
[agent-${index}]
type=aor
contact=sip:agent-${index}@127.0.0.1:${port}
`;

const files = (dir: string, port: number, far: number): Record<string, string> => {
  const agents = Array.from({ length: AGENTS }, (_, index) => index);
  return {
    'asterisk.conf': `[directories]
astetcdir => ${dir}
astmoddir => ${modulesDir() ?? ''}
astvarlibdir => ${dir}
astdbdir => ${dir}
astkeydir => ${dir}
astdatadir => /usr/share/asterisk
astagidir => ${dir}
astspooldir => ${dir}
astrundir => ${dir}
astlogdir => ${dir}
`,
    'modules.conf': '[modules]\nautoload=yes\n',
    'logger.conf': '[logfiles]\nmessages => error\n',
    'rtp.conf': '[general]\nrtpstart=20000\nrtpend=20999\n',
    'pjsip.conf': `[udp]
type=transport
protocol=udp
bind=127.0.0.1:${port}
[carrier]
type=endpoint
context=carrier
disallow=all
allow=alaw
[carrier]
type=identify
endpoint=carrier
match=127.0.0.1
${agents.map((index) => member(index, far)).join('')}`,
    'queues.conf': `[all]
strategy=rrmemory
timeout=20
wrapuptime=0
ringinuse=no
${agents.map((index) => `member => PJSIP/agent-${index}\n`).join('')}`,
    'extensions.conf': '[carrier]\nexten => _.,1,Queue(all,r)\n',
  };
};

/** Sends `calls` whole calls through its queue to agents that answer at once. */
export async function asteriskCpuPerCall(calls: number, rate: number): Promise<PeerCost> {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-asterisk-'));
  const far = await SipPhone.open({ behaviour: { do: 'answer' }, laws: ['PCMA'] });
  const near = await SipPhone.open({ laws: ['PCMA'] });
  const port = await freePort();
  mkdirSync(join(dir, 'keys'));
  for (const [name, text] of Object.entries(files(dir, port, far.port))) writeFileSync(join(dir, name), text);
  const child = spawn(PROGRAM, ['-f', '-C', join(dir, 'asterisk.conf')], { stdio: 'ignore' });
  try {
    await waitUntilReady(near, port);
    return await callThrough({ port, pid: child.pid }, near, calls, rate);
  } finally {
    near.close();
    far.close();
    await terminate(child);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Repeats a call until it is answered. */
async function waitUntilReady(phone: SipPhone, port: number): Promise<void> {
  for (let attempt = 0; attempt < READY_TRIES; attempt += 1) {
    const call = await phone.call('100', { host: '127.0.0.1', port });
    const up = await call.answered(READY_POLL_MS * 2).then(
      () => true,
      () => false,
    );
    if (up) return void (await call.hangUp());
    await sleep(READY_POLL_MS);
  }
  throw new Error('asterisk did not start');
}
