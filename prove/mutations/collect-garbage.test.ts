import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { collectGarbage } from './collect-garbage.ts';

test('a running process collects its garbage, and one that has ended is skipped', async () => {
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', '-e', 'setInterval(() => {}, 1000)']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stderr), 'line')) as [string];
  await collectGarbage({ log: [line] });
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  await collectGarbage({ log: [line] });
});

test('a running process that does not reply is an error', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const log = [`Debugger listening on ws://127.0.0.1:${port}/nobody`];
  await expect(collectGarbage({ log }, 200)).rejects.toThrow('did not collect');
});

test('it is an error if no process has an inspector', async () => {
  await expect(collectGarbage({ log: ['ready'] })).rejects.toThrow('no process listens');
});
