/** The plan's limit of concurrent calls, while INVITEs and requests for calls arrive concurrently. */
import type { Consumer, Database } from '@clarion/db';
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

const CALLS_AT_ONCE = 7;
const ADDRESS = '+442079460001';

let testDatabase: TestDatabase;
/** Two processes: realtime, which admits INVITEs, and web. */
let realtime: Database;
let web: Database;
let consumer: Consumer;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  realtime = testDatabase.connect();
  web = testDatabase.connect();
  consumer = await web.consumer.create({
    data: { slug: 'acme', name: 'Acme', planCallsAtOnce: CALLS_AT_ONCE, planOutboundPerMinute: 1000 },
  });
  const tenant = await web.tenant.create({ data: { consumerId: consumer.id, ref: 't', name: 'T' } });
  const tenantId = tenant.id;
  const trunk = await carrierTrunk(web, consumer.id);
  await web.agent.create({ data: { tenantId, ref: 'ada', name: 'Ada' } });
  await queueLine(web, { tenantId, sipTrunkId: trunk.id, address: ADDRESS });
});
afterAll(() => testDatabase.drop());
beforeEach(async () => {
  await web.call.deleteMany({});
});

const question = () => inviteRequest({ requestUser: ADDRESS });

const receive = async (asked = question()) => {
  const { answer } = await createInboundCall(
    { db: realtime, ingressDomain: null, nodeId: 'n' },
    asked,
    new Date(),
  );
  return answer.action === 'accept' ? 'call' : answer.status;
};

const place = async () => {
  const body = createCallBody.parse({
    channel_ref: 'main',
    agent_ref: 'ada',
    customer: { address: '+447700900456' },
  });
  try {
    await createCall(apiContext(web, consumer, new Date()), 't', body);
    return 'call';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
};

test('inbound and outbound calls together reach the limit of concurrent calls and never exceed it', async () => {
  const ends = await Promise.all(Array.from({ length: 15 }, () => [receive(), place()]).flat());
  expect(ends.filter((end) => end === 'call')).toHaveLength(CALLS_AT_ONCE);
  expect(new Set(ends)).toEqual(new Set(['call', 503, 'too_many_calls']));
  expect(await web.liveCall.count()).toBe(CALLS_AT_ONCE);
});

test('an INVITE that reached the limit is accepted by every node that receives the request', async () => {
  for (let taken = 1; taken < CALLS_AT_ONCE; taken += 1) expect(await receive()).toBe('call');
  const asked = question();
  const answers = await Promise.all(Array.from({ length: 5 }, () => receive(asked)));
  expect(answers).toEqual(['call', 'call', 'call', 'call', 'call']);
  expect(await web.liveCall.count()).toBe(CALLS_AT_ONCE);
  expect(await receive()).toBe(503);
});

test('an outbound call is refused only while every realtime node is overloaded', async () => {
  expect(await place()).toBe('call');
  const overloadedUntil = new Date(Date.now() + 60_000);
  await web.realtimeNode.create({ data: { id: 'busy', overloadedUntil } });
  expect(await place()).toBe('overloaded');
  await web.realtimeNode.create({ data: { id: 'idle' } });
  expect(await place()).toBe('call');
  await web.realtimeNode.update({ where: { id: 'idle' }, data: { overloadedUntil } });
  expect(await place()).toBe('overloaded');
  await web.realtimeNode.updateMany({ data: { overloadedUntil: new Date(Date.now() - 1_000) } });
  expect(await place()).toBe('call');
});
