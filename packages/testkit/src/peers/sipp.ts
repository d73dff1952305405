/** Runs Debian's sipp: a SIP implementation that is independent of both ours and the test phone. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { payloadTypes, type Law } from '@clarion/test-phone/rtp/g711';

export interface SippOptions {
  /** The name of a file in packages/testkit/scenarios without `.xml`, or a path. */
  scenario: string;
  server: { host: string; port: number };
  /** User part of the request URI. */
  number: string;
  transport?: 'udp' | 'tcp';
  calls?: number;
  /** New calls a second. */
  rate?: number;
  /** Values for `[name]` in the scenario. */
  keys?: Record<string, string | number>;
  /** Any other flags of sipp. */
  flags?: string[];
  timeoutMs?: number;
}

export interface SippRun {
  /** Resolves when all calls have ended; rejects with sipp's error output if one failed. */
  done: Promise<void>;
  stop(): void;
}

const TIMEOUT_MS = 60_000;

/** Values for the scenario `caller`, whose audio an RtpPort sends and receives. */
export const audioKeys = (audio: { port: number }, law: Law) => ({
  audio_port: audio.port,
  payload_type: payloadTypes[law],
  law,
  caller: '441632960000',
});

export function startSipp(options: SippOptions): SippRun {
  const {
    scenario,
    server,
    number,
    transport = 'udp',
    calls = 1,
    rate = 10,
    keys = {},
    flags = [],
  } = options;
  const dir = mkdtempSync(join(tmpdir(), 'clarion-sipp-'));
  const errors = join(dir, 'errors.log');
  const file = scenario.includes('/')
    ? scenario
    : join(import.meta.dirname, `../../scenarios/${scenario}.xml`);
  const args = [
    `${server.host}:${server.port}`,
    ...['-sf', file, '-s', number, '-i', '127.0.0.1', '-m', String(calls), '-r', String(rate)],
    ...['-t', transport === 'tcp' ? 't1' : 'u1', '-nostdin', '-trace_err', '-error_file', errors],
    ...Object.entries(keys).flatMap(([name, value]) => ['-key', name, String(value)]),
    ...flags,
  ];
  const child = spawn('sipp', args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? TIMEOUT_MS);
  const done = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      const log = readIfThere(errors);
      rmSync(dir, { recursive: true, force: true });
      if (code === 0) resolve();
      else reject(new Error(`sipp ended with ${code ?? 'a signal'}\n${said}${log}`));
    });
  });
  return { done, stop: () => child.kill('SIGKILL') };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // sipp wrote no error log
  }
}
