/** Makes every process collect its garbage by V8's inspector: an idle V8 leaves tens of megabytes uncollected for minutes. */
import { once } from 'node:events';
import type { TestStack } from '@clarion/testkit/stack';

/** For the environment of the processes: each listens on a free port of loopback, and says which on standard error. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

const LISTENING = /Debugger listening on (ws:\/\/127\.0\.0\.1:\d+\/\S+)/;
const COLLECT_TIMEOUT_MS = 10_000;
/** A second collection frees what finalizers of the first let go. */
const COLLECTIONS = 2;

export async function collectGarbage(t: TestStack): Promise<void> {
  const urls = t.log.flatMap((line) => LISTENING.exec(line)?.[1] ?? []);
  if (urls.length === 0) throw new Error('no process listens for an inspector: boot it with INSPECTED');
  // Processes that have ended meanwhile, such as an encoder, refuse the connection.
  await Promise.allSettled(urls.map(collect));
}

async function collect(url: string): Promise<void> {
  const socket = new WebSocket(url);
  const signal = AbortSignal.timeout(COLLECT_TIMEOUT_MS);
  try {
    await once(socket, 'open', { signal });
    for (let id = 1; id <= COLLECTIONS; id += 1) {
      const answer = once(socket, 'message', { signal });
      socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }));
      await answer;
    }
  } finally {
    socket.close();
  }
}
