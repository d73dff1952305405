/** Checks that nothing is left after everyone has hung up. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Soak } from './lives.ts';
import { gauge } from './resources.ts';

/** Longest legal wait: ring, queue and overflow, the time for a disconnected agent to return, and some slack. */
const ENDS_WITHIN_MS = 60_000;
const SETTLES_WITHIN_MS = 15_000;
/** An intent expires after two minutes; the test does not wait for that. */
const INTENTS = ['intent', 'callback'];

/** @returns what is left over, as text */
export async function atRest(soak: Soak): Promise<string[]> {
  const { db } = soak.t;
  const phases = async () =>
    (
      await db.$queryRaw<{ callId: number; phase: string }[]>`
        select "callId", "state" ->> 'phase' as phase from "LiveCall"`
    ).filter(({ phase }) => !INTENTS.includes(phase));
  await until(async () => (await phases()).length === 0, ENDS_WITHIN_MS);
  const left = (await phases()).map(({ callId, phase }) => `call ${callId} is still ${phase}`);
  await db.$executeRaw`update "LiveCall" set "nextDeadlineAt" = now(), "version" = "version" + 1,
    "state" = jsonb_set("state", '{startBy}', '0') where "state" ->> 'phase' = 'intent'`;
  await until(async () => (await leftovers(soak)).length === 0, SETTLES_WITHIN_MS);
  return [...left, ...(await leftovers(soak))];
}

async function leftovers(soak: Soak): Promise<string[]> {
  const { db, stack } = soak.t;
  const counts: [string, number][] = [
    ['live calls', await db.liveCall.count()],
    ['effects not run', await db.engineOutbox.count()],
    ['agents held', await db.agent.count({ where: { currentCallId: { not: null } } })],
    ['agents on a call', await db.agent.count({ where: { onCall: true } })],
    ['participants who never left', await db.callParticipant.count({ where: { leftAt: null } })],
    [
      'recordings not finished',
      await db.recording.count({ where: { status: { in: ['RECORDING', 'PROCESSING'] } } }),
    ],
    ['files in the spool', spoolFiles(stack.dataDir)],
  ];
  for (const name of ['media', 'media2'] as const) {
    const port = stack.ports[name];
    if (port === undefined) continue;
    for (const what of ['legs', 'rtp_port_pairs', 'unreported_facts'])
      counts.push([`${what} of ${name}`, (await gauge(port, `clarion_media_${what}`)) ?? 0]);
  }
  return counts.filter(([, count]) => count !== 0).map(([what, count]) => `${what} at rest: ${count}`);
}

const spoolFiles = (dataDir: string): number => {
  const dir = join(dataDir, 'spool');
  return existsSync(dir)
    ? readdirSync(dir, { recursive: true, withFileTypes: true }).filter((f) => f.isFile()).length
    : 0;
};

async function until(holds: () => Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline && !(await holds())) await sleep(300);
}
