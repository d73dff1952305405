/**
 * Reads of single rows. Those that are requested in one turn of the event loop, or while a query runs, become one query: when many apps
 * connect at once, a few queries answer all of them. A query begins after every request that it answers.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** The longest wait for the query before: one that hangs, because its connection does, must not hold up the others. */
const LONGEST_WAIT_MS = 50;

/** @returns reads the row with an ID; null if there is none */
export function batchedReads<T extends { id: number }>(
  read: (ids: number[]) => Promise<T[]>,
): (id: number) => Promise<T | null> {
  let open: { ids: Set<number>; rows: Promise<Map<number, T>> } | null = null;
  let running: Promise<unknown> | null = null;

  async function rowsOf(ids: Set<number>): Promise<Map<number, T>> {
    await setImmediate();
    if (running) await Promise.race([running, sleep(LONGEST_WAIT_MS, undefined, { ref: false })]);
    open = null;
    const rows = read([...ids]);
    const ended = () => {
      if (running === turn) running = null;
    };
    const turn = rows.then(ended, ended);
    running = turn;
    return new Map((await rows).map((row) => [row.id, row]));
  }

  return async (id) => {
    if (!open) {
      const ids = new Set<number>();
      open = { ids, rows: rowsOf(ids) };
    }
    open.ids.add(id);
    return (await open.rows).get(id) ?? null;
  };
}
