/** Reads of single rows: those requested in one turn of the event loop become one query. */

/** @returns reads the row with an ID; null if there is none */
export function batchedReads<T extends { id: number }>(
  read: (ids: number[]) => Promise<T[]>,
): (id: number) => Promise<T | null> {
  let open: { ids: Set<number>; rows: Promise<Map<number, T>> } | null = null;

  async function rowsOf(ids: Set<number>): Promise<Map<number, T>> {
    await new Promise((resolve) => setImmediate(resolve));
    open = null;
    return new Map((await read([...ids])).map((row) => [row.id, row]));
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
