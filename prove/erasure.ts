/**
 * Erases a customer with many calls and deletes a tenant with many more, including files, and kills web meanwhile: nothing is left, and
 * nothing is counted twice.
 */
import { parseArgs } from 'node:util';
import { createDatabase } from '@clarion/db';
import type { Database } from '@clarion/db';
import { openCallCentre } from '@clarion/testkit/stack/call-centre';
import { TestStack } from '@clarion/testkit/stack/stack';
import { setTimeout as sleep } from 'node:timers/promises';

const { values } = parseArgs({
  options: {
    erase: { type: 'string', default: '10000' },
    delete: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '5' },
  },
});
const ADDRESS = '+442079460123';
/** Batches take some hundred milliseconds, so kills occur in the first one, between two, and in later ones. */
const KILL_STEP_MS = 700;

const say = (line: string) => process.stdout.write(`${line}\n`);
const problems: string[] = [];
function expectEqual(what: string, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return;
  problems.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

/** Ended calls of one customer, each with three log entries, an event, and a recording whose file was removed before. */
async function addCalls(db: Database, tenantId: number, consumerId: number, count: number): Promise<void> {
  await db.$executeRaw`
    with made as (
      insert into "Call" ("consumerId", "tenantId", "direction", "status", "channelRef", "channelType", "customerAddress",
        "customerAddressType", "customerName", "terminationReason", "createdAt", "queuedAt", "answeredAt", "endedAt")
      select ${consumerId}, ${tenantId}, 'INBOUND', 'TERMINATED', 'main', 'SIP', ${ADDRESS}, 'E164', 'Grace', 'COMPLETED',
        at, at, at + n % 60 * interval '1 second', at + interval '3 minutes'
      from generate_series(1, ${count}::int) n, lateral (select now() - n * interval '5 minutes' as at)
      returning "id"
    ), logged as (
      insert into "CallLifecycle" ("callId", "type", "occurredAt")
      select "id", 'CREATED', now() from made, generate_series(1, 3)
    ), told as (
      insert into "Event" ("eventId", "consumerId", "tenantId", "callId", "type", "body", "occurredAt")
      select gen_random_uuid(), ${consumerId}, ${tenantId}, "id", 'call.ended', ${ADDRESS}, now() from made
    )
    insert into "Recording" ("callId", "status", "storageProvider", "storageKey", "completedAt")
    select "id", 'COMPLETED', 'local', 'tenants/' || ${tenantId}::int || '/recordings/r' || "id" || '/call.ogg', now() from made`;
}

const t = await TestStack.boot({ only: ['web', 'realtime'] });
const db = createDatabase(t.stack.env['DATABASE_URL'] ?? '', { connections: 2 });
try {
  await openCallCentre(t);
  const { id: tenantId, consumerId } = await db.tenant.findFirstOrThrow({ where: { ref: 'shop' } });
  /** Repeats the request until it is answered, across kills. The first `kills` attempts are interrupted by a kill of web. */
  async function insist(method: string, path: string, body?: unknown): Promise<number> {
    for (let kill = 1; kill <= Number(values.kills); kill += 1) {
      const asked = t.v1.request(method, path, body).catch(() => null);
      await sleep(kill * KILL_STEP_MS);
      await t.stack.kill('web', 'SIGKILL');
      await asked;
      await t.stack.waitReady('web');
    }
    const started = performance.now();
    const { status } = await t.v1.request(method, path, body);
    say(`  the last ${method} ${path}: ${status} in ${Math.round(performance.now() - started)} ms`);
    return status;
  }
  const audited = async (action: string, target: string) => {
    const entries = await db.auditEntry.findMany({ where: { action, target } });
    return entries.reduce((sum, { details }) => sum + Number((details as { calls?: number })?.calls ?? 0), 0);
  };

  const erased = Number(values.erase);
  await addCalls(db, tenantId, consumerId, erased);
  say(`erasing a customer of ${erased} recorded calls, with ${values.kills} kills`);
  expectEqual('erase', await insist('POST', '/v1/tenants/shop/customers/erase', { address: ADDRESS }), 200);
  expectEqual('calls kept', await db.call.count({ where: { tenantId, status: 'TERMINATED' } }), erased);
  expectEqual('calls with the customer', await db.call.count({ where: { customerAddress: ADDRESS } }), 0);
  expectEqual('recordings', await db.recording.count(), 0);
  expectEqual('events', await db.event.count({ where: { body: ADDRESS } }), 0);
  expectEqual('erased by the audit log', await audited('customer.erase', 'calls'), erased);

  const deleted = Number(values.delete);
  await addCalls(db, tenantId, consumerId, deleted);
  await t.v1.ok('PUT', '/v1/tenants/shop', { name: 'Shop', status: 'SUSPENDED' });
  say(`deleting a tenant of ${erased + deleted} calls, with ${values.kills} kills`);
  expectEqual('delete', await insist('DELETE', '/v1/tenants/shop'), 204);
  expectEqual('calls', await db.call.count(), 0);
  expectEqual('recordings', await db.recording.count(), 0);
  expectEqual('tenants', await db.tenant.count(), 0);
  expectEqual('deleted by the audit log', await audited('tenant.delete_calls', 'shop'), erased + deleted);
} finally {
  await db.$disconnect();
  await t.stop();
}
for (const problem of problems) say(problem);
say(
  problems.length === 0 ? 'Nothing was left, and nothing was counted twice.' : `${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
