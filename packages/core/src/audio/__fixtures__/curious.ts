/** Simulates a compromised decoder: reports what it can read and reach. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { env } from 'node:process';

function attempt(name: string, deed: () => unknown): string {
  try {
    deed();
    return `${name}: done`;
  } catch (error) {
    return `${name}: ${error instanceof Error && 'code' in error ? String(error.code) : 'failed'}`;
  }
}

const refused = [
  `environment: ${Object.keys(env).join(' ')}`,
  attempt('read', () => readFileSync('/etc/passwd')),
  attempt('write', () => writeFileSync('/tmp/clarion-curious', '')),
  attempt('start', () => spawnSync('true')),
].join(', ');
process.stdout.write(JSON.stringify({ refused }));
