import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

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

describe('the gateway as a process', () => {
  it(
    'says in one line of JSON that it is ready, and ends cleanly when told to',
    { timeout: 15_000 },
    async () => {
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
    },
  );

  it('does not start without a secret', { timeout: 15_000 }, async () => {
    const [code] = await once(run({ CLARION_SIP_SECRET: '' }), 'exit');
    expect(code).not.toBe(0);
  });
});
