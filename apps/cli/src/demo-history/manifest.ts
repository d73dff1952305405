/** Which rows belong to the sample history. The list is stored, so that exactly these rows are deleted later. */
import type { Tx } from '@clarion/db';
import { z } from 'zod';
import { toJson } from '@clarion/core/call-engine/stored';

const ids = z.array(z.number().int());

export const demoRows = z.strictObject({
  calls: ids,
  shifts: ids,
  auditEntries: ids,
  agents: ids,
  queues: ids,
  lines: ids,
  flows: ids,
  sounds: ids,
});
export type DemoRows = z.infer<typeof demoRows>;

export const noRows: DemoRows = {
  calls: [],
  shifts: [],
  auditEntries: [],
  agents: [],
  queues: [],
  lines: [],
  flows: [],
  sounds: [],
};

/** Null: there was never a sample history. Without calls: it was deleted. */
export async function readManifest(db: Tx, consumerId: number): Promise<DemoRows | null> {
  const found = await db.demoHistory.findUnique({ where: { consumerId } });
  return found && demoRows.parse(found.rows);
}

export async function writeManifest(db: Tx, consumerId: number, rows: DemoRows): Promise<void> {
  const data = { rows: toJson(rows) };
  await db.demoHistory.upsert({ where: { consumerId }, create: { consumerId, ...data }, update: data });
}
