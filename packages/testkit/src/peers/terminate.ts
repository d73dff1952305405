import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A program that ignores SIGTERM for longer is killed. */
const TERMINATION_TIMEOUT_MS = 2_000;

/** Resolves when the program has exited. */
export async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killed = setTimeout(() => child.kill('SIGKILL'), TERMINATION_TIMEOUT_MS);
  await exited;
  clearTimeout(killed);
}
