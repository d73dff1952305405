/**
 * Reads what Meta reports about a line. Concurrent reads of a line share one request, and a result is used again for a short time, so that
 * no one can make this service exceed Meta's limits by asking often.
 */
import type { SecretBox } from '../security/secret-box.ts';
import type { LineReading, Reading } from '../whatsapp-graph/line-checks.ts';
import type { GraphClient, GraphLine } from './graph-client.ts';
import { graphLineOf } from './graph-line.ts';

/** How long a result is used. Long enough against repeated clicks, short enough to show a setting that was just changed at Meta. */
export const LINE_READING_VALID_MS = 10_000;
/** For everything. The graph client repeats a read that times out, which takes longer than a page waits. */
export const LINE_READING_TIMEOUT_MS = 5_000;
/** The oldest results are dropped. */
const MAX_LINES = 1_000;

export interface ReadableLine {
  id: number;
  type: string;
  providerAccountId: string | null;
  credentialsSealed: string | null;
}

export interface TimedReading {
  reading: LineReading;
  at: Date;
}

export interface LineReader {
  read(line: ReadableLine): Promise<TimedReading>;
}

interface Kept {
  result: Promise<TimedReading>;
  at: Date;
  /** Another phone number ID or token is another reading. */
  of: string;
}

export interface LineReaderOptions {
  graph: Pick<GraphClient, 'readPhoneNumber' | 'readCallingSettings'>;
  secrets: SecretBox;
  now: () => Date;
  timeoutMs?: number;
}

export function createLineReader(options: LineReaderOptions): LineReader {
  const { graph, secrets, now, timeoutMs = LINE_READING_TIMEOUT_MS } = options;
  const kept = new Map<number, Kept>();

  async function ask(line: GraphLine): Promise<LineReading> {
    const [number, settings] = await Promise.all([
      within(timeoutMs, graph.readPhoneNumber(line)),
      within(timeoutMs, graph.readCallingSettings(line)),
    ]);
    return { number, settings };
  }

  return {
    async read(line) {
      const credentials = graphLineOf(secrets, line);
      const at = now();
      if (credentials === null) return { reading: { number: null, settings: null }, at };
      const of = `${line.providerAccountId} ${line.credentialsSealed}`;
      const known = kept.get(line.id);
      if (known?.of === of && at.getTime() - known.at.getTime() < LINE_READING_VALID_MS) return known.result;
      const result = ask(credentials).then((reading) => ({ reading, at }));
      kept.delete(line.id);
      kept.set(line.id, { result, at, of });
      for (const id of kept.keys()) {
        if (kept.size <= MAX_LINES) break;
        kept.delete(id);
      }
      return result;
    },
  };
}

/** A timeout without a result is a reading too. The request is left to its own, longer timeout. */
async function within<T>(ms: number, reading: Promise<Reading<T>>): Promise<Reading<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Reading<T>>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'silent', silence: 'timeout' }), ms);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}
