/** The parent's side of prober.ts. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ProbeOrder, ProbeResult } from './prober.ts';

/** Starts probing. The returned function stops it and resolves with its result. */
export function startProber(order: ProbeOrder): () => Promise<ProbeResult> {
  const child = fork(join(import.meta.dirname, 'prober.ts'), {
    detached: true, // a session of its own, whose priority it raises
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the prober ended with ${String(code)}`);
  });
  const result = Promise.race([once(child, 'message') as Promise<[ProbeResult]>, ended]);
  result.catch(() => undefined); // reported by whoever stops it
  child.send(order);
  return async () => {
    if (child.connected) child.send('stop');
    return (await result)[0];
  };
}
