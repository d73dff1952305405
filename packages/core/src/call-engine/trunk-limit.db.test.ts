/** The limit of concurrent calls of a trunk, and the trunks of a line, while INVITEs and requests for calls arrive concurrently. */
import type { Agent, Consumer, Database, Prisma, SipTrunk, Tenant } from '@clarion/db';
import { createTestDatabase } from '@clarion/db/testing';
import type { TestDatabase } from '@clarion/db/testing';
import { ApiError } from '@clarion/protocol';
import { createCallBody } from '@clarion/protocol/v1/call/calls';
import { inviteRequest } from '@clarion/testkit/peers/invite-request';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiContext } from '../__fixtures__/api-context.ts';
import { createCall } from '../call/create-call.ts';
import { carrierTrunk } from './__fixtures__/carrier-trunk.ts';
import { queueLine } from './__fixtures__/queue-line.ts';
import { createInboundCall } from './create-inbound-call.ts';
import { stepCall } from './step-call.ts';

const LIMIT = 4;
const ADDRESS = '+442079460001';

let testDatabase: TestDatabase;
/** Two processes: realtime, which admits INVITEs, and web. */
let realtime: Database;
let web: Database;
let consumer: Consumer;
let tenant: Tenant;
let trunk: SipTrunk;
let backup: SipTrunk;
let agents: Agent[];
let placed = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  realtime = testDatabase.connect();
  web = testDatabase.connect();
  consumer = await web.consumer.create({
    data: { slug: 'acme', name: 'Acme', planCallsAtOnce: 1000, planOutboundPerMinute: 1000 },
  });
  tenant = await web.tenant.create({ data: { consumerId: consumer.id, ref: 't', name: 'T' } });
  const tenantId = tenant.id;
  trunk = await carrierTrunk(web, consumer.id);
  backup = await carrierTrunk(web, consumer.id, { name: 'backup', ingressLabel: 'backup' });
  agents = await web.agent.createManyAndReturn({
    data: Array.from({ length: 40 }, (_, index) => ({ tenantId, ref: `a${index}`, name: 'A' })),
  });
  await queueLine(web, { tenantId, sipTrunkId: trunk.id, address: ADDRESS });
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  await web.call.deleteMany({});
  expect(await counts()).toEqual([]);
  await setTrunks({ maxCalls: LIMIT }, null);
});

/** Trunks with live calls, as counted. */
const counts = async () =>
  (await web.trunkLiveCalls.findMany({ where: { calls: { not: 0 } }, orderBy: { trunkId: 'asc' } })).map(
    ({ trunkId, calls }) => [trunkId, calls],
  );

/** @param second of the line's backup trunk; null: the line has none */
async function setTrunks(
  first: Prisma.SipTrunkUpdateInput,
  second: Prisma.SipTrunkUpdateInput | null,
): Promise<void> {
  trunk = await web.sipTrunk.update({ where: { id: trunk.id }, data: first });
  backup = await web.sipTrunk.update({ where: { id: backup.id }, data: second ?? { maxCalls: null } });
  await web.channel.updateMany({ data: { backupSipTrunkId: second && backup.id } });
}

const receive = async () => {
  const { answer, refusal } = await createInboundCall(
    { db: realtime, ingressDomain: null, nodeId: 'n' },
    inviteRequest({ requestUser: ADDRESS }),
    new Date(),
  );
  return answer.action === 'accept' ? 'call' : `${answer.status} ${refusal?.code ?? ''}`;
};

async function place(): Promise<string | number> {
  placed += 1;
  const body = createCallBody.parse({
    channel_ref: 'main',
    agent_ref: agents[placed % agents.length]?.ref,
    customer: { address: '+447700900456' },
  });
  try {
    return (await createCall(apiContext(web, consumer, new Date()), 't', body)).callId;
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const FULL = 'The concurrent call limit of the trunk was reached.';

test('inbound and outbound calls together reach the limit of the trunk and never exceed it', async () => {
  const ends = await Promise.all(Array.from({ length: 12 }, () => [receive(), place()]).flat());
  const begun: (string | number)[] = ends.filter((end) => end === 'call' || typeof end === 'number');
  expect(begun).toHaveLength(LIMIT);
  expect(new Set(ends.filter((end) => !begun.includes(end)))).toEqual(
    new Set(['503 trunk_call_limit', `too_many_calls: ${FULL}`]),
  );
  expect(await web.liveCall.count()).toBe(LIMIT);
  expect(await counts()).toEqual([[trunk.id, LIMIT]]);
});

test('a call that ends makes room for the next one', async () => {
  const ids = [];
  for (let i = 0; i < LIMIT; i += 1) ids.push(await place());
  expect(await place()).toBe(`too_many_calls: ${FULL}`);
  await stepCall(web, Number(ids[0]), { type: 'terminate' }, new Date());
  expect(await counts()).toEqual([[trunk.id, LIMIT - 1]]);
  expect(await receive()).toBe('call');
  expect(await receive()).toBe('503 trunk_call_limit');
});

test('calls of a trunk without a limit are not counted', async () => {
  await setTrunks({ maxCalls: null }, null);
  expect(await receive()).toBe('call');
  expect(await place()).toEqual(expect.any(Number));
  expect(await counts()).toEqual([]);
});

test('over the limit the backup trunk places the call, up to its own limit', async () => {
  await setTrunks({ maxCalls: 1 }, { maxCalls: 2 });
  expect(await receive()).toBe('call');
  const ids = [await place(), await place()];
  const calls = await web.call.findMany({ where: { id: { in: ids.map(Number) } } });
  expect(calls.map(({ sipTrunkId }) => sipTrunkId)).toEqual([backup.id, backup.id]);
  expect(await place()).toBe(`too_many_calls: ${FULL}`);
  expect(await counts()).toEqual([
    [trunk.id, 1],
    [backup.id, 2],
  ]);
});

test('a call counts on both trunks that it may use, and on the one that carries it once that is known', async () => {
  await setTrunks({ maxCalls: 9 }, { maxCalls: 9 });
  const id = Number(await place());
  expect(await counts()).toEqual([
    [trunk.id, 1],
    [backup.id, 1],
  ]);
  const live = await web.liveCall.findUniqueOrThrow({ where: { callId: id } });
  expect(live.state).toMatchObject({
    dial: { trunkId: trunk.id, backup: { trunkId: backup.id, called: '447700900456' } },
  });
  const { agentId } = live.state as { agentId: number };
  const start = { type: 'start', agentId, deviceId: 'd', legId: 'leg', mediaNodeId: 'm' } as const;
  await stepCall(web, id, start, new Date());
  await stepCall(web, id, { type: 'leg-connected', legId: 'leg', codec: 'opus' }, new Date());
  const legId = `call-${id}-customer`;
  await stepCall(web, id, { type: 'leg-ringing', legId, trunkId: backup.id }, new Date());
  expect(await counts()).toEqual([[backup.id, 1]]);
  expect(await web.call.findUniqueOrThrow({ where: { id } })).toMatchObject({ sipTrunkId: backup.id });
  const connected = { type: 'leg-connected', legId, codec: 'PCMA', trunkId: backup.id } as const;
  await stepCall(web, id, connected, new Date());
  await stepCall(web, id, { type: 'terminate' }, new Date());
  expect(await counts()).toEqual([]);
});

test('concurrent calls with two trunks, begun, moved and ended at random, leave no count behind and no deadlock', async () => {
  await setTrunks({ maxCalls: 6 }, { maxCalls: 6 });
  const run = async () => {
    const id = Number(await place());
    if (Number.isNaN(id)) return;
    const live = await web.liveCall.findUniqueOrThrow({ where: { callId: id } });
    const { agentId } = live.state as { agentId: number };
    const start = { type: 'start', agentId, deviceId: 'd', legId: 'leg', mediaNodeId: 'm' } as const;
    await stepCall(web, id, start, new Date());
    await stepCall(realtime, id, { type: 'leg-connected', legId: 'leg', codec: 'opus' }, new Date());
    const trunkId = id % 2 === 0 ? trunk.id : backup.id;
    const legId = `call-${id}-customer`;
    await stepCall(web, id, { type: 'leg-connected', legId, codec: 'PCMA', trunkId }, new Date());
    await stepCall(realtime, id, { type: 'terminate' }, new Date());
  };
  await Promise.all(Array.from({ length: 24 }, run));
  expect(await web.liveCall.count()).toBe(0);
  expect(await counts()).toEqual([]);
});
