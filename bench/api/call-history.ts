/** Generates a year of calls in one tenant within the database, for measuring call lists. */
import type { Database } from '@clarion/db';

export interface History {
  consumerId: number;
  tenantId: number;
  tenantRef: string;
}

const AGENTS = 100;
const LINES = 10;
const QUEUES = 5;
const LIVE = 20;
/** A customer calls about ten times a year. */
const CALLS_A_CUSTOMER = 10;

/** Creates the tenant with its agents, queues and lines, and `calls` calls spread over the year before now, oldest first. */
export async function makeHistory(db: Database, ref: string, calls: number): Promise<History> {
  const consumer = await db.consumer.upsert({
    where: { slug: 'bench' },
    create: { slug: 'bench', name: 'Bench' },
    update: {},
  });
  const tenant = await db.tenant.create({ data: { consumerId: consumer.id, ref, name: ref } });
  const named = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      tenantId: tenant.id,
      ref: `${prefix}-${i}`,
      name: `${prefix} ${i}`,
    }));
  await db.agent.createMany({ data: named('agent', AGENTS) });
  await db.queue.createMany({ data: named('queue', QUEUES) });
  const trunk = await db.sipTrunk.create({
    data: {
      consumerId: consumer.id,
      name: `trunk-${ref}`,
      host: 'carrier.example',
      ingressLabel: `bench-${ref}`,
    },
  });
  await db.channel.createMany({
    data: Array.from({ length: LINES }, (_, i) => ({
      tenantId: tenant.id,
      ref: `line-${i}`,
      type: 'SIP' as const,
      address: `+4420718387${String(i).padStart(2, '0')}`,
      sipTrunkId: trunk.id,
    })),
  });
  const first = async (rows: Promise<{ id: number } | null>) => (await rows)?.id ?? 0;
  const where = { tenantId: tenant.id };
  const [agent, queue, line] = [
    await first(db.agent.findFirst({ where, orderBy: { id: 'asc' } })),
    await first(db.queue.findFirst({ where, orderBy: { id: 'asc' } })),
    await first(db.channel.findFirst({ where, orderBy: { id: 'asc' } })),
  ];
  // The triggers would count the calls one by one with the same result; counting the whole year afterwards is faster.
  await db.$executeRaw`alter table "Call" disable trigger user`;
  await db.$executeRaw`
    insert into "Call" ("consumerId", "tenantId", "direction", "status", "channelId", "channelRef", "channelType", "queueId", "queueRef",
      "agentId", "agentRef", "customerAddress", "customerAddressType", "customerName", "externalRef", "consumerMetadata",
      "terminationReason", "terminatedBy", "mediaPath", "createdAt", "ringingAt", "queuedAt", "answeredAt", "endedAt")
    select ${consumer.id}, ${tenant.id}, case when inbound then 'INBOUND' else 'OUTBOUND' end::"CallDirection",
      case when live then 'IN_PROGRESS' when not answered and reason > 0.9 then 'FAILED' else 'TERMINATED' end::"CallStatus",
      ${line}::int + i % ${LINES}::int, 'line-' || i % ${LINES}::int, 'SIP',
      case when queued then ${queue}::int + i % ${QUEUES}::int end, case when queued then 'queue-' || i % ${QUEUES}::int end,
      case when answered or not inbound then ${agent}::int + agent end, case when answered or not inbound then 'agent-' || agent end,
      '+4420' || (70000000 + customer), 'E164', 'Customer ' || customer, 'order-' || i, '{"order": 1, "source": "bench"}',
      case when live then null when answered then 'COMPLETED' when reason > 0.9 then 'PROVIDER_ERROR' when reason > 0.5 then 'CANCELLED'
        when reason > 0.2 then 'NO_ANSWER' else 'TIMEOUT' end,
      case when live then null when reason > 0.4 then 'CUSTOMER' else 'AGENT' end, 'ROOM',
      at, at + interval '1 second', case when queued then at end,
      case when answered then at + wait end, case when not live then at + wait + case when answered then talk else interval '0' end end
    from (
      select i, i > ${calls}::int - ${LIVE}::int as live, random() < 0.7 as inbound, random() < 0.8 as answered, random() as reason,
        floor(random() * ${AGENTS}::int)::int as agent, floor(random() * ${Math.max(1, calls / CALLS_A_CUSTOMER)}::int)::int as customer,
        random() * interval '2 minutes' as wait, random() * interval '8 minutes' as talk,
        now() - interval '365 days' * (1 - i::float8 / ${calls}::int) - interval '1 minute' as at
      from generate_series(1, ${calls}::int) i
    ) history
    cross join lateral (select inbound and i % 3 > 0 as queued) q`;
  await db.$executeRaw`alter table "Call" enable trigger user`;
  await db.$queryRaw`select call_tally_recount(${tenant.id}::int)::text`;
  return { consumerId: consumer.id, tenantId: tenant.id, tenantRef: ref };
}

/** Vacuums and analyses the tables, as autovacuum would have done, and writes them to disk, so that neither happens while something is measured. */
export async function settle(db: Database): Promise<void> {
  await db.$executeRaw`checkpoint`;
  for (const table of ['Call', 'CallTally']) await db.$executeRawUnsafe(`vacuum (analyze) "${table}"`);
}
