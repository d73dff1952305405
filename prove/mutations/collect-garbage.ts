/** Makes every process collect its garbage by V8's inspector: an idle V8 leaves tens of megabytes uncollected for minutes. */
import type { TestStack } from '@clarion/testkit/stack/stack';

/** For the environment of the processes: each listens on a free port of loopback, and says which on standard error. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

const LISTENING = /Debugger listening on (ws:\/\/127\.0\.0\.1:\d+\/\S+)/;
const COLLECT_TIMEOUT_MS = 10_000;
/** A second collection frees what finalizers of the first let go. */
const COLLECTIONS = 2;

/** Rejects when a process that lives does not collect in time: its memory would be compared uncollected. */
export async function collectGarbage(
  { log }: Pick<TestStack, 'log'>,
  timeoutMs = COLLECT_TIMEOUT_MS,
): Promise<void> {
  const urls = log.flatMap((line) => LISTENING.exec(line)?.[1] ?? []);
  if (urls.length === 0) throw new Error('no process listens for an inspector: boot it with INSPECTED');
  await Promise.all(urls.map((url) => collect(url, timeoutMs)));
}

/** A process that has ended, such as an encoder, refuses the connection or closes it: there is nothing to collect. */
function collect(url: string, timeoutMs: number): Promise<void> {
  const socket = new WebSocket(url);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(
    () => reject(new Error(`${url} did not collect its garbage within ${timeoutMs} ms`)),
    timeoutMs,
  );
  let collections = 0;
  const next = () => {
    if (collections === COLLECTIONS) return resolve();
    collections += 1;
    socket.send(JSON.stringify({ id: collections, method: 'HeapProfiler.collectGarbage' }));
  };
  socket.addEventListener('open', next);
  socket.addEventListener('message', next);
  socket.addEventListener('error', () => resolve());
  socket.addEventListener('close', () => resolve());
  return promise.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}
