/** Runs every comparison of the media benchmark sequentially, so that they do not affect each other. */
import { cpus, loadavg } from 'node:os';
import { measureDelay } from './delay.ts';
import { measureMixing } from './mixing.ts';
import type { Plan, LogProgress } from './plan.ts';
import { measureRecording } from './recording.ts';
import { measureRelaying } from './relaying.ts';
import { measureRooms } from './rooms.ts';
import type { Row } from './rows.ts';

export interface MediaResult {
  at: Date;
  machine: string;
  /** Load average of the last minute, before and after: other load on the machine. */
  load: { before: number; after: number };
  rows: Row[];
}

export const comparisons: Record<string, (plan: Plan, log: LogProgress) => Promise<Row[]>> = {
  relay: measureRelaying,
  delay: measureDelay,
  rooms: measureRooms,
  mixing: measureMixing,
  recording: measureRecording,
};

export async function measureMedia(plan: Plan, log: LogProgress): Promise<MediaResult> {
  const [before = Number.NaN] = loadavg();
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(comparisons))
    if (plan.only.length === 0 || plan.only.includes(name)) rows.push(...(await measure(plan, log)));
  return {
    at: new Date(),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    load: { before, after: loadavg()[0] ?? Number.NaN },
    rows,
  };
}
