/** Load by Debian's sipp, which costs little and is independent of both sides: as fast as a bounded number of open calls allows. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@clarion/devkit/settings/free-port';

/** Never reached: the number of open calls is the limit. */
const RATE_PER_SECOND = 20_000;
/** So few that none is refused: media limits how many INVITEs may wait for a decision (apps/media invite-limit.ts). */
const OPEN_CALLS = 4;
const RUN_TIMEOUT_MS = 120_000;

export type Scenario = 'not-found' | 'call';

/** @returns how long the calls took, in seconds */
export async function placeCalls(scenario: Scenario, port: number, calls: number): Promise<number> {
  const file = join(import.meta.dirname, `${scenario}.xml`);
  const args = [`127.0.0.1:${port}`, '-sf', file, '-s', '4930123', '-m', String(calls)];
  const flags = ['-r', String(RATE_PER_SECOND), '-l', String(OPEN_CALLS), '-i', '127.0.0.1', '-t', 'u1'];
  const started = performance.now();
  await finished(sipp([...args, ...flags]));
  return (performance.now() - started) / 1000;
}

/** The far end of a proxied call: answers everything. */
export async function startAnswerer(): Promise<{ port: number; stop: () => void }> {
  const port = await freePort();
  const child = sipp(['-sn', 'uas', '-i', '127.0.0.1', '-p', String(port), '-t', 'u1']);
  return { port, stop: () => child.kill('SIGKILL') };
}

function sipp(args: string[]): ChildProcess {
  const dir = mkdtempSync(join(tmpdir(), 'clarion-sipp-'));
  const child = spawn('sipp', [...args, '-nostdin'], { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  child.once('close', () => rmSync(dir, { recursive: true, force: true }));
  return child;
}

function finished(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new Error(`sipp ended with ${code ?? 'a signal'}: ${said.slice(-500)}`));
    });
  });
}
