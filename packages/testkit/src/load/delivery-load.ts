/** For tests and benchmarks of deliveries: separate worker processes, and events recorded in bulk in the same way as single ones. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { announceDeliveries } from '@clarion/core/announce-deliveries';
import type { EventToRecord } from '@clarion/core/event/record-event';
import type { Database } from '@clarion/db';

const main = fileURLToPath(new URL('../../../../apps/worker/src/main.ts', import.meta.url));
/** pino's number of the level. */
const WARN_LEVEL = 40;

export interface WorkerProcess {
  child: ChildProcess;
  /** The port of its health and metrics. */
  origin: string;
  /** Messages of level warn or higher during startup. */
  warnings: string[];
}

/** Resolves when the worker logs that it is ready. */
export async function startWorkerProcess(options: {
  databaseUrl: string;
  masterKey: string;
  /** Other settings. */
  env?: Readonly<Record<string, string>>;
}): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATABASE_URL: options.databaseUrl,
      CLARION_MASTER_KEY: options.masterKey,
      CLARION_PRODUCTION: '0',
      CLARION_ALLOW_PRIVATE_EGRESS: '1',
      CLARION_WORKER_PORT: '0',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const warnings: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { level, msg = '', port } = JSON.parse(line) as { level: number; msg?: string; port?: number };
    if (level >= WARN_LEVEL) warnings.push(msg);
    if (msg === 'worker ready') {
      child.stdout.resume();
      return { child, origin: `http://127.0.0.1:${port}`, warnings };
    }
  }
  throw new Error('the worker ended before it was ready');
}

/** Sends the signal and resolves with the exit code. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}

/** Records them in one statement, due now or at `dueAt`. Resolves with the IDs of the events. */
export async function recordEvents(
  db: Database,
  consumerId: number,
  count: number,
  { dueAt = new Date(), data = {} }: { dueAt?: Date; data?: Record<string, unknown> } = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const now = new Date();
  const bodyOf = (eventId: string) =>
    JSON.stringify({
      event_id: eventId,
      event_type: 'call.ended',
      data,
      occurred_at: now.toISOString(),
      tenant_ref: 't',
      api_version: '1',
      sequence: 1,
    });
  const events: EventToRecord[] = ids.map((eventId) => ({
    eventId,
    consumerId,
    tenantId: null,
    tenantRef: null,
    callId: null,
    type: 'call.ended',
    sequence: null,
    body: bodyOf(eventId),
    occurredAt: now.toISOString(),
    dueAt: dueAt.toISOString(),
  }));
  await db.$executeRaw`select record_events(${JSON.stringify(events)}::jsonb)`;
  announceDeliveries(db);
  return ids;
}
